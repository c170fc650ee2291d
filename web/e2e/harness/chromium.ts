import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where Debian, Ubuntu, Red Hat, Homebrew and Google put it. */
const usual = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/snap/bin/chromium",
  "/opt/homebrew/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of a Chromium, or why there is none. CHROMIUM names one of your own. */
export function chromiumOrReason(): { path: string } | { reason: string } {
  const named = process.env.CHROMIUM;
  if (named) return existsSync(named) ? { path: named } : { reason: `CHROMIUM is ${named}, and there is no such file` };
  const found = find();
  if (found) return { path: found };
  const trouble = install();
  if (trouble) return { reason: `Chromium is not installed, ${trouble}. Install it, or set CHROMIUM to its path` };
  const installed = find();
  return installed ? { path: installed } : { reason: "Chromium was installed, but is not where it should be" };
}

function find(): string | undefined {
  const inPath = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((dir) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(dir, name)));
  return [...inPath, ...usual].find((path) => existsSync(path));
}

/** Asks Debian's package manager; the answer is why it could not. */
function install(): string | undefined {
  if (process.getuid?.() !== 0) return "and only root could install it";
  if (spawnSync("apt-get", ["--version"]).status !== 0) return "and there is no apt-get to install it with";
  process.stderr.write("e2e: Chromium is not installed; apt-get update && apt-get install -y chromium (once)\n");
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { status, stderr } = spawnSync("apt-get", args, {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      encoding: "utf8",
    });
    if (status !== 0) return `and apt-get ${args[0]} failed: ${stderr.trim().split("\n").at(-1)}`;
  }
}
