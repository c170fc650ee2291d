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
      const lists: string[] = [];
      page.on("request", (request) => request.url().includes("limit=100") && lists.push(request.url()));
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/assets/react-*", async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(new URL("/inbox", page.url()).href, { waitUntil: "commit" });
      await see(page.locator("[data-first-row] .font-medium").first());
      const before = await titles(page, "[data-first-row]");
      expect(before.length).toBeGreaterThanOrEqual(2);
      release();
      await see(page.locator("[data-row]").first());
      expect(await titles(page, "[data-row]")).toEqual(before);
      expect(lists, "the list is read once").toHaveLength(1);
    });
  }
});

/** The texts of titles, and where they stand. */
function titles(page: Page, rows: string) {
  return page.locator(`${rows} :is(.line-clamp-2, .truncate) > .font-medium`).evaluateAll((found) =>
    found.map((title) => {
      const { left, top } = title.getBoundingClientRect();
      return [title.parentElement?.textContent, Math.round(left), Math.round(top)];
    }),
  );
}
