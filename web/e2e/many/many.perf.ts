import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { see, stage, story, until } from "../harness";

const count = Number(process.env.APPROVALS ?? 100_000);
/** The longest that the page may not answer, on a machine that does nothing else. */
const longestTaskMs = 150;
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
    const noise = await noiseOf(page);
    await watchTasks(page);

    // Like a wheel that is spun: some screens further with every frame.
    const frames = await scroller(page).evaluate(spin, 180);
    await until("rows where it stopped", async () => (await page.locator("[data-row]").count()) > 5);
    const spun = await worstTask(page);

    // By the scrollbar, far away and back.
    const jump = Date.now();
    await scroller(page).evaluate((e) => e.scrollTo({ top: 56 * 7999 }));
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
    await scroller(page).evaluate((e, n) => e.scrollTo({ top: 56 * (n - 1) }), wanted);
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
    expect(await page.locator("[data-row]").count(), "only what can be seen is drawn").toBeLessThan(60);
    const tasks = await worstTask(page);
    const heap = await heapOf(page);
    const slow = frames.filter((ms) => ms > 50).length;
    process.stdout.write(
      `inbox of ${count}: opened in ${opened} ms, row 8,000 in ${jumped} ms, to the end in ${arrived} ms; ` +
        `${frames.length} frames while scrolling, ${slow} over 50 ms; longest task ${spun} ms while scrolling, ${tasks} ms in all; ${Math.round(heap / 1e6)} MB of JavaScript\n`,
    );
    const allowed = longestTaskMs * Math.max(noise, await noiseOf(page));
    expect(spun, "longest task while scrolling, ms").toBeLessThan(allowed);
    expect(tasks, "longest task, ms").toBeLessThan(2 * allowed);
    expect(heap / 1e6, "MB of JavaScript").toBeLessThan(150);
    // It is still an inbox: the first key works at once.
    await page.keyboard.press("j");
    await see(page.locator("[data-row]:has([aria-current])"));
  });
});

/** Begins to remember how long the page could not be used at a time. */
async function watchTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration);
    }).observe({ type: "longtask" });
    Object.assign(window, { tasks });
  });
}

const worstTask = (page: Page) =>
  page.evaluate(() => Math.round(Math.max(0, ...(window as unknown as { tasks: number[] }).tasks)));

/** How much longer the same work takes when it goes badly than when it goes well: what else the machine does. */
function noiseOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const took: number[] = [];
    for (let round = 0; round < 60; round++) {
      const begin = performance.now();
      for (let i = 0, x = 0; i < 3_000_000; i++) x = (x + i * 7) % 1013;
      took.push(performance.now() - begin);
      await new Promise((done) => setTimeout(done));
    }
    return Math.max(...took) / Math.max(1, Math.min(...took));
  });
}

/** Scrolls on with every frame; how long each took. Runs in the page. */
function spin(scroller: Element, frames: number): Promise<number[]> {
  return new Promise((resolve) => {
    const took: number[] = [];
    let before = performance.now();
    const frame = (now: number) => {
      took.push(Math.round(now - before));
      before = now;
      scroller.scrollTop += 1200;
      if (took.length < frames) requestAnimationFrame(frame);
      else resolve(took);
    };
    requestAnimationFrame(frame);
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
