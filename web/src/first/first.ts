// Runs before the program: only as much as shortens the wait. It is built into one small file (scripts/firstView.ts) at
// the top of index.html.
import { drawHead } from "./head";
import { drawRows } from "./rows";

/** How long the program waits for the early view. */
const waitMs = 1000;

// Before the first paint, so that the wrong theme never flashes.
try {
  const theme = localStorage.getItem("assent.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}

addEventListener("DOMContentLoaded", async () => {
  const more = await Promise.race([ask(), after(waitMs)]);
  await painted();
  await begin(more ?? []);
});

/** Requests the page's data, and draws as much of it as it can. Returns where the rest of it is. */
async function ask(): Promise<string[]> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="preload"][as="fetch"]');
  if (!link) return [];
  const answer = request(link.href);
  const rows = document.querySelectorAll<HTMLElement>("[data-first-row]");
  const head = document.querySelector<HTMLElement>("[data-first-head]");
  try {
    const text = await (await answer).clone().text();
    if (head) return drawHead(text, head);
    drawRows(text, rows);
  } catch {
    // The program sends it again and reports the error.
  }
  return [];
}

/** Sends a request whose answer the program reuses (api/early.ts). */
function request(href: string): Promise<Response> {
  const answer = fetch(href, { headers: { Accept: "application/json" } });
  answer.catch(() => {}); // the program sends it again
  window.assentEarly = [...(window.assentEarly ?? []), { href, answer }];
  return answer;
}

/**
 * Starts the program: libraries and our own code in separate tasks, so that slow machines can respond to touch in
 * between. In development the links are missing, and the program starts by itself.
 */
async function begin(more: string[]): Promise<void> {
  // On pages with an early view, scripts and the data of the frame would compete with its data for bandwidth
  // (web/first.go).
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="later"]')) {
    if (link.as === "fetch") void request(link.href);
    else link.rel = "modulepreload";
  }
  for (const path of more) void request(new URL(path, location.origin).href);
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
 * Resolves once the page has been painted: when the frame after next begins. Hidden pages paint nothing, and a delayed
 * paint must not keep people waiting.
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
