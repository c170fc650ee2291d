import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { needsOf, readFlow } from "../src/workflows/model/flow";
import { focused, gone, Keyboard, leadsTo, pageFinder, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const agents = `agent: reader
kind: scripted
description: Reads an order
output: { type: object, properties: { amount: { type: number }, customer: { type: object, properties: { name: { type: string } } } } }
answers: [{ output: { amount: 3, customer: { name: Ann Lee } } }]
---
agent: sizer
kind: scripted
description: Tells large orders from small ones
input: { type: object, required: [amount], properties: { amount: { type: number }, label: { type: string } } }
answers:
  - { match: amount > 10, output: { size: large } }
  - { output: { size: small } }
---
agent: payer
kind: scripted
description: Pays somebody
input: { type: object, required: [payee, sum], properties: { payee: { type: string }, sum: { type: number }, reason: { type: string } } }
answers: [{ output: { paid: true } }]
---
${pageFinder}
---
agent: page_sender
kind: scripted
description: Sends each page to the printer
input: { type: object, required: [page, printer], properties: { page: { type: string }, printer: { type: string } } }
answers: [{ output: { sent: true } }]
`;

const orders = `workflow: orders
input: { type: object, properties: { text: { type: string } } }
steps:
  - { id: read, agent: reader }
  - { id: pay, agent: payer }
`;

const sizes = `workflow: sizes
steps:
  - { id: read, agent: reader }
  - { id: size, agent: sizer, with: { amount: read.amount } }
gates:
  - { id: go, at: before size, title: Go on }
`;

const fan = (name: string) => `workflow: ${name}
input: { type: object, properties: { text: { type: string } } }
steps:
  - { id: read, agent: reader }
  - { id: size, agent: sizer, with: { amount: read.amount } }
  - { id: pay, agent: payer, needs: [read], with: { payee: read.customer.name, sum: read.amount } }
`;

const documents = async () => [agents, orders, sizes, fan("fan"), fan("fan-by-key")].join("---\n");

describe("parts of the workflow editor", () => {
  const at = stage({ load: [], documents });
  const ann = at.person("ann", "admin");
  const copy = (name: string) => ann.get(`/workflows/${name}/working_copy`).catch(() => undefined);
  const node = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);

  story("maps fields by hand: with a click, by dragging, and by keyboard with completion", async () => {
    const page = await at.open("/workflows/orders", { as: ann });
    await node(page, "pay").click();
    await page.getByRole("button", { name: "Map by hand" }).click();
    const dialog = page.getByRole("dialog", { name: "Input of Pay" });
    const sources = dialog.getByRole("region", { name: "Sources" });
    const fields = dialog.getByRole("region", { name: "Fields" });
    // A click maps the chosen field, and the next one is chosen.
    await sources.getByRole("button", { name: /^Use read\.customer\.name for payee/ }).click();
    const payee = fields.getByRole("combobox", { name: "Source of payee" });
    await until("payee", async () => (await payee.inputValue()) === "read.customer.name");
    await see(fields.getByText("Ann Lee"));
    // Dragging it onto a field.
    await sources
      .getByRole("button", { name: /^Use read\.amount for sum/ })
      .dragTo(dialog.locator('[data-field="sum"]'));
    const sum = fields.getByRole("combobox", { name: "Source of sum" });
    await until("sum", async () => (await sum.inputValue()) === "read.amount");
    // By keyboard, with completion and the value as it is typed.
    const reason = fields.getByRole("combobox", { name: "Source of reason" });
    const keys = new Keyboard(page);
    await keys.to(reason);
    await keys.write("inp");
    await see(dialog.getByRole("option", { name: /^input\.text/ }));
    await inBothThemes(page, "editor-mapping-desktop", () => at.look(page));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until("reason", async () => (await reason.inputValue()) === "input.text");
    await keys.type(reason, "read.nothing");
    await see(fields.getByText("does not exist: the field would be left out."));
    await keys.type(reason, '"Order"');
    await see(fields.getByText("Order", { exact: true }));
    await keys.press(dialog.getByRole("button", { name: "Done" }));
    await gone(dialog);
    await keys.within(page.getByRole("button", { name: "Map by hand" }));
    await until("the mapping is saved", async () => ((await copy("orders"))?.yaml ?? "").includes(`reason: '"Order"'`));
    const { yaml } = await copy("orders");
    expect(yaml).toContain("payee: read.customer.name");
    expect(yaml).toContain("sum: read.amount");
  });

  story("shows the data of a test on every edge, pins an output and runs from there; gates still ask", async () => {
    const page = await at.open("/workflows/sizes", { as: ann });
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("button", { name: "Run a test" }).click();
    const test = page.getByRole("region", { name: "Test run" });
    await see(test.getByText("Waiting", { exact: true }).first());
    const id = (await test.getByRole("link", { name: "Open the run" }).getAttribute("href"))?.split("/").at(-1) ?? "";
    await ann.decide((await ann.approvalOf(id)).id, "approve");
    await see(test.getByText("Completed", { exact: true }).first());
    // The edge carries what the step got.
    const label = page.locator(".edge-data.edge-tested", { hasText: "Data from Read to Size" });
    await see(label.getByText("amount: 3"));
    await inBothThemes(page, "editor-tested-desktop", () => at.look(page));
    await label.click();
    await see(page.getByRole("region", { name: "Data" }).getByText("amount"));
    // Pinned, changed, and run from the next step.
    await node(page, "read").click();
    const here = page.getByRole("region", { name: "In the test run" });
    await here.getByRole("button", { name: "Pin output" }).click();
    const pinned = here.getByLabel("Pinned output of Read");
    await pinned.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "amount": 50, "customer": { "name": "Bo" } }');
    await see(here.getByText("Real runs never use it."));
    await at.look(page);
    await node(page, "size").click();
    await see(here.getByText("With the pinned output of Read."));
    await here.getByRole("button", { name: "Run from here" }).click();
    const again = await until("another run", async () => {
      const link = await test
        .getByRole("link", { name: "Open the run" })
        .getAttribute("href", { timeout: 5_000 })
        .catch(() => "");
      const next = link?.split("/").at(-1) ?? "";
      return next && next !== id && next;
    });
    // It is a test as well, and asks again before it goes on.
    const approval = await ann.approvalOf(again);
    expect(approval.test_mode).toBe(true);
    expect(approval.proposed).toEqual({ amount: 50 });
    await ann.decide(approval.id, "approve");
    await see(test.getByText("Completed", { exact: true }).first());
    expect((await ann.run(again)).output).toEqual({ size: "large" });
    expect((await ann.run(id)).output).toEqual({ size: "small" });
    // A workflow that has changed is tested from the start.
    await node(page, "size").click();
    await page.getByRole("textbox", { name: "Timeout" }).fill("9m");
    await see(here.getByText("The workflow has changed since the test. Run a new test first."));
    expect(await here.getByRole("button", { name: "Run from here" }).isDisabled()).toBe(true);
  });

  story("compares any two versions, shows their notes, and restores one", async () => {
    const put = (text: string) => ann.send("PUT", "/workflows/reviewed", text, "application/yaml");
    const base = "workflow: reviewed\nsteps:\n  - { id: read, agent: reader }\n";
    const gates = "gates:\n  - { id: check, at: after read, title: Check the order }\n";
    await put(base + gates);
    await ann.post("/workflows/reviewed/publish", { version: 1, note: "With a check" });
    await put(base);
    await put(`${base}  - { id: size, agent: sizer }\n`);
    await ann.post("/workflows/reviewed/publish", { version: 3, note: "Faster" });
    const page = await at.open("/workflows/reviewed", { as: ann });
    await page.getByRole("button", { name: "Versions", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Versions" });
    await see(dialog.getByText("With a check"));
    await see(dialog.getByText("Faster"));
    // Next to the one before it, nothing was removed; next to the first, the gate was.
    await see(dialog.locator('[data-node="size"][data-mark="added"]'));
    expect(await dialog.locator('[data-mark="removed"]').count()).toBe(0);
    await dialog.getByRole("combobox", { name: "Compared with" }).click();
    await page.getByRole("option", { name: "Version 1" }).click();
    await see(dialog.locator('[data-node="gate check"][data-mark="removed"]'));
    await see(dialog.getByText("People are no longer asked at: Check the order"));
    await inBothThemes(page, "editor-versions-desktop", () => at.look(page));
    // The second version has no approval either, but the one in force decides what is lost: nothing.
    await dialog.getByRole("button", { name: /^Version 2/ }).click();
    await see(dialog.locator('[data-node="size"][data-mark="removed"]'));
    await dialog.getByRole("button", { name: /^Version 1/ }).click();
    await see(dialog.locator('[data-node="gate check"][data-mark="added"]'));
    const restore = async (version: number) => {
      await dialog.getByRole("button", { name: "Publish this version" }).click();
      return page.getByRole("dialog", { name: `Publish version ${version}` });
    };
    const first = await restore(1);
    expect(await first.getByLabel("Note").inputValue()).toBe("Restored version 1");
    await first.getByRole("button", { name: "Publish" }).click();
    await until("version 1 is in force", async () => (await ann.get("/workflows/reviewed")).version === 1);
    // Against the version with the approval, one without it is red before it is in force.
    await see(dialog.getByRole("button", { name: /^Version 1 Published/ }));
    await dialog.getByRole("button", { name: /^Version 2/ }).click();
    await see(dialog.getByText("People are no longer asked at: Check the order"));
    const second = await restore(2);
    await see(second.getByText("People are no longer asked at: Check the order"));
    await at.look(page);
    await second.getByRole("button", { name: "Cancel" }).click();
    expect((await ann.get("/workflows/reviewed")).version).toBe(1);
  });

  story("keeps comments in versions: published, changed alone, reopened and restored", async () => {
    const text =
      "# Why: orders were paid twice.\nworkflow: noted\n\nsteps:\n  - { id: read, agent: reader }   # first\n";
    const fresh = { layout: {}, samples: [], base: 0, revision: 0 };
    await ann.put("/workflows/noted/working_copy", { ...fresh, yaml: text });
    const page = await at.open("/workflows/noted", { as: ann });
    const publish = async () => {
      await page.getByRole("button", { name: "Publish" }).click();
      return page.getByRole("dialog", { name: /^Publish/ });
    };
    await (await publish()).getByRole("button", { name: "Publish" }).click();
    await see(page.getByText("Version 1 is published").first());
    expect((await ann.get("/workflows/noted")).yaml).toBe(text);

    // Another comment is the same version.
    await page.getByRole("button", { name: "YAML", exact: true }).click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("# Ask Olav about limits.");
    await see(page.locator(".cm-content").getByText("# Ask Olav about limits."));
    const again = await publish();
    await see(again.getByText("This is already published. Comments and formatting are saved with it."));
    await at.look(page);
    await again.getByRole("button", { name: "Cancel" }).click();
    const noted = `${text}# Ask Olav about limits.\n`;
    const published = await ann.get("/workflows/noted");
    expect([published.version, published.yaml]).toEqual([1, noted]);

    // Without the working copy, the version still has them; so has an older one.
    await until("the working copy is saved", async () => (await copy("noted"))?.yaml.includes("Olav"));
    await page.goto(`${at.server.url}/workflows`);
    const { revision } = await ann.get("/workflows/noted/working_copy");
    await ann.send("DELETE", `/workflows/noted/working_copy?revision=${revision}`);
    const second = noted.replace("agent: reader }   # first", "agent: sizer }");
    await ann.send("PUT", "/workflows/noted?publish=true", second, "application/yaml");
    await page.goto(`${at.server.url}/workflows/noted?view=yaml`);
    const editor = page.locator(".cm-content");
    await see(editor.getByText("agent: sizer }"));
    await see(editor.getByText("# Why: orders were paid twice."));
    await page.getByRole("button", { name: "Versions", exact: true }).click();
    const versions = page.getByRole("dialog", { name: "Versions" });
    await versions.getByRole("button", { name: /^Version 1/ }).click();
    await versions.getByRole("button", { name: "Edit from here" }).click();
    await see(editor.getByText("# first"));
    await until("the older text is saved", async () => (await copy("noted"))?.yaml === noted);
  });

  story("warns at its place of an approval that asks a withdrawn role", async () => {
    await ann.put("/roles/counsel", { role: "counsel", permissions: ["view", "decide"] });
    const yaml = `${sizes.replace("workflow: sizes", "workflow: asks")}  - { id: sign, at: after size, role: counsel }\n`;
    await ann.put("/workflows/asks/working_copy", { yaml, base: 0, layout: {}, samples: [], revision: 0 });
    const page = await at.open("/workflows/asks?view=outline", { as: ann });
    const outline = page.getByRole("list", { name: "Steps in order" });
    await see(outline.getByText("Sign").first());
    expect(await page.getByText(/was withdrawn/).count()).toBe(0);
    await ann.send("DELETE", "/roles/counsel");
    await page.reload();
    await see(outline.getByText(/the role "counsel" was withdrawn/));
    await page.getByRole("button", { name: "YAML", exact: true }).click();
    await see(page.locator(".cm-lint-marker-warning"));
    expect(await page.getByRole("button", { name: "Publish" }).isDisabled()).toBe(false);
    await at.look(page);
  });

  story("edits questions, deadlines, escalation and loops in forms, on a phone and by keyboard", async () => {
    const page = await at.open("/workflows/sizes", { as: ann, view: "phone" });
    const steps = page.getByRole("list", { name: "Steps in order" });
    await steps.getByRole("button", { name: /^Go on/ }).click();
    await page.getByRole("button", { name: "Add an escalation" }).click();
    await page.getByLabel("Escalation 1: to").fill("role:finance");
    await page.getByLabel("After", { exact: true }).fill("2d");
    await page.getByRole("combobox", { name: "If rejected" }).click();
    await page.getByRole("option", { name: "The run is cancelled" }).click();
    await inBothThemes(page, "editor-gate-phone", () => at.look(page));
    await page.getByRole("button", { name: "Back", exact: true }).click();
    // Work for people, with options to choose from.
    await steps.getByRole("button", { name: "Add a step after Size" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Human step/ })
      .click();
    await page.getByRole("combobox", { name: "Answer" }).click();
    await page.getByRole("option", { name: "Choose an option" }).click();
    await page.getByRole("button", { name: "Add an option" }).click();
    await page.getByLabel("Value of option 1").fill("ship");
    await page.getByLabel("Label of option 1").fill("Ship it");
    await at.look(page);
    await until("it is saved", async () => ((await copy("sizes"))?.yaml ?? "").includes("Ship it"));
    const phone = (await copy("sizes")).yaml;
    expect(phone).toContain("escalate: [{ after: 4h, to: role:finance }]");
    expect(phone).toMatch(/timeout: \{ after: 2d, then: reject \}/);
    expect(phone).toContain("on_reject: cancel");
    expect(phone).toMatch(/kind: choice/);
    await page.close();
    // On a desk, with the keyboard alone: a list, tries, and a condition with completion.
    const desk = await at.open("/workflows/sizes", { as: ann });
    const keys = new Keyboard(desk);
    await keys.skip();
    await keys.to(desk.getByRole("application", { name: /^Canvas/ }));
    await desk.keyboard.press("ArrowDown");
    await desk.keyboard.press("Enter");
    await keys.type(desk.getByRole("combobox", { name: "Only if" }), "input.text != nul");
    await see(desk.getByRole("option", { name: /^null/ }));
    await desk.keyboard.press("Enter");
    await keys.type(desk.getByLabel("Tries", { exact: true }), "5");
    await keys.type(desk.getByLabel("Pause between tries"), "2s");
    // And an approval, with its deadline and what a rejection does.
    const gate = desk.getByRole("complementary", { name: "Go on", exact: true });
    await keys.to(desk.getByRole("application", { name: /^Canvas/ }), "Shift+Tab");
    for (let n = 0; n < 4 && !(await gate.isVisible()); n++) await desk.keyboard.press("ArrowDown");
    await keys.type(gate.getByLabel("After", { exact: true }), "3d");
    await keys.choose(gate.getByRole("combobox", { name: "If rejected" }), "The run continues without it");
    await until("these are saved", async () => {
      const { yaml } = await copy("sizes");
      return ["input.text != null", "max: 5", "backoff: 2s", "after: 3d", "on_reject: tell"].every((part) =>
        yaml.includes(part),
      );
    });
  });

  story(
    "sets what few workflows need in forms, with problems at their field, by mouse, keyboard and on a phone",
    async () => {
      const page = await at.open("/workflows/orders", { as: ann });
      await page.getByRole("combobox", { name: "People between layers" }).click();
      await page.getByRole("option", { name: "Are asked every time" }).click();
      await page.getByText("More between layers").click();
      const people = page.getByRole("group", { name: "People between layers" });
      await people.getByLabel("Role").fill("lead");
      await people.getByLabel("Deadline").fill("2h");
      // With the keyboard alone.
      const keys = new Keyboard(page);
      await keys.press(page.getByText("More settings"));
      const asked = page.getByRole("group", { name: "Asked by default" });
      await keys.type(asked.getByLabel("Or people"), "ada lovelace");
      await page.keyboard.press("Tab");
      await see(
        asked.getByText("Ask a role or people", { exact: false }).or(asked.getByText("not a person", { exact: false })),
      );
      await keys.to(asked.getByLabel("Or people"), "Shift+Tab");
      await keys.type(asked.getByLabel("Or people"), "ada, role:controllers");
      await keys.type(page.getByLabel("Sensitive fields"), "iban, customer.email");
      await keys.type(page.getByLabel("Name of a label"), "team");
      await page.keyboard.press("Enter");
      const team = page.getByLabel("Value of the label team");
      await see(team);
      await keys.to(team, "Shift+Tab");
      await keys.write("sales");
      await until("these are saved", async () => ((await copy("orders"))?.yaml ?? "").includes("sales"));
      const { yaml } = await copy("orders");
      expect(yaml).toContain("human: { when: always, role: lead, timeout: { after: 2h, then: pause } }");
      expect(yaml).toContain("people: [ada, role:controllers]");
      expect(yaml).toContain("sensitive: [iban, customer.email]");
      expect(await asked.getByText("not a person", { exact: false }).count()).toBe(0);
      await inBothThemes(page, "editor-more-desktop", () => at.look(page));
      await page.close();
      // On a phone: where messages about an approval go.
      const phone = await at.open("/workflows/sizes", { as: ann, view: "phone" });
      await phone
        .getByRole("list", { name: "Steps in order" })
        .getByRole("button", { name: /^Go on/ })
        .click();
      await phone.getByText("More about the question").click();
      await phone.getByLabel("Channels").fill("email, slack");
      await phone.getByLabel("Recipients").fill("role:press");
      await phone.getByRole("combobox", { name: "Urgency" }).click();
      await phone.getByRole("option", { name: "High" }).click();
      await inBothThemes(phone, "editor-more-phone", () => at.look(phone));
      await until("these are saved", async () => ((await copy("sizes"))?.yaml ?? "").includes("urgency: high"));
      expect((await copy("sizes")).yaml).toContain("channels: [email, slack]");
    },
  );

  story("draws what the draft changes against the published version, on the canvas and in the outline", async () => {
    const text = `workflow: drawn
steps:
  - { id: read, agent: reader }
  - { id: size, agent: sizer, with: { amount: read.amount } }
gates:
  - { id: go, at: before size, title: Go on }
  - { id: calls, at: after read, title: Look at calls }
  - { id: files, at: call read_file, title: Read this file }
`;
    await ann.send("PUT", "/workflows/drawn", text, "application/yaml");
    await ann.post("/workflows/drawn/publish", { version: 1 });
    const page = await at.open("/workflows/drawn", { as: ann });
    await node(page, "gate go").click();
    await page.getByRole("button", { name: "Remove the approval" }).click();
    // Approvals at tool calls are drawn as well, beside the steps.
    await node(page, "gate calls").click();
    await page.getByRole("combobox", { name: "Where" }).click();
    await page.getByRole("option", { name: "Before every tool call" }).click();
    await see(
      page.getByRole("group", { name: "Gate Look at calls. Before every tool call. If rejected: the run continues" }),
    );
    await node(page, "gate files").click();
    await page.getByRole("button", { name: "Remove the approval" }).click();
    await node(page, "read").click();
    await page.getByRole("textbox", { name: "Timeout" }).fill("9m");
    await page.getByRole("button", { name: "Add after" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Page finder/ })
      .click();
    await page.getByRole("button", { name: "Show changes" }).click();
    const bar = page.getByRole("region", { name: "Changes since version 1" });
    await see(bar.getByText("approval Go on"));
    await see(bar.getByText("step Page finder", { exact: true }));
    await see(page.getByRole("group", { name: "Gate Go on, removed" }));
    await see(page.getByRole("group", { name: "Gate Read this file, removed" }));
    await see(page.getByRole("group", { name: "Gate Look at calls, changed" }));
    await see(page.getByRole("group", { name: "Step Page finder, added" }));
    await see(page.getByRole("group", { name: "Step Read, changed" }));
    await inBothThemes(page, "editor-changes-desktop", () => at.look(page));
    // What was removed cannot be selected; undoing takes its mark away.
    await node(page, "gate go").click();
    await see(page.getByRole("complementary", { name: "Page finder" }));
    await page.getByRole("button", { name: "Hide changes" }).press("Enter");
    await until("the gate is not drawn", async () => (await node(page, "gate go").count()) === 0);
    await until("it is saved", async () => ((await copy("drawn"))?.yaml ?? "").includes("page_finder"));
    await page.close();
    const phone = await at.open("/workflows/drawn", { as: ann, view: "phone" });
    await phone.getByRole("button", { name: "Show changes" }).click();
    const steps = phone.getByRole("list", { name: "Steps in order" });
    await see(steps.getByRole("button", { name: /^Read.*Changed$/ }));
    await see(steps.getByRole("listitem").filter({ hasText: "Go on" }).getByText("Removed", { exact: true }));
    await inBothThemes(phone, "editor-changes-phone", () => at.look(phone));
  });

  story("reaches connections and their data with the keyboard, and announces them", async () => {
    const text = `workflow: joined
steps:
  - { id: read, agent: reader }
  - { id: size, agent: sizer, with: { amount: read.amount } }
  - { id: pay, agent: payer, needs: [read, size], with: { payee: read.customer.name, sum: read.amount } }
gates:
  - { id: size_review, at: after size }
`;
    await ann.send("PUT", "/workflows/joined", text, "application/yaml");
    const page = await at.open("/workflows/joined", { as: ann });
    await see(page.getByRole("group", { name: "Gate Size review" }));
    const canvas = page.getByRole("application", { name: /^Canvas/ });
    const labels = page.locator(".edge-data");
    await until("the data is drawn", async () => (await labels.count()) > 1);
    // One label is in the order of tabs; the arrow keys lead to the others, and Enter opens one.
    expect(await page.locator('.edge-data[tabindex="0"]').count()).toBe(1);
    const keys = new Keyboard(page);
    await keys.skip();
    await keys.to(canvas);
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-label"));
    const first = await focused();
    expect(first).toBeTruthy();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).not.toBe(first);
    await page.keyboard.press("Enter");
    await see(page.getByRole("region", { name: "Data" }));
    // From a step to its connections; what is chosen is announced, and can be removed.
    await keys.to(canvas, "Shift+Tab");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    const said = page.getByRole("status");
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press("e");
      await see(said.filter({ hasText: /^Connection from / }));
      if (await said.filter({ hasText: /^Connection from Read to Pay/ }).count()) break;
    }
    await see(said.filter({ hasText: "Connection from Read to Pay" }));
    await page.keyboard.press("Delete");
    await see(said.filter({ hasText: "Disconnect Read from Pay" }));
    await until("it is saved", async () => !((await copy("joined"))?.yaml ?? "needs: [read").includes("needs: [read"));
    await at.look(page);
  });

  /** What each step of a working copy waits for, and where people are asked, once it is saved like that. */
  const becomes = (name: string, steps: Record<string, string>, gates: string[] = []) => {
    const now = async () => {
      const { flow } = readFlow((await copy(name))?.yaml ?? "steps: []");
      return [
        Object.fromEntries(flow?.steps.map((s, i) => [s.id, needsOf(flow, i).join()]) ?? []),
        flow?.gates.map((g) => g.at),
      ];
    };
    return until(`steps and approvals of ${name}`, async () => {
      const is = await now();
      return isDeepStrictEqual(is, [steps, gates]) || undefined;
    }).catch(async () => expect(await now()).toEqual([steps, gates]));
  };

  story("adds steps and approvals where they are dropped or chosen, and connects nothing else, by mouse", async () => {
    const page = await at.open("/workflows/fan", { as: ann });
    const palette = (group: string, name: RegExp) =>
      page.getByRole("region", { name: group, exact: true }).getByRole("button", { name });
    const dialog = page.getByRole("dialog");
    // Onto a connection: the other step that waits for Read is left alone.
    await palette("Agents", /^Page finder/).dragTo(page.locator('[data-label="read→size"]'));
    await becomes("fan", { read: "", page_finder: "read", size: "page_finder", pay: "read" });
    // An approval onto a step and onto a connection; chosen, it is placed at what is selected.
    await palette("People", /^Approval/).dragTo(node(page, "pay"));
    await palette("People", /^Approval/).dragTo(page.locator('[data-label="read→page_finder"]'));
    await node(page, "size").click();
    await palette("People", /^Approval Ask people after Size$/).click();
    const gates = ["after pay", "before page_finder", "after size"];
    await becomes("fan", { read: "", page_finder: "read", size: "page_finder", pay: "read" }, gates);
    await node(page, "gate page_finder_review").click();
    await palette("Agents", /^Reader/).click();
    const before = { read: "", reader: "read", page_finder: "reader", size: "page_finder", pay: "read" };
    await becomes("fan", before, gates);
    // In the panel of a connection.
    await page.locator('[data-label="read→pay"]').click();
    await page.getByRole("button", { name: "Insert a step" }).click();
    await see(dialog.getByRole("heading", { name: "Add a step between Read and Pay" }));
    await dialog.getByRole("button", { name: /^Sizes/ }).click();
    await page.locator('[data-label="reader→gate page_finder_review"]').click();
    await page.getByRole("button", { name: "Add an approval" }).click();
    // A step of its own workflow, once for each element; and what a step waits for.
    await node(page, "sizes").click();
    await page.getByLabel("For each of").fill("page_finder.pages");
    await page.getByRole("region", { name: "Waits for" }).getByRole("checkbox", { name: "Page finder" }).click();
    await becomes("fan", { ...before, sizes: "read,page_finder", pay: "sizes" }, [...gates, "before page_finder"]);
    expect((await copy("fan")).yaml).toContain("each: page_finder.pages");
    await inBothThemes(page, "editor-added-desktop", () => at.look(page));
    // Where it was dropped, until everything is tidied up.
    const tidy = page.getByRole("button", { name: /^Tidy up/ });
    const above = async (a: string, b: string) =>
      ((await node(page, a).boundingBox())?.y ?? 0) < ((await node(page, b).boundingBox())?.y ?? 0);
    expect(await above("page_finder", "sizes")).toBe(false);
    await tidy.click();
    await until("all steps in order", () => above("page_finder", "sizes"));
    await palette("People", /^Human step/).dragTo(page.locator(".react-flow__pane"), {
      targetPosition: { x: 40, y: 40 },
    });
    await until("the place", async () => (await copy("fan")).layout.ask);
    await tidy.click();
    await until("no place", async () => Object.keys((await copy("fan")).layout).length === 0);
    // A sample is kept as it was typed.
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("button", { name: "Add a sample input" }).click();
    await page.getByLabel("Sample input as JSON").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "text": "half');
    await see(page.getByText("This is not JSON yet."));
    await until("it is saved", async () => (await copy("fan")).samples.length === 2);
    await page.reload();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("combobox", { name: "Sample input" }).click();
    await page.getByRole("option", { name: "Sample 2" }).click();
    await see(page.getByLabel("Sample input as JSON").getByText("half"));
    await see(page.getByText("This is not JSON yet."));
    expect(await page.getByRole("button", { name: "Run a test" }).isDisabled()).toBe(true);
  });

  story("adds, connects and repeats steps, and keeps samples, with the keyboard alone", async () => {
    const name = "fan-by-key";
    const page = await at.open(`/workflows/${name}`, { as: ann });
    const keys = new Keyboard(page);
    const said = page.getByRole("status");
    const dialog = page.getByRole("dialog");
    const canvas = page.getByRole("application", { name: /^Canvas/ });
    const panel = (title: string) => page.getByRole("complementary", { name: title, exact: true });
    const add = async (step: string) => {
      await focused(dialog.getByLabel("Search agents, tools and workflows"));
      await keys.write(step);
      await keys.press(dialog.getByRole("button", { name: new RegExp(`^${step}`, "i") }));
      await gone(dialog);
    };
    await see(node(page, "pay"));
    await keys.skip();
    await keys.to(canvas);
    // Two steps are connected.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const [from, to] = (await panel("Size").isVisible()) ? ["size", "pay"] : ["pay", "size"];
    await page.keyboard.press("c");
    await page.keyboard.press(from === "size" ? "ArrowRight" : "ArrowLeft");
    await see(said.filter({ hasText: `Connect to ${to === "pay" ? "Pay" : "Size"}? Press Enter.` }));
    await page.keyboard.press("Enter");
    const linked = { read: "", size: "read", pay: "read", [to]: `read,${from}` };
    await becomes(name, linked);
    await page.keyboard.press("ControlOrMeta+z");
    await becomes(name, { read: "", size: "read", pay: "read" });
    // A step is inserted on a connection: the other one stays as it is.
    for (let n = 0; n < 6 && !(await panel("Read → Size").isVisible()); n++) await page.keyboard.press("e");
    await page.keyboard.press("a");
    await see(dialog.getByRole("heading", { name: "Add a step between Read and Size" }));
    await add("page finder");
    const inserted = { read: "", page_finder: "read", size: "page_finder", pay: "read" };
    await becomes(name, inserted);
    // An approval before it, and a workflow before the approval, once for each element.
    await keys.press(page.getByRole("button", { name: "Approval before" }));
    await becomes(name, inserted, ["before page_finder"]);
    await keys.to(canvas, "Shift+Tab");
    await page.keyboard.press("a");
    await see(dialog.getByRole("heading", { name: "Add a step before Page finder" }));
    await add("sizes");
    const waits = panel("Sizes").getByRole("region", { name: "Waits for" });
    await keys.press(waits.getByRole("checkbox", { name: "Pay", exact: true }), "Space");
    await keys.type(panel("Sizes").getByLabel("For each of"), "read.items");
    await becomes(name, { ...inserted, sizes: "read,pay", page_finder: "sizes" }, ["before page_finder"]);
    await until("the list", async () => (await copy(name)).yaml.includes("each: read.items"));
    // A sample is kept as it was typed.
    await keys.press(page.getByRole("button", { name: "Test", exact: true }), "Enter", "Shift+Tab");
    await keys.press(page.getByRole("button", { name: "Add a sample input" }));
    await keys.type(page.getByLabel("Sample input as JSON"), "half");
    await see(page.getByText("This is not JSON yet."));
    await until("it is saved", async () =>
      (await copy(name)).samples.some((s: { input: unknown }) => s.input === "half"),
    );
    await at.look(page);
    await page.reload();
    await keys.press(page.getByRole("button", { name: "Test", exact: true }));
    await keys.choose(page.getByRole("combobox", { name: "Sample input" }), "Sample 2");
    await see(page.getByLabel("Sample input as JSON").getByText("half"));
  });

  story("makes a draft of a sentence, with the reasons at each step, and publishes nothing", async () => {
    const page = await at.open("/workflows", { as: ann });
    const before = await ann.get("/workflows?limit=200");
    await page.getByRole("button", { name: "Describe it" }).click();
    const dialog = page.getByRole("dialog", { name: "Describe a workflow" });
    await dialog
      .getByLabel("What should happen?")
      .fill("Find the pages of the customer and send each page to the printer.");
    await dialog.getByRole("button", { name: "Suggest" }).click();
    await see(
      dialog
        .getByRole("list", { name: "Suggested steps" })
        .getByText("Runs once for each item in the pages of Page finder, passed as the page"),
    );
    await inBothThemes(page, "editor-describe-desktop", () => at.look(page));
    await dialog.getByLabel("Name").fill("Print pages");
    await dialog.getByRole("button", { name: "Open as a draft" }).click();
    await leadsTo(page, /^\/workflows\/print-pages$/);
    await see(page.getByText("Draft", { exact: true }));
    await node(page, "page_sender").click();
    const why = page.getByRole("region", { name: "Why it was suggested" });
    await see(why.getByText("Runs once for each item in the pages of Page finder, passed as the page"));
    await at.look(page);
    expect((await ann.get("/workflows?limit=200")).total).toBe(before.total);
    expect((await copy("print-pages")).yaml).toContain("# Why: ");
    // The page that suggests plans leads here as well.
    await page.goto(`${at.server.url}/suggest?intent=Find+the+pages+of+the+customer`);
    await page.getByRole("link", { name: "Open as a draft" }).click();
    await see(
      page.getByRole("dialog", { name: "Describe a workflow" }).getByRole("button", { name: "Open as a draft" }),
    );
  });
});
