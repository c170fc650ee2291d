import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CDPSession } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Its own world, so that the page's CSP and variables stay untouched. */
const worldName = "axe";

/** Brings axe into every document of a page; it runs on demand. Sent once, and compiled once by the page's process. */
export async function addAxe(cdp: CDPSession): Promise<void> {
  await cdp.send("Page.enable");
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `globalThis.startAxe = () => { if (!globalThis.axe) { ${source} } return globalThis.axe; };`,
    worldName,
  });
}

/** Evaluates an expression with axe in the current document. */
export async function withAxe<T>(cdp: CDPSession, expression: string): Promise<T> {
  const { frameTree } = await cdp.send("Page.getFrameTree");
  const { executionContextId } = await cdp.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName });
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
    expression: `startAxe(), ${expression}`,
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  return result.value;
}
