// What runs before the program: as little as makes the wait shorter. It is built into one small file (scripts/firstView.ts)
// with which index.html begins.
import { drawHead } from "./head";
import { drawRows } from "./rows";

/** As long as the program waits for what is shown before it. */
const waitMs = 1000;

// Before the first paint, so that nobody sees the wrong theme flash by.
try {
  const theme = localStorage.getItem("assent.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}

addEventListener("DOMContentLoaded", async () => {
  await Promise.race([ask(), after(waitMs)]);
  await painted();
  await begin();
});

/** Asks for the data of the page, for the program to take over (api/early.ts), and shows what it can of it. */
async function ask(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="preload"][as="fetch"]');
  if (!link) return;
  const answer = fetch(link.href, { headers: { Accept: "application/json" } });
  window.assentEarly = { href: link.href, answer };
  const rows = document.querySelectorAll<HTMLElement>("[data-first-row]");
  const head = document.querySelector<HTMLElement>("[data-first-head]");
  try {
    const text = await (await answer).clone().text();
    if (head) drawHead(text, head);
    else drawRows(text, rows);
  } catch {
    answer.catch(() => {}); // the program asks again, and tells
  }
}

/**
 * Begins the program: libraries and our own in a task each, so that slow machines can answer to touch in between. While
 * developing there are no such links: the program begins by itself.
 */
async function begin(): Promise<void> {
  // Where something is drawn before, scripts would take the line from them (web/first.go).
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="later"]')) link.rel = "modulepreload";
  try {
    for (const { href } of document.querySelectorAll<HTMLLinkElement>("link[data-program]")) {
      await import(/* @vite-ignore */ href);
      await after(0);
    }
  } catch {
    document.getElementById("root")?.replaceChildren("Assent could not be loaded. Please reload the page.");
  }
}

/**
 * What stands in the page has been seen: the frame after next begins. Hidden pages paint nothing, and whatever the paint
 * waits for, people should not.
 */
function painted(): Promise<void> {
  const seen = new Promise<void>((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
  return Promise.race([seen.then(() => after(0)), after(document.hidden ? 0 : 300)]);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
