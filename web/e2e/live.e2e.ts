import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { gone, says, see, stage, story, until } from "./harness";

/** Writes down every event that the tabs of a browser tell each other, as the pages take them. */
async function listen(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const heard: number[] = [];
    const channel = new BroadcastChannel("assent.live");
    channel.onmessage = ({ data }) => {
      if (data.kind === "event") heard.push(data.id);
    };
    Object.assign(window, { heard, channel });
  });
  return () => page.evaluate(() => (window as unknown as { heard: number[] }).heard);
}

describe("live pages", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  const feedOf = async (run: string): Promise<number[]> =>
    (await ann.get(`/runs/${run}/events?limit=1000`)).items.map((e: { feed: number }) => e.feed);
  const connected = (page: Page) => page.getByRole("status").filter({ hasText: /^Live$/ });
  const lost = (page: Page) => page.getByRole("status").filter({ hasText: /^Connection lost/ });

  story("a server killed under an open page comes back: no gap, no duplicate, nothing to reload", async () => {
    const page = await at.open("/inbox", { as: ann });
    await see(connected(page));
    const ear = await at.open("/insights", { beside: page });
    const heard = await listen(ear);
    const before = await ann.asked("refund", { customer: "Before", amount: 10 });
    await see(page.locator(`[data-row="${before.id}"]`));
    let after = "";
    await at.guard(ear).inTheDark(() =>
      at.guard(page).inTheDark(async () => {
        await at.server.kill();
        await see(lost(page));
        await at.server.restart();
        // These happen before the page has noticed that the server is back.
        after = await ann.start("refund", { customer: "After", amount: 20 });
        await ann.approvalOf(after);
        await see(connected(page));
      }),
    );
    const asked = await ann.approvalOf(after);
    await see(page.locator(`[data-row="${asked.id}"]`));
    const last = await ann.asked("refund", { customer: "Last", amount: 30 });
    await see(page.locator(`[data-row="${last.id}"]`));
    const wanted = [...(await feedOf(before.run)), ...(await feedOf(after)), ...(await feedOf(last.run))];
    await until("all events", async () => {
      const got = new Set(await heard());
      return wanted.every((n) => got.has(n));
    });
    const got = await heard();
    expect(got.length, "each event once").toBe(new Set(got).size);
    expect(got, "in their order").toEqual([...got].sort((a, b) => a - b));
  });

  story("a decision goes through although the server was away when it was made", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 10 });
    const page = await at.open(`/approvals/${asked.id}`, { as: ann });
    const approve = page.getByRole("button", { name: "Approve" });
    await until("everything to be shown", () => approve.isEnabled()); // without the server, nothing more comes
    await at.guard(page).inTheDark(async () => {
      await at.server.kill();
      await see(lost(page));
      await approve.click();
      await see(page.getByRole("alert"));
      await at.look(page);
      await at.server.restart();
      await page.evaluate(() => window.dispatchEvent(new Event("online"))); // at once, not when its patience is over
      await see(connected(page));
    });
    await page.getByRole("button", { name: "Try again" }).or(approve).first().click();
    await says(page.getByRole("region", { name: "How it ended" }), "You approved this");
    expect((await ann.settled(asked.id)).decisions.length).toBe(1);
  });

  story("eight tabs share one stream, and one takes over when the first is closed", async () => {
    const streams = new Set<Page>();
    const watch = (page: Page) =>
      page.on("request", (request) => {
        if (request.url().includes("/api/v1/events")) streams.add(page);
      });
    const first = await at.open("/runs", { as: ann });
    const tabs = [first];
    for (let i = 1; i < 8; i++) {
      const tab = await at.open(i % 2 ? "/inbox" : "/runs", { beside: first });
      watch(tab);
      tabs.push(tab);
    }
    for (const tab of tabs) await see(connected(tab));
    expect(streams.size, "tabs with a stream of their own, beside the first").toBe(0);
    const one = await ann.asked("refund", { customer: "Iben", amount: 11 });
    for (const tab of tabs) await seeIn(tab, one);
    await first.close();
    const two = await ann.asked("refund", { customer: "Iben", amount: 12 });
    for (const tab of tabs.slice(1)) await seeIn(tab, two);
    expect(streams.size, "tabs with a stream after the first was closed").toBe(1);
    await gone(lost(tabs[1] as Page));
  });
});

const seeIn = (page: Page, asked: { id: string; run: string }) =>
  see(page.locator(page.url().includes("/inbox") ? `[data-row="${asked.id}"]` : `[data-run="${asked.run}"]`));
