import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { focused, gone, Keyboard, leadsTo, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const documents = async () => `agent: ticket_analyzer
kind: scripted
description: Extracts fields from the text of a ticket
input: { type: object, required: [text], properties: { text: { type: string } } }
output: { type: object, properties: { ticket_id: { type: string }, priority: { type: integer }, customer: { type: string } } }
answers: [{ output: { ticket_id: CS-1234, priority: 3, customer: CUST-5678 }, confidence: 0.9 }]
---
agent: customer_data
kind: scripted
description: Reads what is known of a customer
input: { type: object, required: [customer_id], properties: { customer_id: { type: string } } }
output: { type: object, properties: { customer_360: { type: object } } }
answers: [{ output: { customer_360: { name: Ann Lee, tier: gold } } }]
---
agent: solution_generator
kind: scripted
description: Proposes a solution
output: { type: object, properties: { solution: { type: string } } }
answers: [{ output: { solution: Restart the service. }, confidence: 0.95 }]
---
workflow: refunds   # kept
description: Pays refunds
input: { type: object, required: [text], properties: { text: { type: string } } }
steps:
  - { id: read, agent: ticket_analyzer }
  - { id: pay, agent: solution_generator, operation: refund, risk: high }
gates:
  - { id: pay_review, at: before pay, title: Pay this refund, role: approver, timeout: { after: 4h, then: reject } }
`;

describe("the workflow editor", () => {
  const at = stage({ documents });
  const ann = at.person("ann", "admin");
  const bob = at.person("bob", "admin");
  const cem = at.person("cem", "admin");

  story("draws, tests and publishes three agents in a few actions", async () => {
    let actions = 0;
    const act = async (what: Promise<unknown>) => {
      actions++;
      await what;
    };
    const page = await at.open("/inbox", { as: ann });
    await act(page.getByRole("link", { name: "Workflows" }).click());
    await leadsTo(page, /^\/workflows$/);
    await see(page.getByRole("link", { name: "Refunds" }));
    await see(page.getByRole("heading", { name: "Templates" }));
    await inBothThemes(page, "workflows-desktop", () => at.look(page));
    await act(page.getByRole("button", { name: "New workflow" }).click());
    await act(page.getByLabel("Name").fill("IT ticket triage"));
    await act(page.getByRole("button", { name: "Create" }).click());
    await leadsTo(page, /^\/workflows\/it-ticket-triage$/);
    await act(page.getByLabel("Name of an input field").fill("text"));
    await act(page.keyboard.press("Enter"));
    const palette = page.getByRole("region", { name: "Agents" });
    await act(palette.getByRole("button", { name: /^Ticket analyzer/ }).click());
    await act(palette.getByRole("button", { name: /^Customer data/ }).click());
    // Two names that differ: mapped by itself, with the reason.
    const input = page.getByRole("region", { name: "Input", exact: true });
    await until(
      "the source",
      async () =>
        (await input.getByRole("combobox", { name: "Source of customer_id" }).inputValue()) ===
        "ticket_analyzer.customer",
    );
    await act(palette.getByRole("button", { name: /^Solution generator/ }).click());
    await act(page.getByRole("button", { name: "Approval after" }).click());
    await act(page.getByLabel("Role", { exact: true }).fill("approver"));
    await act(page.getByRole("button", { name: "Test" }).click());
    await see(page.getByText("would run"));
    await see(page.getByText("Is the result of Solution generator right?").first());
    await act(page.getByRole("button", { name: "Run a test" }).click());
    const test = page.getByRole("region", { name: "Test run" });
    await see(test.getByText("Waiting", { exact: true }).first());
    await inBothThemes(page, "editor-desktop", () => at.look(page));
    // The approval is decided beside the canvas, and the test goes on; it is still here after leaving.
    const asked = page.getByRole("region", { name: "Open decisions" });
    await act(asked.getByRole("button", { name: "Approve" }).click());
    await see(test.getByText("Completed", { exact: true }).first());
    await page.reload();
    await see(test.getByText("Completed", { exact: true }).first());
    await see(page.locator(".edge-data.edge-tested").first());
    await act(page.getByRole("button", { name: "Publish" }).click());
    await see(page.getByText("This is the first version that is published."));
    await act(page.getByLabel("Note").fill("First version"));
    await act(page.getByRole("dialog").getByRole("button", { name: "Publish" }).click());
    await see(page.getByText("Version 1 is published").first());
    await see(page.getByTitle("Nothing has changed since version 1"));
    const published = await ann.get("/workflows/it-ticket-triage");
    expect(published.definition.steps.map((s: { id: string }) => s.id)).toEqual([
      "ticket_analyzer",
      "customer_data",
      "solution_generator",
    ]);
    expect(published.definition.steps[1].with).toEqual({ customer_id: "ticket_analyzer.customer" });
    expect(actions).toBeLessThan(25); // the specification allows far more
  });

  /** The working copy as it is published, with a comment: what other stories left in it is gone. */
  const fresh = async () => {
    const { items } = await ann.get("/working_copies?name=refunds&limit=1");
    const published: string = (await ann.get("/workflows/refunds")).yaml;
    const yaml = published.replace(/^workflow: refunds.*$/m, "workflow: refunds   # kept");
    const copy = { yaml, base: 1, layout: {}, samples: [] };
    await ann.put("/workflows/refunds/working_copy", { ...copy, revision: items[0]?.revision ?? 0 });
    return yaml;
  };

  story("has one history for canvas, outline and YAML, and keeps comments", async () => {
    const first = await fresh();
    const page = await at.open("/workflows/refunds", { as: ann });
    const canvas = page.getByRole("application", { name: /^Canvas/ });
    const read = page.locator('.react-flow__node[data-id="read"]');
    await read.click();
    await page.getByRole("textbox", { name: "Timeout" }).fill("9m");
    await page.getByRole("button", { name: "Canvas and YAML" }).click();
    await see(page.getByText("timeout: 9m"));
    await see(page.getByText("# kept"));
    // By keyboard: from step to step, a new one after it, and away again.
    await canvas.focus();
    await page.keyboard.press("Alt+ArrowRight");
    await page.keyboard.press("a");
    await page.getByRole("dialog").getByLabel("Search agents, tools and workflows").fill("customer");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Customer data/ })
      .click();
    await see(page.locator('.react-flow__node[data-id="customer_data"]'));
    await inBothThemes(page, "editor-split-desktop", () => at.look(page));
    for (let i = 0; i < 3; i++) await page.getByRole("button", { name: /^Undo/ }).click();
    await until(
      "the text as it was",
      async () => (await page.locator(".cm-content").innerText()).includes("9m") === false,
    );
    await gone(page.locator('.react-flow__node[data-id="customer_data"]'));
    // Problems stand where they are, in all views.
    await page.locator(".cm-content").getByText("ticket_analyzer").click();
    await page.keyboard.press("End"); // of what is shown in one row
    await page.keyboard.press("End"); // of the line
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("x");
    await see(page.getByText(/unknown agent/i).first());
    await see(page.locator(".cm-lint-marker-error"));
    await page.getByRole("button", { name: "Outline" }).click();
    await see(page.getByRole("list", { name: "Steps in order" }).getByText(/unknown agent/i));
    expect(await page.getByRole("button", { name: "Publish" }).isDisabled()).toBe(true);
    await page.keyboard.press("ControlOrMeta+z");
    await until("no problem", async () => (await page.getByText(/unknown agent/i).count()) === 0);
    // It is saved a moment later, and a page that is closed before saves nothing.
    await until("it is saved", async () => (await ann.get("/workflows/refunds/working_copy")).yaml === first);
  });

  story("merges what people type with a mouse, the keyboard alone and a phone; removed gates are red", async () => {
    await fresh();
    const path = "/workflows/refunds";
    const [one, two, phone] = [
      await at.open(path, { as: ann }),
      await at.open(path, { as: bob }),
      await at.open(path, { as: cem, view: "phone" }),
    ];
    for (const page of [one, two, phone]) at.guard(page).mayAnswer(409, /working_copy$/);
    const timeout = (page: Page, step: string) =>
      page.getByRole("complementary", { name: step, exact: true }).getByRole("textbox", { name: "Timeout" });
    const saved = (...parts: string[]) =>
      until(`${parts} to be saved`, async () => {
        const { yaml } = await ann.get("/workflows/refunds/working_copy");
        return parts.every((part) => yaml.includes(part));
      });
    const clash = (page: Page) => page.getByRole("alert", { name: "Conflicting changes" });
    const reads = (page: Page, step: string, value: string) =>
      until(value, async () => (await timeout(page, step).inputValue()) === value);

    // With the mouse, and with the keyboard.
    await one.locator('.react-flow__node[data-id="read"]').click();
    await timeout(one, "Read").fill("8m");
    await saved("8m");
    const keys = new Keyboard(two);
    await keys.skip();
    const canvas = two.getByRole("application", { name: /^Canvas/ });
    /** From step to step, until the panel shows this one. */
    const walk = async (name: string, key: string) => {
      const panel = two.getByRole("complementary", { name, exact: true });
      for (let n = 0; n < 4 && !(await panel.isVisible()); n++) await two.keyboard.press(key);
      await two.keyboard.press("Enter");
      await keys.within(panel);
    };
    await keys.to(canvas);
    await walk("Pay", "ArrowDown");
    await keys.type(timeout(two, "Pay"), "7m");
    await see(two.getByRole("status").getByText("Merged with the changes of ann"));
    await focused(timeout(two, "Pay"));
    await saved("8m", "7m", "# kept");

    // The same field: nothing is overwritten silently. On a phone, in the outline.
    const steps = phone.getByRole("list", { name: "Steps in order" });
    await steps.getByRole("button", { name: /^Read/ }).tap();
    await timeout(phone, "Read").fill("6m");
    await see(clash(phone).getByText(/yours is 6m, theirs is 8m/));
    await see(phone.getByText("Merged with the changes of bob"));
    await at.look(phone);
    await clash(phone).getByRole("button", { name: "Use theirs" }).tap();
    await reads(phone, "Read", "8m");
    await phone.getByRole("button", { name: "Back", exact: true }).tap();
    await steps.getByRole("button", { name: /^Pay Agent/ }).tap();
    await reads(phone, "Pay", "7m");
    // With the keyboard.
    await saved("8m", "7m");
    await timeout(one, "Read").fill("5m");
    await saved("5m", "7m");
    // Undo takes back one's own change, and redo brings it again; the other person's stays.
    await one.getByRole("button", { name: /^Undo/ }).click();
    await until("5m to be taken back", async () => {
      const { yaml } = await ann.get("/workflows/refunds/working_copy");
      return yaml.includes("7m") && !yaml.includes("5m");
    });
    await one.getByRole("button", { name: /^Redo/ }).click();
    await saved("5m", "7m");
    await keys.to(canvas, "Shift+Tab");
    await walk("Read", "ArrowUp");
    await keys.type(timeout(two, "Read"), "4m");
    await see(clash(two).getByText(/yours is 4m, theirs is (5|8)m/));
    await keys.press(clash(two).getByRole("button", { name: "Keep mine" }), "Enter", "Shift+Tab");
    await gone(clash(two));
    await keys.within(two.locator("main"));
    await saved("4m", "7m");
    // With the mouse.
    await timeout(one, "Read").fill("9m");
    await see(clash(one).getByText(/yours is 9m, theirs is 4m/));
    await clash(one).getByRole("button", { name: "Use theirs" }).click();
    await reads(one, "Read", "4m");

    await keys.to(canvas);
    await walk("Pay this refund", "ArrowDown");
    await keys.press(two.getByRole("button", { name: "Remove the approval" }));
    await keys.within(two.locator("main"));
    const publish = two.getByRole("button", { name: "Publish" });
    await until("no problems", () => publish.isEnabled());
    await keys.press(publish, "Enter", "Shift+Tab");
    await see(two.getByText("People are no longer asked at: Pay this refund"));
    await inBothThemes(two, "editor-publish-desktop", () => at.look(two));
    await keys.press(two.getByRole("button", { name: "Cancel" }));
    await keys.within(publish);

    // Two new names for one step: it stays one, under the name that is chosen.
    const name = (page: Page, step: string) =>
      page.getByRole("complementary", { name: step, exact: true }).getByRole("textbox", { name: "Name", exact: true });
    await keys.to(canvas);
    await walk("Read", "ArrowUp");
    await name(one, "Read").fill("scan");
    await name(one, "Read").press("Enter");
    await saved("id: scan");
    await keys.type(name(two, "Read"), "look");
    await two.keyboard.press("Enter");
    await see(clash(two).getByText(/Step Read, Name: yours is look, theirs is scan/));
    await keys.press(clash(two).getByRole("button", { name: "Use theirs: Step Read, Name" }), "Enter", "Shift+Tab");
    await see(two.getByRole("complementary", { name: "Scan", exact: true }));
    await keys.within(two.locator("main"));
    await saved("id: scan", "7m");
    expect((await ann.get("/workflows/refunds/working_copy")).yaml).not.toMatch(/id: (read|look)/);
  });

  for (const way of ["mouse", "keyboard", "phone"] as const)
    story(
      `keeps what was typed without a connection, and asks about what another person changed or removed, by ${way}`,
      async () => {
        await fresh();
        const view = way === "phone" ? "phone" : "desktop";
        const page = await at.open("/workflows/refunds?view=outline", { as: ann, view });
        at.guard(page).mayAnswer(409, /working_copy$/);
        const keys = new Keyboard(page);
        const press = (what: Locator) =>
          way === "keyboard" ? keys.press(what) : way === "phone" ? what.tap() : what.click();
        const type = (field: Locator, text: string) => (way === "keyboard" ? keys.type(field, text) : field.fill(text));
        const steps = page.getByRole("list", { name: "Steps in order" });
        const timeout = (step: string) =>
          page.getByRole("complementary", { name: step, exact: true }).getByRole("textbox", { name: "Timeout" });
        const copy = () => bob.get("/workflows/refunds/working_copy");
        const clash = page.getByRole("alert", { name: "Conflicting changes" });
        let theirs = "";
        await at.guard(page).inTheDark(async () => {
          await page.route("**/working_copy", (route) => route.abort());
          await press(steps.getByRole("button", { name: /^Read/ }));
          await type(timeout("Read"), "8m");
          if (way === "phone") await press(page.getByRole("button", { name: "Back", exact: true }));
          await press(steps.getByRole("button", { name: /^Pay Agent/ }));
          await type(timeout("Pay"), "7m");
          await see(page.getByText("Not saved"));
          // In the meantime, the other person sets one of the two and removes the other step with its approval.
          const { yaml, revision } = await copy();
          theirs = `${yaml.slice(0, yaml.indexOf("  - { id: pay"))}`.replace(
            "agent: ticket_analyzer",
            "agent: ticket_analyzer, timeout: 6m",
          );
          await bob.put("/workflows/refunds/working_copy", {
            ...{ yaml: theirs, base: 1, layout: {}, samples: [], revision },
          });
          await page.unroute("**/working_copy");
          await page.evaluate(() => window.dispatchEvent(new Event("online")));
          await see(clash);
        });
        await see(clash.getByText(/Step Read, Timeout.*yours is 8m, theirs is 6m/));
        await see(clash.getByText(/Step Pay.*theirs is removed/));
        await inBothThemes(page, `editor-conflict-${way}`, () => at.look(page));
        for (const name of ["Use theirs: Step Read, Timeout", "Use theirs: Step Pay"]) {
          await press(clash.getByRole("button", { name, exact: true }));
          await gone(clash.getByRole("button", { name, exact: true }));
        }
        if (way === "keyboard") await keys.within(page.locator("main"));
        await until("what the other person wrote", async () => (await copy()).yaml === theirs);
      },
    );

  story("starts from a template with mouse, keyboard and on a phone, with its agents and sample input", async () => {
    const search = (on: Page) => on.getByRole("searchbox", { name: "Search workflows and templates" });
    const use = (on: Page, title: string) => on.getByRole("button", { name: `Use the template ${title}` });
    const dialog = (on: Page) => on.getByRole("dialog", { name: /^New workflow from/ });
    const page = await at.open("/workflows", { as: ann });
    await see(use(page, "Access request"));
    await search(page).fill("refund with");
    await gone(use(page, "Access request"));
    await use(page, "Refund with approval over an amount").click();
    await inBothThemes(page, "workflows-template-desktop", () => at.look(page));
    await dialog(page).getByLabel("Name").fill("Goods sent back");
    await dialog(page).getByRole("button", { name: "Create" }).click();
    await leadsTo(page, /^\/workflows\/goods-sent-back$/);
    expect((await ann.get("/agents/refund_payer")).version).toBe(1);
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("button", { name: "Run a test" }).click();
    const asked = page.getByRole("region", { name: "Open decisions" });
    await see(asked.getByText("Pay this refund").first());

    const other = await at.open("/workflows", { as: bob });
    const keys = new Keyboard(other);
    await keys.skip();
    await keys.type(search(other), "draft an");
    await keys.press(use(other, "Draft an e-mail, then send it"));
    await keys.type(dialog(other).getByLabel("Name"), "Mails");
    await keys.press(dialog(other).getByRole("button", { name: "Create" }));
    await leadsTo(other, /^\/workflows\/mails$/);
    await keys.within(other.locator("main"));
    const publish = other.getByRole("button", { name: "Publish" });
    await until("no problems", () => publish.isEnabled());
    await keys.press(publish);
    await keys.press(other.getByRole("dialog", { name: /^Publish/ }).getByRole("button", { name: "Publish" }));
    await see(other.getByText("Version 1 is published").first());

    const phone = await at.open("/workflows", { as: cem, view: "phone" });
    await use(phone, "Access request").tap();
    await inBothThemes(phone, "workflows-template-phone", () => at.look(phone));
    await dialog(phone).getByRole("button", { name: "Create" }).tap();
    await leadsTo(phone, /^\/workflows\/access-request$/);
    await see(phone.getByRole("list", { name: "Steps in order" }).getByRole("button", { name: /^Grant/ }));
    expect((await cem.get("/workflows/access-request/working_copy")).samples[0].name).toBe("Example");
  });

  story("discards a draft with mouse, keyboard and on a phone, and tells who else has it open", async () => {
    await fresh();
    const { revision, ...copy } = await ann.get("/workflows/refunds/working_copy");
    await ann.put("/workflows/refunds/working_copy", {
      ...{ yaml: copy.yaml.slice(0, copy.yaml.indexOf("gates:")), base: 1, layout: {}, revision },
      samples: [{ name: "A ticket", input: { text: "Hello" } }],
    });
    const page = await at.open("/workflows/refunds", { as: ann });
    const other = await at.open("/workflows/refunds", { as: bob });
    await page.getByRole("button", { name: "Discard draft" }).click();
    const dialog = page.getByRole("dialog", { name: "Discard the draft of Refunds?" });
    await see(dialog.getByText("The editor goes back to version 1, which is published."));
    await see(dialog.getByText("approval Pay this refund"));
    await see(dialog.getByText("Also lost with the draft: 1 sample input."));
    await inBothThemes(page, "editor-discard-desktop", () => at.look(page));
    await dialog.getByRole("button", { name: "Discard" }).click();
    await leadsTo(page, /^\/workflows$/);
    const drafts = async () => (await ann.get("/working_copies?name=refunds")).total;
    await until("no draft", async () => (await drafts()) === 0);
    // The other page saves nothing until its user has said what to do.
    const told = other.getByRole("alert", { name: "Discarded draft" });
    await see(told);
    await at.look(other);
    await told.getByRole("button", { name: "Leave it" }).click();
    await leadsTo(other, /^\/workflows$/);
    expect(await drafts()).toBe(0);
    // Undone, and then by keyboard from the list.
    await page.getByRole("button", { name: "Undo" }).click();
    const card = (on: Page) => on.getByRole("button", { name: "Discard the draft of Refunds" });
    await see(card(page));
    expect((await ann.get("/workflows/refunds/working_copy")).samples[0].name).toBe("A ticket");
    const keys = new Keyboard(page);
    await keys.press(card(page));
    await keys.press(dialog.getByRole("button", { name: "Discard" }));
    await until("no draft", async () => (await drafts()) === 0);
    await gone(card(page));
    // On a phone, one that was never published.
    await ann.put("/workflows/idea/working_copy", {
      ...{ yaml: "workflow: idea\nsteps: [{ id: read, agent: ticket_analyzer }]\n", base: 0, layout: {} },
      ...{ samples: [], revision: 0 },
    });
    const phone = await at.open("/workflows", { as: cem, view: "phone" });
    await phone.getByRole("button", { name: "Discard the draft of Idea" }).tap();
    await see(phone.getByText("Lost: 1 step."));
    await inBothThemes(phone, "workflows-discard-phone", () => at.look(phone));
    await phone.getByRole("dialog").getByRole("button", { name: "Discard", exact: true }).tap();
    await gone(phone.getByRole("link", { name: "Idea" }));
  });

  story("is an outline on phones, and fits tablets", async () => {
    const page = await at.open("/workflows/it-ticket-triage", { as: ann, view: "phone" });
    const steps = page.getByRole("list", { name: "Steps in order" });
    await see(steps.getByText("Customer data", { exact: true }));
    await inBothThemes(page, "editor-phone", () => at.look(page));
    // The test, in the place of the outline and back.
    await page.getByRole("button", { name: "Test", exact: true }).tap();
    await see(page.getByRole("complementary", { name: "Test" }).getByRole("button", { name: "Run a test" }));
    await inBothThemes(page, "editor-test-phone", () => at.look(page));
    await page.getByRole("button", { name: "Back", exact: true }).tap();
    await steps.getByRole("button", { name: /^Customer data/ }).click();
    await see(page.getByRole("combobox", { name: "Source of customer_id" }));
    await inBothThemes(page, "editor-step-phone", () => at.look(page));
    // Mapped by hand: a source for the field that is chosen.
    await page.getByRole("button", { name: "Map by hand" }).tap();
    const map = page.getByRole("dialog", { name: "Input of Customer data" });
    await map.getByRole("button", { name: "Remove the source of customer_id" }).tap();
    await map.getByRole("button", { name: /^Use ticket_analyzer\.customer for customer_id/ }).tap();
    await see(map.getByRole("button", { name: "Remove the source of customer_id" }));
    await inBothThemes(page, "editor-mapping-phone", () => at.look(page));
    await map.getByRole("button", { name: "Done" }).tap();
    await page.getByRole("combobox", { name: "Only if" }).fill("input.text != null");
    await see(page.getByText("With the sample input, the step runs."));
    // Without the step that its data comes from, there is a problem, here and in the outline, until that is undone.
    const waits = page.getByRole("region", { name: "Waits for" });
    await waits.getByRole("checkbox", { name: "Ticket analyzer" }).tap();
    await see(page.getByRole("list", { name: "Problems" }).getByText(/ticket_analyzer/));
    await page.getByRole("button", { name: "Back", exact: true }).tap();
    await see(steps.getByText(/ticket_analyzer/));
    await at.look(page);
    await page.getByRole("button", { name: /^Undo: Disconnect/ }).tap();
    await gone(steps.getByText(/ticket_analyzer/));
    await steps.getByRole("button", { name: /^Customer data/ }).tap();
    await page.getByRole("button", { name: "Remove", exact: true }).tap();
    await gone(steps.getByText("Customer data", { exact: true }));
    await page.getByRole("button", { name: /^Undo: Remove/ }).tap();
    await see(steps.getByText("Customer data", { exact: true }));
    await steps.getByRole("button", { name: "Add a step after Customer data" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Human step/ })
      .click();
    await see(page.getByLabel("Question"));
    await until("it is saved", async () =>
      (await ann.get("/workflows/it-ticket-triage/working_copy")).yaml.includes("human:"),
    );
  });
});
