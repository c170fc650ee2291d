import { describe, expect } from "vitest";
import { leadsTo, says, see, stage, story, until } from "./harness";

describe("on a phone, by thumb", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  story("from the inbox to a decision and on to the next", async () => {
    const first = await ann.asked("refund", { customer: "Iben", amount: 120 });
    await ann.asked("refund", { customer: "Olav", amount: 80 });
    const page = await at.open("/inbox?sort=age", { as: ann, view: "phone" });
    await see(page.locator("[data-row]"));
    await at.look(page);
    await page.locator(`[data-row="${first.id}"]`).tap({ position: { x: 150, y: 30 } });
    await leadsTo(page, /^\/approvals\//);
    const approve = page.getByRole("button", { name: "Approve" });
    await see(approve);
    const box = await approve.boundingBox();
    expect(box && box.y + box.height, "the bar is in thumb reach").toBeGreaterThan(844 * 0.75);
    await at.look(page);
    await approve.tap();
    await says(page.getByRole("region", { name: "How it ended" }), "You approved this");
    await page.getByRole("link", { name: /Next in inbox/ }).tap();
    await see(page.getByText("Olav").first());
  });

  story("rejects with a reason and changes a form", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 120 });
    const page = await at.open(`/approvals/${asked.id}`, { as: ann, view: "phone" });
    await page.getByRole("button", { name: "Edit" }).tap();
    await page.getByRole("textbox", { name: /^Customer/ }).fill("Ibsen");
    const size = await page
      .getByRole("textbox", { name: /^Customer/ })
      .evaluate((e) => Number.parseFloat(getComputedStyle(e).fontSize));
    expect(size, "smaller texts in fields make phones zoom").toBeGreaterThanOrEqual(16);
    await at.look(page);
    await page.getByRole("button", { name: "Discard" }).tap();
    await page.getByRole("button", { name: "Reject" }).tap();
    await page.getByRole("textbox", { name: "Why" }).fill("No");
    await at.look(page);
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).tap();
    await says(page.getByRole("region", { name: "How it ended" }), "You rejected this");
  });

  story("the bar at the bottom goes everywhere", async () => {
    const run = await ann.start("pipeline");
    await ann.approvalOf(run);
    const page = await at.open("/inbox", { as: ann, view: "phone" });
    const bar = page.getByRole("navigation", { name: "Main" }).last();
    await bar.getByRole("link", { name: "Runs" }).tap();
    await leadsTo(page, /^\/runs/);
    const card = page.locator(`a[href="/runs/${run}"]`);
    await see(card);
    await at.look(page);
    await card.tap();
    await leadsTo(page, /^\/runs\/run_/);
    await page
      .getByRole("list", { name: "Steps" })
      .getByRole("button", { name: /^Collect/ })
      .first()
      .tap();
    await see(page.getByRole("dialog"));
    await at.look(page);
    await page.keyboard.press("Escape");
    await bar.getByRole("link", { name: "Deliverables" }).tap();
    await leadsTo(page, /^\/deliverables/);
    await bar.getByRole("button", { name: "More" }).tap();
    await see(page.getByRole("dialog", { name: "More" }));
    await at.look(page);
    await page.getByRole("dialog").getByRole("link", { name: "Insights" }).tap();
    await leadsTo(page, /^\/insights/);
  });

  story("chooses several and decides them together", async () => {
    for (let i = 0; i < 3; i++) await ann.asked("note", { text: `Note ${i}` });
    const page = await at.open("/inbox?workflow=note", { as: ann, view: "phone" });
    await until("three", async () => (await page.locator("[data-row]").count()) === 3);
    await page.getByRole("checkbox").first().tap();
    await page.getByRole("button", { name: /All 3/ }).tap();
    await at.look(page);
    await page.getByRole("button", { name: "Approve 3" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Approve 3" }).tap();
    await says(page.getByRole("dialog").getByRole("status"), "3 approved");
  });

  story("rows of the history stand in line, whatever they hold", async () => {
    const bare = await ann.asked("pipeline"); // no risk
    await ann.decide(bare.id, "approve");
    const rejected = await ann.asked("refund", { customer: "Olav", amount: 40 });
    await ann.decide(rejected.id, "reject", { comment: "Too high." });
    const changed = await ann.asked("refund", { customer: "Signe", amount: 300 });
    await ann.decide(changed.id, "modify", { changes: { amount: 250 } });
    const page = await at.open("/history", { as: ann, view: "phone" });
    for (const { id } of [bare, rejected, changed]) await see(page.locator(`a[href$="${id}"]`));
    const lasts = await page.locator("main li").evaluateAll((rows) =>
      rows.map((row) => {
        const time = [...row.querySelectorAll("p")].at(-1);
        const [box, who, when] = [row.firstElementChild, time?.previousElementSibling, time].map(
          (e) => e?.getBoundingClientRect() ?? new DOMRect(),
        ) as [DOMRect, DOMRect, DOMRect];
        return [who.left - box.left, box.bottom - who.bottom, box.right - when.right, box.bottom - when.bottom].map(
          Math.round,
        );
      }),
    );
    expect(lasts.length).toBeGreaterThanOrEqual(3);
    for (const last of lasts) expect(last).toEqual(lasts[0]);
  });
});
