import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { see, stage, story, type View } from "./harness";

// What is seen before the program runs, and that nothing moves when it takes over.
describe("the first view", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  for (const view of ["phone", "tablet", "desktop"] satisfies View[]) {
    story(`names what waits before the program is there, on a ${view}`, async () => {
      await ann.asked("refund", { customer: "Iben Dahl", amount: 120 });
      await ann.asked("note", { text: "A word that goes on. ".repeat(6) });
      const page = await at.open("/history", { as: ann, view });
      const { release, asked } = await held(page, "/inbox");
      await see(page.locator("[data-first-row] .font-medium").first());
      const before = await titles(page, "[data-first-row]");
      expect(before.length).toBeGreaterThanOrEqual(2);
      release();
      await see(page.locator("[data-row]").first());
      expect(await titles(page, "[data-row]")).toEqual(before);
      expect(asked, "the list is read once").toHaveLength(1);
    });

    story(`says who asks for what before the program is there, on a ${view}`, async () => {
      const { id } = await ann.asked("refund", { customer: "Iben Dahl", amount: 120 });
      const page = await at.open("/history", { as: ann, view });
      const { release, asked } = await held(page, `/approvals/${id}`);
      await see(page.locator("[data-first-head] h1"));
      const before = await head(page);
      release();
      await see(page.getByRole("button", { name: "Approve" }).first());
      expect(await head(page)).toEqual(before);
      expect(asked, "the approval is read once").toHaveLength(1);
    });
  }
});

/**
 * Goes to a page whose program does not come until it is released; notes how often its data is asked for. Live events stay
 * away: when they begin, pages are read once more, since something may have happened in between.
 */
async function held(page: Page, path: string) {
  const asked: string[] = [];
  const data = path === "/inbox" ? /approvals\?.*limit=100/ : new RegExp(`/api/v1${path}$`);
  page.on("request", (request) => data.test(request.url()) && asked.push(request.url()));
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/assets/react-*", async (route) => {
    await released;
    await route.continue();
  });
  await page.route("**/api/v1/events*", () => {});
  await page.goto(new URL(path, page.url()).href, { waitUntil: "commit" });
  return { release, asked };
}

/** Title and sentence of an approval, and where they stand. */
function head(page: Page) {
  return page.locator("main :is(h1, h1 ~ p, p:has(~ h1))").evaluateAll((found) =>
    found.map((part) => {
      const { left, top } = part.getBoundingClientRect();
      return [part.textContent, Math.round(left), Math.round(top)];
    }),
  );
}

/** The texts of titles, and where they stand. */
function titles(page: Page, rows: string) {
  return page.locator(`${rows} :is(.line-clamp-2, .truncate) > .font-medium`).evaluateAll((found) =>
    found.map((title) => {
      const { left, top } = title.getBoundingClientRect();
      return [title.parentElement?.textContent, Math.round(left), Math.round(top)];
    }),
  );
}
