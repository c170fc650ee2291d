import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { decideByKey, focused, gone, leadsTo, pressAlone, says, see, settled, stage, story, until } from "./harness";

describe("around every page", () => {
  const at = stage();
  const ann = at.person("ann", "approver");
  /** Types into the palette, until the entry is chosen that Enter takes. */
  const find = async (page: Page, text: string, entry: RegExp) => {
    const palette = page.getByRole("dialog");
    await palette.getByRole("combobox").fill(text);
    await see(palette.getByRole("option", { selected: true }).filter({ hasText: entry }));
  };

  story("the theme follows the system until a person chooses, and stays", async () => {
    const page = await at.open("/inbox", { as: ann, theme: "dark" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.getByRole("button", { name: /^You are ann/ }).click();
    await page.getByRole("menu").getByText("Light", { exact: true }).click();
    await until("the light theme", async () => (await background()) !== dark);
    const light = await background();
    await page.reload();
    await settled(page); // the frame alone does nothing yet
    expect(await background()).toBe(light);
    // By the palette, back to the dark one.
    await page.keyboard.press("Control+k");
    await find(page, "dark", /dark/i);
    await page.keyboard.press("Enter");
    await until("the dark theme", async () => (await background()) === dark);
  });

  story("the palette goes everywhere, by keyboard alone", async () => {
    const page = await at.open("/inbox", { as: ann });
    await page.keyboard.press("Control+k");
    await see(page.getByRole("dialog", { name: "Search or jump to" }));
    await at.look(page);
    await find(page, "insi", /Insights/);
    await page.keyboard.press("Enter");
    await leadsTo(page, /^\/insights/);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("no such thing");
    await see(page.getByText("No matches"));
    await page.keyboard.press("Escape");
    for (const [keys, path] of Object.entries({
      r: "/runs",
      d: "/deliverables",
      h: "/history",
      s: "/insights",
      i: "/inbox",
    })) {
      // At once: a page that is busy in between would take them for two keys.
      await Promise.all([page.keyboard.press("g"), page.keyboard.press(keys)]);
      await leadsTo(page, new RegExp(`^${path}`));
      await see(page.locator("h1"));
    }
  });

  /** The card of the tour with this title; at no step does it cover an answer. */
  const tourSays = async (page: Page, title: string) => {
    const card = page.getByRole("region", { name: title });
    await see(card);
    const covered = await card.evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return [...document.querySelectorAll("[data-answers] button, [data-answers]")].filter((answer) => {
        const box = answer.getBoundingClientRect();
        return box.left < right && left < box.right && box.top < bottom && top < box.bottom;
      }).length;
    });
    expect(covered, `answers below “${title}”`).toBe(0);
    return card;
  };
  const tourTitles = [
    "This is waiting for you",
    "Where the work continues",
    "Exactly what would happen",
    "What yes and no do",
    "Your turn",
  ];
  const decidedBy = (name: string) =>
    until(`a decision of ${name}`, async () => {
      const { items } = await ann.get(`/approvals?status=approved&q=${name}&limit=50`);
      return items.some((a: { outcome: { by: string } }) => a.outcome.by === name);
    });

  story("a new user is shown around, up to the first decision, by mouse", async () => {
    await ann.asked("refund", { customer: "Iben", amount: 120 });
    const nora = at.person("nora", "approver");
    const page = await at.open("/inbox", { as: nora, tour: true, undo: true });
    for (const title of tourTitles) {
      const card = await tourSays(page, title);
      await at.look(page);
      if (title !== "Your turn") await card.getByRole("button", { name: "Next" }).click();
    }
    const answers = page.getByRole("complementary").locator("[data-answers]");
    await answers.getByRole("button", { name: "Approve" }).click();
    await see(answers.getByRole("button", { name: "Undo" }));
    await tourSays(page, "Your turn");
    // The decision is sent when its view is left. The tour waits in the inbox.
    await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
    await leadsTo(page, /^\/runs/);
    await gone(page.getByRole("region", { name: "Your turn" }));
    await decidedBy("nora");
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /^Inbox/ })
      .click();
    const ended = await tourSays(page, "That's it");
    await at.look(page);
    await ended.getByRole("button", { name: "Done" }).click();
    await gone(ended);
    expect(await page.evaluate(() => localStorage.getItem("assent.tour"))).toBe('["nora"]');
    // Once is enough, until it is asked for.
    await ann.asked("refund", { customer: "Iben", amount: 130 });
    await page.reload();
    await page.waitForFunction(() => performance.getEntriesByName("assent.notices").length > 0);
    await settled(page);
    expect(await page.getByRole("region", { name: tourTitles[0] }).count()).toBe(0);
    await page.getByRole("button", { name: /^You are nora/ }).click();
    await page.getByRole("menuitem", { name: "Take the tour" }).click();
    const again = await tourSays(page, "This is waiting for you");
    await again.getByRole("button", { name: "Close the tour" }).click();
    await gone(again);
  });

  story("a new user is shown around by keyboard, and the tour lends no key to a decision", async () => {
    await ann.asked("refund", { customer: "Iben", amount: 140 });
    const otto = at.person("otto", "approver");
    const page = await at.open("/inbox", { as: otto, tour: true });
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    const card = await tourSays(page, "This is waiting for you");
    await until("the focus in the tour", () => card.evaluate((e) => e.contains(document.activeElement)));
    await page.keyboard.press("Tab"); // to Close
    await page.keyboard.press("Tab");
    for (const [i, title] of tourTitles.entries()) {
      const now = await tourSays(page, title);
      const focused = now.getByRole("button", { name: i < 4 ? "Next" : "Go to the request" });
      await until("the focus on the button", () => focused.evaluate((e) => e === document.activeElement));
      if (i === 0 || i === 4) {
        await pressAlone(page); // not while the focus is here
        await page.waitForTimeout(600); // Enter right after a letter is part of a word
      }
      await page.keyboard.press("Enter");
    }
    expect(sent).toEqual([]);
    const row = page.locator("[data-row] a[aria-current]");
    await until("the focus on the row", () => row.evaluate((e) => e === document.activeElement));
    await until("the proposal on the screen", () =>
      page.getByRole("complementary").getByRole("button", { name: "Approve" }).isEnabled(),
    );
    await decideByKey(page);
    await tourSays(page, "That's it");
    await decidedBy("otto");
  });

  story("a new user is shown around on a phone", async () => {
    await ann.asked("refund", { customer: "Iben", amount: 150 });
    const pia = at.person("pia", "approver", "admin");
    const page = await at.open("/inbox", { as: pia, view: "phone", tour: true });
    const offer = await tourSays(page, "New here?");
    await at.look(page);
    await offer.getByRole("button", { name: "Take the tour" }).tap();
    const first = await tourSays(page, "This is waiting for you");
    await at.look(page);
    await first.getByRole("button", { name: "Next" }).tap();
    const runs = await tourSays(page, "Runs, and the emergency stop");
    await runs.getByRole("button", { name: "Open the request" }).tap();
    await leadsTo(page, /^\/approvals\//);
    for (const title of tourTitles.slice(2, 4)) {
      const card = await tourSays(page, title);
      await at.look(page);
      await card.getByRole("button", { name: "Next" }).tap();
    }
    await tourSays(page, "Your turn");
    await at.look(page);
    await page.locator("[data-answers]").getByRole("button", { name: "Approve" }).tap();
    await tourSays(page, "That's it");
    await decidedBy("pia");
  });

  story("closed with Escape, the tour is over for that person and no other", async () => {
    await ann.asked("refund", { customer: "Iben", amount: 160 });
    const quin = at.person("quin", "approver");
    const page = await at.open("/inbox", { as: quin, tour: true });
    const card = await tourSays(page, "This is waiting for you");
    await until("the focus in the tour", () => card.evaluate((e) => e.contains(document.activeElement)));
    await page.keyboard.press("Escape");
    await gone(card);
    expect(await page.evaluate(() => localStorage.getItem("assent.tour"))).toBe('["quin"]');
  });

  story("shortcuts rest while a person types", async () => {
    const page = await at.open("/runs", { as: ann });
    await page.getByRole("textbox", { name: "Started by" }).click();
    await page.keyboard.type("?gi");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/runs");
  });

  story("whoever uses the keyboard can skip to the page and sees where they are", async () => {
    const page = await at.open("/inbox", { as: ann });
    await page.keyboard.press("Tab");
    await see(page.getByRole("link", { name: "Skip to the page" }));
    await page.keyboard.press("Enter");
    await until("the focus", () =>
      page.evaluate(() => document.activeElement?.id === "main" || location.hash === "#main"),
    );
    // Every stop of the Tab key has a visible mark.
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const mark = await page.evaluate(() => {
        const e = document.activeElement;
        if (!e || e === document.body) return "nothing";
        // Some marks are drawn by what stands around: a row, a card.
        for (let up: Element | null = e, n = 0; up && n < 3; up = up.parentElement, n++) {
          const style = getComputedStyle(up);
          if (style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0) return "";
          if (style.boxShadow !== "none") return "";
        }
        return `${e.tagName} “${e.getAttribute("aria-label") ?? e.textContent?.slice(0, 30)}” has the focus, and nothing shows it`;
      });
      if (mark !== "nothing") expect(mark).toBe("");
    }
  });

  story("nothing moves for those who asked for that", async () => {
    const durations = (page: Page) =>
      page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement("div"));
        probe.className = "motion-fade";
        const button = document.querySelector("button") as HTMLElement;
        const found = [getComputedStyle(probe).animationDuration, getComputedStyle(button).transitionDuration];
        probe.remove();
        return found.map((text) => Number.parseFloat(text));
      });
    expect(Math.max(...(await durations(await at.open("/runs", { as: ann }))))).toBeLessThanOrEqual(0.001);
    expect(Math.min(...(await durations(await at.open("/runs", { as: ann, motion: true }))))).toBeGreaterThan(0.05);
  });

  story("an address that leads nowhere says so", async () => {
    const page = await at.open("/no/such/page", { as: ann });
    await see(page.getByText("Page not found"));
    await page.getByRole("link", { name: "Go to inbox", exact: true }).click();
    await leadsTo(page, /^\/inbox/);
  });

  story("the emergency stop is over every page while it is on", async () => {
    const page = await at.open("/insights", { as: ann });
    const other = await at.open("/runs", { beside: page });
    const phone = await at.open("/inbox", { as: at.person("bob"), view: "phone" });
    const pages = [page, other, phone];
    const bar = (of: Page) => of.getByRole("status").filter({ hasText: "Emergency stop" });
    for (const one of pages) await see(one.getByRole("status").filter({ hasText: /^Live$/ }));
    // Nobody reloads: it comes to every tab of everybody, and goes.
    await at.admin.post("/policy/emergency_stop", { on: true, reason: "Strange refunds" });
    for (const one of pages) await says(bar(one), /Emergency stop is on.*Strange refunds/s);
    for (const one of pages) await at.look(one);
    await page.goto(`${at.server.url}/history`);
    await see(bar(page));
    await at.admin.post("/policy/emergency_stop", { on: false });
    for (const one of pages) await gone(bar(one));
    await phone.close();
    // What changed before the connection was back is known then.
    await at.guard(other).inTheDark(() =>
      at.guard(page).inTheDark(async () => {
        await at.server.kill();
        await see(page.getByRole("status").filter({ hasText: /^Connection lost/ }));
        await at.server.restart();
        await at.admin.post("/policy/emergency_stop", { on: true, reason: "Meanwhile" });
        for (const one of [page, other]) await says(bar(one), /Meanwhile/);
      }),
    );
    await at.admin.post("/policy/emergency_stop", { on: false });
    for (const one of [page, other]) await gone(bar(one));
  });

  story("the emergency stop is pressed with a reason, on a phone, too, and let go again", async () => {
    const page = await at.open("/insights", { as: at.admin });
    const seen = await at.open("/inbox", { as: ann });
    const phone = await at.open("/runs", { as: at.admin, view: "phone" });
    const bar = (of: Page) => of.getByRole("status").filter({ hasText: "Emergency stop is on" });
    const stop = (of: Page) => of.getByRole("banner").getByRole("button", { name: "Emergency stop" });
    // Opening it does nothing yet, and it wants a reason.
    await stop(page).click();
    const dialog = page.getByRole("dialog", { name: "Emergency stop" });
    await see(dialog);
    await at.look(page);
    await focused(dialog.getByRole("textbox"));
    await page.keyboard.press("Control+Enter");
    await see(dialog.getByText("Enter a reason"));
    expect((await at.admin.get("/policy")).emergency_stop.on).toBe(false);
    await page.keyboard.type("Strange refunds");
    await dialog.getByRole("button", { name: "Stop automatic approval" }).click();
    await gone(dialog);
    for (const one of [page, seen, phone]) await says(bar(one), /Strange refunds · admin/);
    const now = (await at.admin.get("/policy")).emergency_stop;
    expect([now.on, now.reason, now.by]).toEqual([true, "Strange refunds", "admin"]);
    // Others see that it is on, and cannot press it.
    expect(await seen.getByRole("banner").getByRole("button", { name: /stop/i }).count()).toBe(0);
    expect(await seen.getByRole("button", { name: "Turn off…" }).count()).toBe(0);
    // What another person did meanwhile is not done a second time.
    await page.getByRole("banner").getByRole("button", { name: "Stopped" }).click();
    const off = page.getByRole("dialog", { name: "Turn the emergency stop off?" });
    await says(off, /Strange refunds/);
    await at.look(page);
    await at.look(phone);
    await phone.getByRole("button", { name: "Turn off…" }).click();
    await at.look(phone);
    await phone.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
    for (const one of [page, seen, phone]) await gone(bar(one));
    await see(off.getByText("admin turned it off in the meantime."));
    expect(await off.getByRole("button", { name: "Turn off" }).count()).toBe(0);
    await off.getByRole("button", { name: "Close" }).last().click();
    expect((await at.admin.get("/policy")).emergency_stop.on).toBe(false);
    // By the palette and the keyboard alone.
    await page.keyboard.press("Control+k");
    await find(page, "emerg", /Emergency stop/);
    await page.keyboard.press("Enter");
    await see(dialog);
    await page.keyboard.press("Escape");
    await gone(dialog);
    await see(stop(page));
  });

  story("a workflow that is published can be started at once, without a reload", async () => {
    const page = await at.open("/runs", { as: at.admin });
    await page.keyboard.press("n");
    const list = page.getByRole("dialog", { name: "Start a run" }).getByRole("combobox").first();
    await list.click();
    await see(page.getByRole("option", { name: "Refund" }));
    await page.keyboard.press("Escape");
    const made = { workflow: "brand-new", steps: [{ id: "one", agent: "quick" }] };
    await at.admin.send("PUT", "/workflows/brand-new?publish=true", made);
    await until("the new one", async () => {
      await list.click();
      await see(page.getByRole("option", { name: "Refund" })); // else Escape would close the dialog
      const there = await page.getByRole("option", { name: "Brand new" }).count();
      await page.keyboard.press("Escape");
      return there > 0;
    });
  });

  story("the history tells who decided what, and why", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 120 });
    await at.person("bob", "approver").decide(asked.id, "reject", { comment: "Too high" });
    const page = await at.open("/history", { as: ann });
    const row = page.getByRole("listitem").filter({ has: page.locator(`a[href$="${asked.id}"]`) });
    await says(row, /bob/);
    await row.getByRole("button").first().click();
    await see(page.getByText("Too high").first());
    await at.look(page);
    await page.getByRole("combobox", { name: "Outcome" }).click();
    await page.getByRole("option", { name: "Approved", exact: true }).click();
    await leadsTo(page, /status=approved/);
    await gone(page.locator(`a[href$="${asked.id}"]`)); // other stories have approved some
    await at.look(page);
  });

  story("insights say how it goes, for a time and a workflow", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 12 });
    await ann.decide(asked.id, "approve");
    await ann.reaches(asked.run, "completed");
    const page = await at.open("/insights", { as: ann });
    await see(page.getByRole("heading", { name: "Insights" }));
    await until("figures", async () => (await page.getByRole("status", { name: "Loading" }).count()) === 0);
    await at.look(page);
    await page.getByRole("group", { name: "Time" }).getByRole("button").first().click();
    await leadsTo(page, /days=/);
    await page.getByRole("combobox", { name: "Workflow" }).click();
    await page.getByRole("option", { name: "Refund" }).click();
    await leadsTo(page, /workflow=refund/);
  });
});
