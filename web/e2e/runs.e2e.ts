import { describe, expect } from "vitest";
import { gone, leadsTo, says, see, stage, story, until } from "./harness";

describe("the list of runs", () => {
  const at = stage();
  const ann = at.person("ann");

  story("is filtered by status and workflow, in the address, and kept as a view", async () => {
    const done = await ann.start("plain");
    const failed = await ann.start("fragile");
    await Promise.all([ann.reaches(done, "completed"), ann.reaches(failed, "failed")]);
    const page = await at.open("/runs", { as: ann });
    const row = (id: string) => page.locator(`[data-run="${id}"]`);
    await see(row(done));
    await see(row(failed));
    await see(page.getByText("The file is not a picture."));
    await at.look(page);
    await page.getByRole("button", { name: /Any status/ }).click();
    await page.getByRole("menu").getByText("Failed", { exact: true }).click();
    await leadsTo(page, /status=failed/);
    await gone(row(done));
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Workflow" }).click();
    await page.getByRole("option", { name: "Fragile" }).click();
    await leadsTo(page, /workflow=fragile/);
    await page.getByRole("button", { name: "Keep as a view" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Broken ones");
    await at.look(page);
    await page.keyboard.press("Enter");
    await see(page.getByRole("button", { name: "Broken ones", exact: true }));
    // It is there again in another tab of the same browser.
    const other = await at.open("/runs", { beside: page });
    await other.getByRole("button", { name: "Broken ones", exact: true }).click();
    await leadsTo(other, /status=failed/);
    await see(other.locator(`[data-run="${failed}"]`));
    await gone(other.locator(`[data-run="${done}"]`));
  });

  story("starts a run by form, with what is wrong said first", async () => {
    const page = await at.open("/runs", { as: ann });
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "Start a run" });
    await dialog.getByRole("combobox").first().click();
    await page.getByRole("option", { name: "Refund" }).click();
    await at.look(page);
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await see(dialog.getByText(/another look/));
    await dialog.getByRole("button", { name: "As JSON" }).click();
    await dialog.getByRole("textbox", { name: "Input as JSON" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type('{ "customer": "Olav", "amount": 3 }');
    await dialog.getByRole("button", { name: "As a form" }).click();
    await dialog.getByRole("textbox", { name: /^Customer/ }).fill("Iben");
    await dialog.getByRole("textbox", { name: /^Amount/ }).fill("12.50");
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await leadsTo(page, /^\/runs\/run_/);
    const id = page.url().split("/").at(-1)?.split("?")[0] ?? "";
    const asked = await ann.approvalOf(id);
    expect(asked.proposed.customer).toBe("Iben");
    await see(page.getByText("Pay the refund?").first());
  });

  story("is where it was, coming back from a run", async () => {
    for (let i = 0; i < 40; i++) await ann.start("plain");
    const page = await at.open("/runs", { as: ann });
    const list = page.locator("[data-keep-scroll=runs]");
    await see(page.locator("[data-run]"));
    await list.evaluate((box) => box.scrollTo({ top: 300 }));
    await page.locator("[data-run]").nth(12).dispatchEvent("click"); // a click would scroll to it first
    await leadsTo(page, /^\/runs\/run_/);
    await page.goBack();
    await see(page.locator("[data-run]"));
    await until("the place", async () => (await list.evaluate((box) => box.scrollTop)) === 300);
    await list.evaluate((box) => box.scrollTo({ top: 0 })); // axe takes what lies under the head of the table for a neighbour
  });

  story("shows new runs and how they go on, live", async () => {
    const page = await at.open("/runs", { as: ann });
    const id = await ann.start("note", { text: "live" });
    const row = page.getByRole("row").filter({ has: page.locator(`[data-run="${id}"]`) });
    await says(row, "Waiting");
    await at.admin.decide((await ann.approvalOf(id)).id, "approve");
    await says(row, /Completed|Done/);
  });

  story("cancels many, after it has said how many", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await ann.start("note", { text: `n ${i}` }));
    for (const id of ids) await ann.approvalOf(id);
    const page = await at.open("/runs?status=waiting&workflow=note", { as: ann });
    for (const id of ids) await see(page.locator(`[data-run="${id}"]`));
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await see(page.getByText("1 run selected"));
    await page.getByRole("checkbox", { name: "Select all that are loaded" }).click();
    await see(page.getByText("3 runs selected"));
    await page.getByRole("button", { name: "Cancel…" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel the selected runs?" });
    await says(dialog, /3 runs would be cancelled.*3 open decisions would close/s);
    await at.look(page);
    await dialog.getByRole("textbox", { name: /Why/ }).fill("Tidying up");
    await dialog.getByRole("button", { name: "Cancel 3 runs" }).click();
    await says(page.getByRole("dialog").getByRole("status"), "3 runs cancelled");
    for (const id of ids) expect((await ann.reaches(id, "cancelled")).status).toBe("cancelled");
  });

  story("says what a run waits for in its sub-run", async () => {
    const id = await ann.start("outer");
    await ann.reaches(id, "waiting");
    const page = await at.open("/runs?workflow=outer", { as: ann });
    const row = page.getByRole("row").filter({ has: page.locator(`[data-run="${id}"]`) });
    await says(row, "In a sub-run: Keep this note?");
    await says(row, "Anyone");
    await at.look(page);
  });

  story("on a phone has its filters behind a button, and room for what is selected", async () => {
    const id = await ann.start("note", { text: "small" });
    await ann.approvalOf(id);
    const page = await at.open("/runs", { as: ann, view: "phone" });
    const status = page.getByRole("button", { name: /Any status/ });
    await see(page.locator(`a[href$="${id}"]`));
    await gone(status);
    await page.getByRole("button", { name: "Filters" }).tap();
    await see(status);
    await at.look(page);
    await page.getByRole("button", { name: "Filters" }).tap();
    await gone(status);
    await page.getByRole("checkbox").first().tap();
    const bar = page.getByRole("region", { name: "Selection" });
    await see(bar);
    // One line: nothing of it has slipped below.
    expect((await bar.boundingBox())?.height).toBeLessThan(70);
    await at.look(page);
  });

  story("is opened by keyboard", async () => {
    await ann.start("plain");
    const page = await at.open("/runs", { as: ann });
    await see(page.locator("[data-run]"));
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await leadsTo(page, /^\/runs\/run_/);
    await see(page.getByRole("heading", { level: 1 }));
    await until("the title", async () => /Assent/.test(await page.title()));
  });
});
