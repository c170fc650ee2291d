import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import {
  becomes,
  decideByKey,
  focused,
  gone,
  leadsTo,
  type Person,
  patiently,
  says,
  see,
  stage,
  story,
  until,
} from "./harness";

const rows = "[data-row]";

describe("the inbox", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  /** Settles whatever waits, so that each story begins with what it brings. */
  const clear = async () => {
    const { items } = await at.admin.get("/approvals?status=pending&limit=200");
    const runs = [...new Set(items.map((a: { run: string }) => a.run))];
    await Promise.all(
      runs.map((run) => at.admin.post(`/runs/${run}/commands`, { type: "cancel", reason: "next story" })),
    );
    await until("an empty inbox", async () => (await at.admin.get("/approvals?status=pending&limit=1")).total === 0);
  };
  /** Waits until the pane beside the list shows an approval with its answers. */
  const inPane = (page: Page, id: string) =>
    see(page.locator(`aside[data-preview] [data-decides="${id}"]`).getByRole("button", { name: /^Approve/ }));
  const notes = async (who: Person, count: number) => {
    const out = [];
    for (let i = 1; i <= count; i++) out.push(await who.asked("note", { text: `Note ${i}` }));
    return out;
  };

  story("is clear, and what is asked arrives by itself", async () => {
    await clear();
    const page = await at.open("/inbox", { as: ann });
    await see(page.getByRole("heading", { name: "All clear" }));
    await at.look(page);
    await ann.asked("refund", { customer: "Iben", amount: 120 });
    await see(page.locator(rows).filter({ hasText: "Pay the refund?" }));
    await says(page.locator("main"), "1 decision waiting");
  });

  story("keeps filter and order in the address, and says what the filter hides", async () => {
    await clear();
    await ann.asked("refund", { customer: "Iben", amount: 120 });
    await ann.asked("wipe");
    await ann.asked("route");
    const page = await at.open("/inbox", { as: ann });
    await until("three rows", async () => (await page.locator(rows).count()) === 3);
    // By mouse.
    await page.getByRole("button", { name: /^Critical/ }).click();
    await leadsTo(page, /risk=critical/);
    await until("one row", async () => (await page.locator(rows).count()) === 1);
    await page.getByRole("button", { name: "Remove the filter Critical risk" }).click();
    // By keyboard.
    await page.keyboard.press("/");
    await page.keyboard.type("choice");
    await page.keyboard.press("Enter");
    await leadsTo(page, /kind=choice/);
    await until("one row", async () => (await page.locator(rows).count()) === 1);
    await see(page.locator(rows).filter({ hasText: "Which way?" }));
    await page.getByRole("combobox", { name: "Order" }).selectOption("Longest waiting first");
    await leadsTo(page, /sort=age/);
    // Back takes back one after the other, and stays here.
    await page.goBack();
    await leadsTo(page, /^\/inbox\?kind=choice$/);
    await page.goBack();
    await page.goBack();
    await leadsTo(page, /^\/inbox\?risk=critical$/);
    await until("one row", async () => (await page.locator(rows).count()) === 1);
    await page.goBack();
    await until("three rows", async () => (await page.locator(rows).count()) === 3);
    // The address is all it takes.
    const again = await at.open("/inbox?risk=low&sort=deadline", { beside: page });
    await see(again.getByRole("heading", { name: "Your filter hides 3" }));
    await at.look(again);
    await again.getByRole("button", { name: "Clear the filter" }).click();
    await until("three rows", async () => (await again.locator(rows).count()) === 3);
    await leadsTo(again, /sort=deadline/);
  });

  story("is decided by keyboard alone: J K X A R E C Z ?", async () => {
    await clear();
    const [first, second, third] = await notes(ann, 3);
    const page = await at.open("/inbox?sort=age", { as: ann, undo: true });
    await until("three rows", async () => (await page.locator(rows).count()) === 3);
    const here = () => page.locator("[data-row]:has([aria-current])").getAttribute("data-row");
    await page.keyboard.press("j");
    await becomes(here, first.id);
    await see(page.locator("aside[data-preview]").getByText("Keep this note?"));
    await page.keyboard.press("j");
    await becomes(here, second.id);
    await page.keyboard.press("k");
    await becomes(here, first.id);
    await inPane(page, first.id);
    // A approves, Z takes it back before it is sent.
    await patiently(page, async () => {
      await decideByKey(page);
      await see(page.getByText(/Approving in \d s/));
      await page.keyboard.press("z");
      await gone(page.getByText(/Approving in \d s/));
    });
    expect((await ann.get(`/approvals/${first.id}`)).status).toBe("pending");
    // C remarks.
    await page.keyboard.press("c");
    await page.getByRole("dialog").getByRole("textbox", { name: "Comment" }).fill("Who asked for this?");
    await at.look(page);
    await page.keyboard.press("Control+Enter");
    await until("the comment", async () => (await ann.get(`/approvals/${first.id}`)).comments.length === 1);
    await gone(page.getByRole("dialog"));
    // R rejects, with a reason.
    await page.keyboard.press("r");
    await focused(page.getByRole("dialog", { name: "Reject" }).getByRole("textbox"));
    await page.keyboard.press("Control+Enter");
    await see(page.getByText("Enter a reason."));
    await page.getByRole("textbox", { name: "Why" }).fill("Not needed");
    await page.keyboard.press("Control+Enter");
    const rejected = await ann.settled(first.id);
    expect([rejected.status, rejected.outcome.comment]).toEqual(["rejected", "Not needed"]);
    // E opens the form beside the list.
    await until("the cursor to move on", async () => (await here()) !== first.id);
    await page.keyboard.press("e");
    const text = page.locator("aside[data-preview]").getByRole("textbox", { name: /^Text/ });
    await text.fill("Better words");
    await page.keyboard.press("Control+Enter");
    const changed = await until("a change", async () => {
      const both = await Promise.all([ann.get(`/approvals/${second.id}`), ann.get(`/approvals/${third.id}`)]);
      return both.find((a) => a.status === "modified");
    });
    expect(changed.proposed.text).toBe("Better words");
    // X chooses, once the form has closed: until then keys are letters.
    await says(page.locator("aside[data-preview]"), "You changed and approved this");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await see(page.getByText("1 selected"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await see(help);
    for (const key of ["Open", "Select, to decide several", "Approve", "Reject, with a reason", "Comment"]) {
      await see(help.getByText(`${key} · at a row`));
    }
    await at.look(page);
  });

  story("opens an approval by Enter, by a double click and from the pane, and comes back to its row", async () => {
    await clear();
    const [, second] = await notes(ann, 3);
    const page = await at.open("/inbox?sort=age", { as: ann });
    await until("three rows", async () => (await page.locator(rows).count()) === 3);
    const here = page.locator("[data-row]:has([aria-current])");
    const opened = new RegExp(`^/approvals/${second.id}`);
    const back = async () => {
      await leadsTo(page, opened);
      await page.goBack();
      await leadsTo(page, /^\/inbox\?sort=age/);
      await becomes(() => here.getAttribute("data-row"), second.id);
    };
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await becomes(() => here.getAttribute("data-row"), second.id);
    await page.keyboard.press("Enter");
    await back();
    await page.locator(`[data-row="${second.id}"]`).dblclick({ position: { x: 200, y: 20 } });
    await back();
    await page.locator("aside[data-preview]").getByRole("link", { name: "Open" }).click();
    await back();
    await at.look(page);
  });

  story("has the keys that the pane shows: a typed word for what is critical, digits for a choice", async () => {
    await clear();
    const wipe = await ann.asked("wipe");
    const route = await ann.asked("route");
    const page = await at.open("/inbox?sort=age", { as: ann });
    await until("two rows", async () => (await page.locator(rows).count()) === 2);
    const pane = page.locator("aside[data-preview]");
    await page.keyboard.press("j");
    await see(pane.getByRole("button", { name: /^Approve/ }));
    await decideByKey(page);
    const dialog = page.getByRole("dialog", { name: "This is critical" });
    await see(dialog);
    expect((await ann.get(`/approvals/${wipe.id}`)).status).toBe("pending");
    await focused(dialog.getByRole("textbox"));
    await page.keyboard.type((await dialog.locator("code").textContent()) ?? "");
    await page.keyboard.press("Enter");
    expect((await ann.settled(wipe.id)).status).toBe("approved");
    await gone(dialog);
    await page.keyboard.press("j");
    await see(pane.getByRole("radio"));
    await page.keyboard.press("2");
    await see(pane.getByRole("radio", { checked: true }));
    await decideByKey(page);
    const chosen = await ann.settled(route.id);
    expect([chosen.status, chosen.outcome.option]).toEqual(["chosen", route.options[1].value]);
  });

  story("decides one row for one press, however long", async () => {
    await clear();
    const [first] = await notes(ann, 4);
    const page = await at.open("/inbox?sort=age", { as: ann, undo: true });
    await until("four rows", async () => (await page.locator(rows).count()) === 4);
    const here = () => page.locator("[data-row]:has([aria-current])").getAttribute("aria-posinset");
    await page.keyboard.press("j");
    await inPane(page, first.id);
    const held = page.locator(rows).getByText(/Approving in \d s/);
    await patiently(page, async () => {
      await decideByKey(page, async () => {
        for (let i = 0; i < 5; i++) await page.keyboard.down("a"); // held: all but the first repeat
        await page.keyboard.up("a");
      });
      await see(held);
      await becomes(here, "2");
      expect(await held.count()).toBe(1);
      await page.keyboard.press("z");
      await gone(held);
    });
    for (let i = 0; i < 3; i++) await page.keyboard.down("j");
    await page.keyboard.up("j");
    await until("the last row", async () => (await here()) === "4");
  });

  story("sends a held decision after five seconds, and when the page is left", async () => {
    await clear();
    const [first, second] = await notes(ann, 2);
    const page = await at.open("/inbox?sort=age", { as: ann, undo: true });
    await see(page.locator(rows));
    await page.keyboard.press("j");
    await inPane(page, first.id);
    await decideByKey(page);
    await see(page.getByText(/Approving in \d s/));
    expect((await ann.settled(first.id)).status).toBe("approved");
    await page.keyboard.press("j");
    await inPane(page, second.id);
    await page.evaluate(() => void Object.assign(window, { patient: true })); // else five seconds may have passed
    await decideByKey(page);
    await see(page.getByText(/Approving in \d s/));
    await page.close();
    expect((await ann.settled(second.id)).status).toBe("approved");
  });

  story("decides many alike together and says what became of each", async () => {
    await clear();
    const asked = await notes(ann, 5);
    await ann.asked("wipe");
    const page = await at.open("/inbox?sort=age", { as: ann });
    await until("six rows", async () => (await page.locator(rows).count()) === 6);
    await page.getByRole("checkbox", { name: "Select Keep this note?" }).first().click();
    await page.getByRole("checkbox", { name: "Select Delete the archive?" }).click();
    await see(page.getByText("critical risk, which is decided one by one"));
    await page.getByRole("button", { name: "Keep those like the first" }).click();
    await page.getByRole("button", { name: "All 5 like these" }).click();
    await page.getByRole("button", { name: "Approve 5" }).click();
    const dialog = page.getByRole("dialog");
    await see(dialog.getByText("cannot be undone"));
    const what = dialog.getByRole("list", { name: "What is decided" });
    for (let i = 1; i <= 5; i++) await see(what.getByText(`Note ${i}`));
    await at.look(page);
    // Keys that were meant for the list decide nothing.
    await focused(dialog.getByRole("textbox"));
    await page.keyboard.press("Enter");
    // Somebody is faster with one of them: it leaves.
    const bob = at.person("bob", "approver");
    await bob.decide(asked[2].id, "reject", { comment: "no" });
    await says(dialog.getByRole("status"), /left out:bob rejected this: Keep this note\? · Note 3/);
    await see(page.getByRole("dialog", { name: "Approve 4" }));
    await gone(what.getByText("Note 3"));
    await at.look(page);
    expect((await ann.get(`/approvals/${asked[0].id}`)).status).toBe("pending");
    await page.keyboard.press("Control+Enter");
    await says(dialog.getByRole("status"), /4 approved.*0 skipped.*0 failed/);
    await at.look(page);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect((await ann.settled(asked[2].id)).outcome.by).toBe("bob");
    await until("one row", async () => (await page.locator(rows).count()) === 1);
  });

  story("tells honestly who was first", async () => {
    await clear();
    const [note] = await notes(ann, 1);
    const page = await at.open("/inbox", { as: ann, undo: true });
    await see(page.locator(rows));
    await page.keyboard.press("j");
    await inPane(page, note.id);
    await patiently(page, async () => {
      await decideByKey(page);
      await see(page.getByText(/Approving in \d s/));
      await at.person("maria", "approver").decide(note.id, "reject", { comment: "too high" });
      await see(page.getByText("maria rejected this first"));
    });
    expect((await ann.get(`/approvals/${note.id}`)).status).toBe("rejected");
  });

  story(
    "shows what a run asks alike as one row: each reviewed, or all approved with a list, outliers out",
    async () => {
      await clear();
      const write = (i: number) => ({
        tool: "write_file",
        args: { path: `pages/page-${i}.md`, content: i === 7 ? "Another text" : "Draft" },
      });
      const turns = [{ calls: Array.from({ length: 16 }, (_, i) => write(i)) }, { answer: { made: 16 } }];
      const scribe = { agent: "scribe", kind: "llm", provider: "scripted", tools: ["write_file"], turns };
      await at.admin.send("PUT", "/agents/scribe", scribe);
      await at.admin.send("PUT", "/workflows/guide?publish=true", {
        workflow: "guide",
        steps: [{ id: "write", agent: "scribe" }],
      });
      await ann.start("guide");
      await until("16 approvals", async () => (await ann.get("/approvals?status=pending&limit=1")).total === 16);
      const page = await at.open("/inbox", { as: ann });
      const group = page.locator(rows).filter({ hasText: "15 × Write file" });
      await see(group);
      await says(page.locator("main"), "16 decisions waiting");
      await until("two rows", async () => (await page.locator(rows).count()) === 2);
      await see(page.locator(rows).filter({ hasText: "pages/page-7.md" }));
      await group.click();
      await see(page.locator("aside[data-preview]").getByText("Write the file pages/page-15.md"));
      await at.look(page);
      // Each by itself.
      await page.keyboard.press("ArrowRight");
      await until("a row for each", async () => (await page.locator(rows).count()) > 9);
      await see(page.locator("aside[data-preview]").getByRole("button", { name: "Approve" }));
      await at.look(page);
      await page.keyboard.press("ArrowLeft");
      await see(group);
      // All that are alike, and those alone.
      await page.locator("aside[data-preview]").getByRole("button", { name: "Approve 15" }).click();
      const dialog = page.getByRole("dialog", { name: "Approve 15" });
      await see(dialog.getByText("pages/page-15.md"));
      expect(await dialog.getByText("pages/page-7.md").count()).toBe(0);
      await dialog.getByRole("button", { name: "Approve 15" }).click();
      await see(page.getByText("15 approved"));
      await page.getByRole("button", { name: "Done" }).click();
      await until("the outlier alone", async () => (await page.locator(rows).count()) === 1);
      const { items } = await ann.get("/approvals?status=pending");
      expect(items.map((a: { proposed: { path: string } }) => a.proposed.path)).toEqual(["pages/page-7.md"]);
    },
  );

  story("shows a long title to its last word, on a desktop and on a phone", async () => {
    await clear();
    const title = "Transfer the remaining 12,400.00 EUR of the spring campaign to the agency in Rotterdam?";
    await at.admin.send("PUT", "/workflows/long-title?publish=true", {
      workflow: "long-title",
      steps: [{ id: "go", agent: "keeper" }],
      gates: [{ id: "ok", at: "before go", title }],
    });
    await ann.asked("long-title");
    for (const view of ["desktop", "phone"] as const) {
      const page = await at.open("/inbox", { as: ann, view });
      const shown = page.locator(rows).getByText(title);
      await see(shown);
      const whole = await shown.evaluate((e) => {
        const box = e.parentElement as HTMLElement;
        return box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;
      });
      expect(whole, view).toBe(true);
    }
  });

  // The last: settling so many takes longer than all the others.
  story("scrolls through 2,000", async () => {
    await clear();
    const left = Array.from({ length: 2000 }, (_, i) => i);
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        for (let i = left.pop(); i !== undefined; i = left.pop()) await ann.start("note", { text: `Note ${i}`, n: i });
      }),
    );
    await until(
      "2,000 waiting",
      async () => (await ann.get("/approvals?status=pending&limit=1")).total >= 1000,
      300_000,
    );
    const page = await at.open("/inbox?sort=age", { as: ann });
    await see(page.locator(rows));
    await until("all", async () => (await page.locator(rows).first().getAttribute("aria-setsize")) === "2000");
    const drawn = await page.locator(rows).count();
    expect(drawn, "only what can be seen is drawn").toBeLessThan(60);
    const scroller = page.locator("[data-inbox-scroller]");
    await scroller.evaluate((e) => e.scrollTo({ top: e.scrollHeight }));
    await see(page.locator('[data-row][aria-posinset="2000"]'));
    await scroller.evaluate((e) => e.scrollTo({ top: e.scrollHeight / 2 }));
    await see(page.locator('[data-row][aria-posinset="1005"]'));
  });
});
