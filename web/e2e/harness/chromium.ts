import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The browser without its windows, where a package has it. It loads and draws pages as the whole browser does, for a
 * fifth less processor time.
 */
const shell = "chromium-headless-shell";
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

/**
 * The path of a Chromium, or why there is none: for stories the one without windows if possible, for measurements the
 * one that users have. CHROMIUM or CHROME_PATH can name your own.
 */
export function chromiumOrReason(kind: "shell" | "whole" = "shell"): { path: string } | { reason: string } {
  for (const variable of ["CHROMIUM", "CHROME_PATH"]) {
    const path = process.env[variable];
    if (path) return existsSync(path) ? { path } : { reason: `${variable} is ${path}, and there is no such file` };
  }
  const wanted = kind === "shell" ? [shell, ...names] : names;
  const found = find(wanted);
  if (found) return { path: found };
  const trouble = kind === "shell" && install(shell) === undefined ? undefined : install("chromium");
  if (trouble) return { reason: `Chromium is not installed, ${trouble}. Install it, or set CHROMIUM to its path` };
  const installed = find(wanted);
  return installed ? { path: installed } : { reason: "Chromium was installed, but is not where it should be" };
}

function find(wanted: string[]): string | undefined {
  const dirs = (process.env.PATH ?? "").split(delimiter);
  const inPath = wanted.flatMap((name) => dirs.map((dir) => join(dir, name)));
  return [...inPath, ...usual].find((path) => existsSync(path));
}

/** Installs a package with the package manager of Debian or Ubuntu; returns the reason if that fails. */
function install(name: string): string | undefined {
  const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
  if (!runs("apt-get", "--version")) return "and there is no apt-get to install it with";
  const root = process.getuid?.() === 0;
  if (!root && !runs("sudo", "-n", "true")) return "and only root could install it (apt-get install chromium)";
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", name]]) {
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
