import type { TestProject } from "vitest/node";
import { chromiumOrReason } from "./chromium";

declare module "vitest" {
  export interface ProvidedContext {
    /** The path of the Chromium that each worker starts; empty if there is none. */
    browser: string;
  }
}

/** Finds or installs the Chromium of the suite. */
export default function setup({ provide }: TestProject) {
  const found = chromiumOrReason();
  if ("path" in found) {
    provide("browser", found.path);
    return;
  }
  if (process.env.CI) throw new Error(`${found.reason}.`);
  process.stderr.write(`e2e: left out. ${found.reason}.\n`);
  provide("browser", "");
}
