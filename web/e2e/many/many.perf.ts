import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { see, stage, story, until, Work } from "../harness";

const count = Number(process.env.APPROVALS ?? 100_000);
/**
 * The longest that the page may work without a break, in time of the processor: what else the machine does does not
 * count, so the limit is the same everywhere.
 */
const longestTaskMs = 150;
/** Rows in the page at any time, however fast a person scrolls. */
const rowsMax = 40;
/** Requests for rows: far ones are reached by skipping a thousand at a time, and nothing is asked twice for fun. */
const requestsMax = { spinning: 60, inAll: 60 + count / 250 };
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Puts approvals into a store as an engine would, much faster than by asking for each. */
async function fill(data: string): Promise<void> {
  const [command = "go", ...args] = process.env.ASSENT_BENCH ? [process.env.ASSENT_BENCH] : ["go", "run", "./bench"];
  const { status, stderr } = spawnSync(command, [...args, "-fill", data, "-approvals", String(count)], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`bench -fill: ${status} ${stderr}`);
}

describe(`an inbox of ${count.toLocaleString("en")}`, () => {
  const at = stage({ load: [], prepare: fill });
  const ann = at.person("ann", "role-0", "role-1", "role-2", "role-3", "role-4", "admin");
  const scroller = (page: Page) => page.locator("[data-inbox-scroller]");
  const row = (page: Page, n: number) => page.locator(`[data-row][aria-posinset="${n}"]`);
  /** The place of the last row that can be seen, loaded or not. */
  const lastShown = (page: Page) =>
    page.evaluate(() =>
      Math.max(
        0,
        ...[...document.querySelectorAll("[aria-posinset]")].map((e) => Number(e.getAttribute("aria-posinset"))),
      ),
    );
  const bottom = (page: Page) => scroller(page).evaluate((e) => e.scrollTo({ top: e.scrollHeight }));

  story("is scrolled without a hitch, to any place, to the very end, in little memory", async () => {
    const opening = Date.now();
    const page = await at.open("/inbox?sort=age", { as: ann });
    await see(row(page, 1));
    const opened = Date.now() - opening;
    const asked = requestsOf(page);

    // Like a wheel that is spun: some screens further with every frame.
    const frames = 180;
    const work = await Work.of(page);
    const spun = await scroller(page).evaluate(spin, frames);
    await until("rows where it stopped", async () => (await page.locator("[data-row]").count()) > 5);
    const longest = await work.longestTaskMs();
    const askedSpinning = asked();
    expect(spun.rowsMost, "rows in the page while scrolling").toBeLessThan(rowsMax);
    // Each frame is further than a screen, so each draws new rows: a screen of them and what lies just beyond.
    expect(spun.rowsDrawn, "rows drawn while scrolling").toBeLessThan(frames * rowsMax);

    // By the scrollbar, far away and back.
    const jump = Date.now();
    await scroller(page).evaluate((e) => e.scrollTo({ top: 64 * 7999 }));
    await see(row(page, 8000));
    const jumped = Date.now() - jump;
    await scroller(page).evaluate((e) => e.scrollTo({ top: 0 }));
    await see(row(page, 1));

    // On and on to row 80,000, and to the end. How many there are is counted only so far, so the list grows on the way.
    const way = Date.now();
    const wanted = Math.floor(count * 0.8);
    await until(
      `row ${wanted}`,
      async () => {
        await bottom(page);
        return (await lastShown(page)) >= wanted;
      },
      300_000,
    );
    await scroller(page).evaluate((e, n) => e.scrollTo({ top: 64 * (n - 1) }), wanted);
    await see(row(page, wanted));
    await until(
      "the last row",
      async () => {
        await bottom(page);
        return (await row(page, count).count()) === 1;
      },
      300_000,
    );
    const arrived = Date.now() - way;
    expect(await row(page, count).getAttribute("aria-setsize")).toBe(String(count));
    expect(await page.locator("[data-row]").count(), "only what can be seen is drawn").toBeLessThan(rowsMax);
    const heap = await heapOf(page);
    process.stdout.write(
      `inbox of ${count}: opened in ${opened} ms, row 8,000 in ${jumped} ms, to the end in ${arrived} ms; ` +
        `while scrolling over ${frames} frames: longest task ${longest} ms of the processor, ${spun.rowsDrawn} rows drawn, ` +
        `${spun.rowsMost} at a time, ${askedSpinning} requests, ${spun.slow} frames over 50 ms; ` +
        `${asked()} requests in all, ${Math.round(heap / 1e6)} MB of JavaScript\n`,
    );
    expect(longest, "longest task while scrolling, ms of the processor").toBeLessThan(longestTaskMs);
    expect(askedSpinning, "requests while scrolling").toBeLessThan(requestsMax.spinning);
    expect(asked(), "requests in all").toBeLessThan(requestsMax.inAll);
    expect(heap / 1e6, "MB of JavaScript").toBeLessThan(150);
    // It is still an inbox: the first key works at once.
    await page.keyboard.press("j");
    await see(page.locator("[data-row]:has([aria-current])"));
  });
});

/** How often the page asked for rows so far. */
function requestsOf(page: Page): () => number {
  let n = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/v1/approvals") n++;
  });
  return () => n;
}

/** Scrolls on with every frame; what that took. Runs in the page. */
function spin(scroller: Element, frames: number) {
  const rows = () => scroller.querySelectorAll("[data-row]");
  const before = new WeakSet<Element>(rows());
  return new Promise<{ rowsMost: number; rowsDrawn: number; slow: number }>((resolve) => {
    const seen = { rowsMost: 0, rowsDrawn: 0, slow: 0 };
    let frame = 0;
    let last = performance.now();
    const next = (now: number) => {
      if (now - last > 50) seen.slow++;
      last = now;
      const there = [...rows()];
      seen.rowsMost = Math.max(seen.rowsMost, there.length);
      for (const row of there) {
        if (!before.has(row)) seen.rowsDrawn++;
        before.add(row);
      }
      scroller.scrollTop += 1200;
      if (++frame < frames) requestAnimationFrame(next);
      else resolve(seen);
    };
    requestAnimationFrame(next);
  });
}

/** What the page holds, after whatever is not needed was thrown away. */
async function heapOf(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize;
}
