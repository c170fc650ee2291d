import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { stage, story } from "./harness";

// Stories share tabs, one after the other: that is only right if nothing of a story is left for the next one.
describe("the tab of a story", () => {
  const at = stage();
  const ann = at.person("ann");
  const bob = at.person("bob");
  let first: Page;
  let heard = 0;
  const hear = () => void heard++;

  story("is used, with everything that a story can do to it", async () => {
    first = await at.open("/insights", { as: ann, tour: true, undo: true });
    first.on("request", hear);
    await first.route("**/api/v1/**", (route) => {
      hear();
      return route.continue();
    });
    await first.setViewportSize({ width: 1000, height: 700 });
    await first.emulateMedia({ colorScheme: "dark", reducedMotion: "no-preference" });
    await first.mouse.move(500, 300);
    await first.evaluate(async () => {
      localStorage.setItem("left", "1");
      sessionStorage.setItem("left", "1");
      // biome-ignore lint/suspicious/noDocumentCookie: it is what must not be left
      document.cookie = "left=1";
      for (const path of ["/history", "/runs"]) history.pushState(null, "", path);
      await new Promise((done) => Object.assign(indexedDB.open("left"), { onsuccess: done }));
    });
  });

  story("carries nothing over to the next story, which another person opens", async () => {
    heard = 0;
    const page = await at.open("/insights", { as: bob });
    expect(page, "the tab").toBe(first);
    const found = await page.evaluate(async () => ({
      left: [localStorage.left, sessionStorage.left, ...(await indexedDB.databases()).map(({ name }) => name)],
      settings: [localStorage.getItem("assent.tour"), localStorage.getItem("assent.inbox.undo")],
      cookies: document.cookie,
      back: history.length <= 2,
      size: [innerWidth, innerHeight],
      dark: matchMedia("(prefers-color-scheme: dark)").matches,
      still: matchMedia("(prefers-reduced-motion: reduce)").matches,
      hovered: document.querySelectorAll("main :hover").length,
    }));
    expect(found).toEqual({
      left: [undefined, undefined],
      settings: ['["*"]', "off"],
      cookies: "",
      back: true,
      size: [1440, 900],
      dark: false,
      still: true,
      hovered: 0,
    });
    expect(heard, "what the story before listened to").toBe(0);
    const me = await page.evaluate(async () => (await fetch("/api/v1/me")).json());
    expect(me.user ?? me.name).toBe("bob");
    await page.addInitScript(() => Object.assign(window, { left: true }));
  });

  story("is another one after a story that changed it for its whole life", async () => {
    const page = await at.open("/insights", { as: bob });
    expect(page).not.toBe(first);
    expect(await page.evaluate(() => "left" in window)).toBe(false);
  });
});
