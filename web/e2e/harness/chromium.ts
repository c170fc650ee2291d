import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Install paths on Debian, Ubuntu, Red Hat, Homebrew and Google's packages. */
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
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of a Chromium, or why there is none. CHROMIUM or CHROME_PATH can name your own. */
export function chromiumOrReason(): { path: string } | { reason: string } {
  for (const variable of ["CHROMIUM", "CHROME_PATH"]) {
    const path = process.env[variable];
    if (path) return existsSync(path) ? { path } : { reason: `${variable} is ${path}, and there is no such file` };
  }
  const found = find();
  if (found) return { path: found };
  const trouble = install();
  if (trouble) return { reason: `Chromium is not installed, ${trouble}. Install it, or set CHROMIUM to its path` };
  const installed = find();
  return installed ? { path: installed } : { reason: "Chromium was installed, but is not where it should be" };
}

function find(): string | undefined {
  const inPath = (process.env.PATH ?? "").split(delimiter).flatMap((dir) => names.map((name) => join(dir, name)));
  return [...inPath, ...usual].find((path) => existsSync(path));
}

/** Installs it with the package manager of Debian or Ubuntu; returns the reason if that fails. */
function install(): string | undefined {
  const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
  if (!runs("apt-get", "--version")) return "and there is no apt-get to install it with";
  const root = process.getuid?.() === 0;
  if (!root && !runs("sudo", "-n", "true")) return "and only root could install it (apt-get install chromium)";
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const command = [...(root ? [] : ["sudo", "-n"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...args];
    process.stderr.write(`e2e: Chromium is not installed; ${command.join(" ")} (once)\n`);
    const { status, stderr } = spawnSync(command[0] as string, command.slice(1), { encoding: "utf8" });
    if (status !== 0) return `and apt-get ${args[0]} failed: ${stderr.trim().split("\n").at(-1)}`;
  }
}

/**
 * Chromium's switches. Each window with an address bar also renders the bar's own pages, which are never seen and take
 * longer than ours, so they are disabled. Only the last list of features counts, so the ones that Playwright disables
 * are repeated.
 */
export const chromiumSwitches = [
  "--no-sandbox",
  "--disable-gpu",
  `--disable-features=${[
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "AimEnabled",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
  ].join(",")}`,
];
