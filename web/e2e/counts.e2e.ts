import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { gone, type Json, says, see, stage, story, until } from "./harness";

const rows = "[data-row]";

/** The numbers of the inbox are true, beyond what fits into one answer of the server as well. */
describe("the inbox counts", () => {
  const at = stage();
  const ann = at.person("ann", "approver");
  const bob = at.person("bob", "approver");

  const clear = async () => {
    const { items } = await at.admin.get("/approvals?status=pending&limit=1000");
    const runs = [...new Set(items.map((a: Json) => a.run))];
    await Promise.all(
      runs.map((run) => at.admin.post(`/runs/${run}/commands`, { type: "cancel", reason: "next story" })),
    );
    await until("an empty inbox", async () => (await at.admin.get("/approvals?status=pending&limit=1")).total === 0);
  };
  const pending = async () => (await at.admin.get("/approvals?status=pending&limit=1")).total;
  const publish = (workflow: Json) => at.admin.send("PUT", `/workflows/${workflow.workflow}?publish=true`, workflow);
  /** A workflow that asks once. */
  const asking = (workflow: string, title: string, gate: object = {}, step: object = {}) =>
    publish({
      workflow,
      steps: [{ id: "go", agent: "keeper", ...step }],
      gates: [{ id: "ok", at: "before go", title, on_reject: "cancel", ...gate }],
    });
  const titles = (page: Page) =>
    page.locator(rows).evaluateAll((all) => all.map((row) => row.querySelector("a")?.textContent ?? ""));

  story("as mine everything that I could answer, and nothing else", async () => {
    await clear();
    await asking("for-managers", "For managers", { role: "manager" });
    await asking("for-both", "For approvers or managers", { assignees: ["role:approver", "role:manager"] });
    for (let i = 0; i < 3; i++) await bob.asked("refund", { customer: "Iben", amount: 10 + i }); // role approver
    for (let i = 0; i < 4; i++) await bob.asked("note", { text: `Note ${i}` }); // anyone
    for (let i = 0; i < 2; i++) await bob.asked("for-both");
    for (let i = 0; i < 5; i++) await bob.asked("for-managers");
    await ann.asked("contract"); // not by the requester: two have to agree
    await bob.asked("contract");
    // Handed over by name, whatever the role.
    const max = at.person("max", "manager");
    await asking("handed", "Handed over", { role: "manager", acts: ["approve", "reject", "delegate"] });
    await max.decide((await max.asked("handed")).id, "delegate", { to: "ann" });
    const counted = async (who: typeof ann, mine: number, all: number) => {
      const page = await at.open("/inbox", { as: who });
      await says(page.locator("main"), `${all} decisions waiting`);
      await see(page.getByRole("button", { name: new RegExp(`^Mine\\s*${mine}$`) }));
      await page.getByRole("button", { name: /^Mine/ }).click();
      await says(page.locator("main"), `${mine} decisions for your filter`);
      await until(`${mine} rows`, async () => (await page.locator(rows).count()) === mine);
      const { items } = await who.get("/approvals?status=pending&limit=1000");
      expect(items.filter((a: Json) => a.acts.length > 0).length, "what can be answered").toBe(mine);
      return page;
    };
    const page = await counted(ann, 3 + 4 + 2 + 1 + 1, 17);
    expect((await titles(page)).filter((title) => title.includes("For managers"))).toEqual([]);
    await counted(at.admin, 17, 17);
  });

  story("in the order of what happens without an answer, and when", async () => {
    await clear();
    const soon = (then: string, after = "17m") => ({ timeout: { after, then } });
    await asking("ripe", "Approves itself", soon("approve"), { risk: "low" });
    await asking("ripe-later", "Approves itself tomorrow", soon("approve", "24h"), { risk: "low" });
    await asking("ending", "Ends the run", soon("cancel"), { risk: "medium" });
    await asking("grave", "Grave, without a deadline", {}, { risk: "critical" });
    await asking("high", "High, without a deadline", {}, { risk: "high" });
    await asking("pausing", "Medium, pauses in a month", soon("pause", "720h"), { risk: "medium" });
    // The least urgent are the oldest.
    for (const name of ["pausing", "note", "high", "grave", "ending", "ripe-later", "ripe"])
      await ann.asked(name, name === "note" ? { text: "Low, without a deadline" } : {});
    const page = await at.open("/inbox", { as: ann });
    await until("seven rows", async () => (await page.locator(rows).count()) === 7);
    const order = async () =>
      (await titles(page)).map(
        (text) =>
          [
            "Approves itself tomorrow",
            "Approves itself",
            "Ends the run",
            "Grave",
            "High",
            "Keep this note?",
            "Medium",
          ].find((title) => text.includes(title)) ?? text,
      );
    expect(await order()).toEqual([
      "Approves itself",
      "Approves itself tomorrow",
      "Ends the run",
      "Grave",
      "High",
      "Keep this note?",
      "Medium",
    ]);
    await says(page.locator(rows).first(), /Approves in 1[0-7]/);
    await at.look(page);
    // By age, the same list is the other way round.
    await page.getByRole("combobox", { name: "Order" }).selectOption("Longest waiting first");
    await until("the oldest first", async () => (await order())[0] === "Medium");
    expect((await order()).at(-1)).toBe("Approves itself");
  });

  story("all that are alike, beyond a page of them, with what they amount to", async () => {
    await clear();
    const left = Array.from({ length: 250 }, (_, i) => i + 1);
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let i = left.shift(); i !== undefined; i = left.shift())
          await bob.start("refund", { customer: `Customer ${i}`, amount: i });
      }),
    );
    for (let i = 0; i < 3; i++) await bob.start("note", { text: `Note ${i}` });
    await until("all of them", async () => (await pending()) === 253);
    const page = await at.open("/inbox", { as: ann });
    await says(page.locator("main"), "253 decisions waiting");
    await page
      .getByRole("checkbox", { name: /^Select Pay the refund\?/ })
      .first()
      .click();
    await page.getByRole("button", { name: "All like these" }).click();
    await see(page.getByText("250 selected"));
    await page.getByRole("button", { name: "Approve 250" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve 250" });
    await see(dialog);
    await says(dialog.locator("dl"), /Amount in all\s*31,375/);
    const decided = dialog.getByRole("list", { name: "What is decided" });
    await until("all of them in the list", async () => (await decided.getByRole("listitem").count()) === 250);
    await at.look(page);
    await dialog.getByRole("button", { name: "Approve 250" }).click();
    await says(page.getByRole("dialog").getByRole("status"), /250 approved.*0 skipped.*0 failed/);
    await page.getByRole("button", { name: "Done" }).click();
    await says(page.locator("main"), "3 decisions waiting");
    expect(await pending()).toBe(3);
  });

  story("a group beyond a page: its title, its members and its answer", async () => {
    await clear();
    const write = (i: number) => ({ tool: "write_file", args: { path: `pages/page-${i}.md`, content: "Draft" } });
    const turns = [{ calls: Array.from({ length: 120 }, (_, i) => write(i + 1)) }, { answer: { made: 120 } }];
    const scribe = { agent: "scribe", kind: "llm", provider: "scripted", tools: ["write_file"], turns };
    await at.admin.send("PUT", "/agents/scribe", scribe);
    await publish({ workflow: "guide", steps: [{ id: "write", agent: "scribe" }] });
    await ann.start("guide");
    await until("all of them", async () => (await pending()) === 120);
    const page = await at.open("/inbox", { as: ann });
    await says(page.locator("main"), "120 decisions waiting");
    const group = page.locator(rows).filter({ hasText: "120 ×" });
    await see(group);
    await until("one row", async () => (await page.locator(rows).count()) === 1);
    await group.click();
    const pane = page.locator("aside[data-preview]");
    await see(pane.getByRole("heading", { name: /^120 ×/ }));
    await until("each of them", async () => (await pane.getByRole("listitem").count()) === 120);
    await at.look(page);
    await pane.getByRole("button", { name: "Approve 120" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve 120" });
    await see(dialog.getByText("pages/page-120.md"));
    await dialog.getByRole("button", { name: "Approve 120" }).click();
    await says(page.getByRole("dialog").getByRole("status"), /120 approved/);
    await page.getByRole("button", { name: "Done" }).click();
    await see(page.getByRole("heading", { name: "All clear" }));
    await gone(page.locator(rows));
    expect(await pending()).toBe(0);
  });
});
