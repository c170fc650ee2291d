import type { TestProject } from "vitest/node";
import { chromiumOrReason } from "./chromium";

declare module "vitest" {
  export interface ProvidedContext {
    /** The path of the Chromium that each worker starts; empty if there is none. */
    browser: string;
    /** The path of one with windows; empty if there is none. */
    wholeBrowser: string;
  }
}

/** Finds or installs the Chromiums of the suite; measurements use only the one that users have. */
export default function setup({ config, provide }: TestProject) {
  const measuring = config.include.some((pattern) => pattern.endsWith(".perf.ts"));
  provide("browser", path(chromiumOrReason(measuring ? "whole" : "shell")));
  provide("wholeBrowser", path(chromiumOrReason("whole")));
}

function path(found: { path: string } | { reason: string }): string {
  if ("path" in found) return found.path;
  if (process.env.CI) throw new Error(`${found.reason}.`);
  process.stderr.write(`e2e: left out. ${found.reason}.\n`);
  return "";
}
