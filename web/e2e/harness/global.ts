import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumOrReason, chromiumSwitches } from "./chromium";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the one browser of all tests listens; empty where there is none. */
    browser: string;
  }
}

/** Starts the one Chromium of the whole suite; each test gets contexts of its own in it. */
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
    // Whatever asks for another host is seen by the guard; this keeps it from getting there.
    args: [...chromiumSwitches, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
  });
  provide("browser", server.wsEndpoint());
  return () => server.close();
}
