import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumOrReason, chromiumSwitches } from "./chromium";
import { patienceMs } from "./person";

declare module "vitest" {
  export interface ProvidedContext {
    /** The endpoint of the browser shared by all tests; empty if there is none. */
    browser: string;
  }
}

/** Starts the one Chromium of the whole suite; each test gets its own contexts in it. */
export default async function setup({ provide }: TestProject) {
  const found = chromiumOrReason();
  if ("reason" in found) {
    if (process.env.CI) throw new Error(`${found.reason}.`);
    process.stderr.write(`e2e: left out. ${found.reason}.\n`);
    provide("browser", "");
    return;
  }
  const server = await chromium.launchServer({
    executablePath: found.path,
    timeout: patienceMs,
    // The guard reports every request to another host; this keeps it from getting there.
    args: [...chromiumSwitches, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
  });
  provide("browser", server.wsEndpoint());
  return () => server.close();
}
