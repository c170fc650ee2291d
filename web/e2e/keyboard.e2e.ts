import { describe, expect } from "vitest";
import {
  focused,
  gone,
  Keyboard,
  leadsTo,
  pageFinder,
  pressAlone,
  refusing,
  see,
  stage,
  story,
  until,
} from "./harness";

// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference, as it is written
const secret = "${env:ASSENT_SECRET_ORDERS}";

const documents = async () => `agent: payer
kind: scripted
answers: [{ output: { ok: true }, usage: { llm_calls: 2, tokens_in: 1200, tokens_out: 300, cost_usd: "0.25" } }]
---
workflow: stamp
input: { type: object, properties: { letter: { type: string } }, required: [letter] }
steps: [{ id: stamp, agent: payer, operation: stamp, risk: medium, with: { letter: input.letter } }]
---
workflow: refund
input: { type: object, properties: { customer: { type: string }, amount: { type: number } }, required: [customer, amount] }
steps:
  - { id: pay, agent: payer, operation: refund, risk: medium, with: { customer: input.customer, amount: input.amount } }
---
agent: clerk
kind: llm
provider: scripted
input: { type: object, properties: { order: { type: string } }, required: [order] }
tools: [send_mail]
turns:
  - say: The parcel is lost.
    calls: [{ tool: send_mail, args: { path: outbox/A-2.txt, content: We are sending a replacement. } }]
  - { answer: { mailed: true }, confidence: 0.95 }
---
tool: send_mail
kind: builtin
builtin: write_file
describe: "Write a mail: {{.path}}"
operation: send_email
sample: { ok: true }
---
policy: default
rules:
  - name: Refunds
    priority: 10
    trigger: { operation_type: refund }
    action: { role: support }
  - name: Letters
    priority: 20
    trigger: { operation_type: send_email }
    action: { role: support }
  - name: Stamps
    priority: 30
    trigger: { operation_type: stamp }
    action: { auto_approve: true, sample_percentage: 100 }
---
${pageFinder}
---
channel: phone
kind: push
---
schedule: nightly
cron: 0 2 * * * # outside office hours
timezone: Europe/Berlin
workflow: refund
input: { customer: Iben, amount: 5 }
`;

describe("with the keyboard alone", () => {
  const at = stage({ documents, load: [] });
  const ann = at.person("ann", "admin", "approver", "support");

  const start = async (path: string) => {
    const page = await at.open(path, { as: ann });
    const keys = new Keyboard(page);
    await keys.skip();
    return { page, keys };
  };

  story("an agent is created, tried and edited, and another one's use and cost are read", async () => {
    await ann.reaches(await ann.start("stamp", { letter: "A-1" }), "completed");
    const { page, keys } = await start("/agents");
    const create = page.getByRole("button", { name: "New agent" });
    await keys.press(create);
    const dialog = page.getByRole("dialog", { name: "New agent" });
    await keys.type(dialog.getByLabel("Name"), "writer");
    await keys.choose(dialog.getByLabel("Provider"), "Script, without a model");
    await keys.type(dialog.getByLabel("Instructions"), "Write letters.");
    await keys.to(dialog.getByRole("radio", { checked: true }));
    await page.keyboard.press("ArrowDown"); // Asks before every call
    await keys.type(dialog.getByLabel("Add a tool"), "send_mail");
    await page.keyboard.press("Enter");
    await keys.choose(dialog.getByLabel("Risk of Send mail"), "High");
    await keys.press(dialog.getByRole("checkbox", { name: "Clerk" }), "Space");
    await keys.type(dialog.getByLabel("Turns"), "20");
    await keys.choose(dialog.getByLabel("At a limit"), "Ask a person");
    await keys.to(dialog.getByRole("tab", { name: "Form" }), "Shift+Tab");
    await page.keyboard.press("ArrowLeft"); // to the last one: YAML
    await see(dialog.getByText("approve_all"));
    // The form has no field for what is missing; the text has.
    at.guard(page).expectAnswer(422, /agents/);
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await see(dialog.getByRole("alert").getByText(/at least one turn is required/));
    await keys.to(dialog.getByRole("textbox", { name: "Agent as YAML" }), "Shift+Tab");
    await page.keyboard.press("ControlOrMeta+End");
    await keys.write("turns: [{ say: Done. }]");
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await gone(dialog);
    await keys.within(create);
    await see(page.getByRole("button", { name: /^Writer/ }));
    expect((await ann.get("/agents/writer")).definition).toMatchObject({
      provider: "scripted",
      autonomy: "approve_all",
      tools: ["send_mail"],
      tool_risk: { send_mail: "high" },
      hand_off: ["clerk"],
      limits: { iterations: 20, on_limit: "ask" },
    });

    // One that can be tried, edited and saved.
    const clerk = page.getByRole("button", { name: /^Clerk/ });
    await keys.press(clerk);
    const edit = page.getByRole("dialog", { name: "Clerk" });
    await keys.to(edit.getByRole("tab", { name: "Form" }));
    await page.keyboard.press("ArrowRight");
    await focused(edit.getByRole("tab", { name: "Usage and cost" }));
    await page.keyboard.press("ArrowRight");
    await keys.type(edit.getByLabel("order"), "A-2");
    await page.keyboard.press("Enter");
    await see(edit.getByRole("region", { name: "Result" }).getByText("Would need approval"));
    await keys.to(edit.getByRole("tab", { name: "Try it" }), "Shift+Tab");
    await page.keyboard.press("Home");
    await keys.type(edit.getByLabel("Description"), "Answers letters");
    await keys.press(edit.getByRole("button", { name: "Save" }));
    await gone(edit);
    await keys.within(clerk);
    await see(clerk.getByText("Answers letters"));
    expect((await ann.get("/agents/clerk")).version).toBe(2);

    const payer = page.getByRole("button", { name: /^Payer/ });
    await see(payer.getByText("1 run · 1 step · $0.25"));
    await keys.press(payer);
    const used = page.getByRole("dialog", { name: "Payer" });
    await keys.to(used.getByRole("tab", { name: "Form" }));
    await page.keyboard.press("ArrowRight");
    await see(used.getByRole("img", { name: "Cost by day" }));
    await see(used.getByText("1,200", { exact: true }));
    const table = used.getByRole("button", { name: "Table" });
    await keys.press(table);
    await see(used.getByRole("cell", { name: "$0.25" }));
    await focused(table);
    await keys.to(used.getByRole("group", { name: "Table" }));
    // Today is the last of 30 rows, and the arrow keys lead there.
    const today = used.getByRole("row").last();
    const seen = () => today.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight);
    await page.keyboard.press("End");
    await until("today's row in view", seen);
    await page.keyboard.press("Escape");
    await gone(used);
    await keys.within(payer);
  });

  story("a tool is found, and its arguments are read", async () => {
    const { page, keys } = await start("/agents?tab=tools");
    await keys.type(page.getByRole("searchbox", { name: "Find a tool by its purpose" }), "mail");
    const first = page.getByRole("list", { name: "Tools" }).getByRole("listitem").first();
    await see(first.getByText("Send mail"));
    await keys.press(first.getByRole("button", { name: "Arguments of Send mail" }));
    await see(first.getByText("content", { exact: false }));
    await keys.within(first);
  });

  story("a lesson is corrected, removed, restored and exported", async () => {
    const asked = await ann.asked("refund", { customer: "Olav Moe", amount: 4000 });
    await ann.decide(asked.id, "reject", { comment: "Too high." });
    const { page, keys } = await start("/agents?tab=lessons");
    const lesson = page.getByRole("list", { name: "Lessons" }).getByRole("listitem").first();
    await see(lesson.getByText("Too high."));
    const correct = page.getByRole("button", { name: /^Correct the lesson/ });
    await keys.press(correct);
    const dialog = page.getByRole("dialog", { name: "Correct the lesson" });
    await focused(dialog.getByLabel("Explanation for agents"));
    await keys.type(dialog.getByLabel("Explanation for agents"), "Over 1,000 only with consent.");
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await see(lesson.getByText("Agents are told: “Over 1,000 only with consent.”"));
    await gone(dialog);
    await keys.within(correct);
    // What changed is before what was pressed: nothing is lost by going on.
    await keys.press(page.getByRole("button", { name: /^Remove the lesson/ }));
    const remove = page.getByRole("dialog", { name: "Remove the lesson" });
    await keys.type(remove.getByLabel("Reason"), "The limit is gone.");
    await keys.press(remove.getByRole("button", { name: "Remove" }));
    await gone(remove);
    await see(page.getByRole("heading", { name: "No lessons yet" }));
    await keys.within(page.locator("main"));
    await keys.choose(page.getByRole("combobox", { name: "Status" }), "Removed");
    await keys.press(page.getByRole("button", { name: /^Restore the lesson/ }));
    await see(page.getByRole("heading", { name: "No removed lessons" }));
    await keys.choose(page.getByRole("combobox", { name: "Status" }), "In use");
    await keys.to(page.getByRole("link", { name: "Export" }));
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(file.suggestedFilename()).toMatch(/\.jsonl$/);
    expect(await ann.text("/lessons.jsonl")).toContain("Over 1,000 only with consent.");
  });

  story("a schedule is created, edited, paused and deleted", async () => {
    const { page, keys } = await start("/automation");
    const list = page.getByRole("list", { name: "Schedules" });
    const create = page.getByRole("button", { name: "New schedule" });
    await keys.press(create);
    const dialog = page.getByRole("dialog", { name: "New schedule" });
    await focused(dialog.getByLabel("Name"));
    await keys.write("weekly-check");
    await keys.choose(dialog.getByLabel("Workflow to start"), "Refund");
    await keys.choose(dialog.getByLabel("Repeats"), "Every week");
    await keys.choose(dialog.getByLabel("On", { exact: true }), "Friday");
    await keys.type(dialog.getByLabel("Customer"), "Iben");
    at.guard(page).expectAnswer(422, /schedules/);
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await see(dialog.getByRole("alert").getByText(/amount/));
    await keys.within(dialog);
    await at.look(page);
    await keys.type(dialog.getByLabel("Amount"), "12.5");
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await gone(dialog);
    await keys.within(create);
    const made = await ann.get("/schedules/weekly-check");
    expect(made.definition).toMatchObject({
      cron: "0 9 * * fri",
      timezone: "Europe/Berlin",
      workflow: "refund",
      input: { customer: "Iben", amount: 12.5 },
    });

    // Comments stay, whatever is changed.
    const edit = page.getByRole("button", { name: "Edit nightly" });
    await keys.press(edit);
    const second = page.getByRole("dialog", { name: "Edit nightly" });
    await keys.choose(second.getByLabel("If the last run has not ended"), "Start anyway");
    await keys.press(second.getByRole("button", { name: "Save" }));
    await gone(second);
    await keys.within(edit);
    const off = page.getByRole("button", { name: "Disable nightly" });
    await keys.press(off, "Enter", "Shift+Tab");
    const on = page.getByRole("button", { name: "Enable nightly" });
    await see(on);
    await focused(on);
    const paused = await ann.get("/schedules/nightly");
    expect(paused.yaml).toContain("cron: 0 2 * * * # outside office hours\n");
    expect([paused.enabled, paused.definition.overlap]).toEqual([false, "allow"]);
    await page.keyboard.press("Enter");
    await see(off);
    await focused(off);

    await keys.press(page.getByRole("button", { name: "Delete weekly-check" }));
    const remove = page.getByRole("dialog", { name: "Delete the schedule weekly-check" });
    await keys.press(remove.getByRole("button", { name: "Delete" }));
    await gone(list.getByText("weekly-check"));
    await gone(remove);
    await keys.within(page.locator("main"));
    expect((await ann.get("/schedules")).total).toBe(1);
  });

  story("a trigger is created, edited, paused and deleted", async () => {
    const { page, keys } = await start("/automation");
    const create = page.getByRole("button", { name: "New trigger" });
    await keys.press(create);
    const dialog = page.getByRole("dialog", { name: "New trigger" });
    await focused(dialog.getByLabel("Name"));
    await keys.write("new-order");
    await keys.choose(dialog.getByLabel("Workflow to start"), "Refund");
    await keys.choose(dialog.getByLabel("How deliveries are verified"), /^GitHub/);
    await keys.type(dialog.getByLabel("Secret"), secret);
    for (const [field, path] of [
      ["customer", "order.name"],
      ["amount", "order.total"],
      ["note", "order.note"],
    ] as const) {
      await keys.type(dialog.getByLabel("Field of the input"), field);
      await keys.type(dialog.getByLabel("Path into the payload"), path);
      await page.keyboard.press("Enter");
      await see(dialog.getByLabel(`Path of ${field}`));
      await keys.to(dialog.getByLabel("Field of the input"), "Shift+Tab");
    }
    await at.look(page);
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await gone(dialog);
    await keys.within(create);
    const triggers = page.getByRole("list", { name: "Triggers" });
    await see(triggers.getByText("GitHub"));
    expect((await ann.get("/triggers/new-order")).definition).toMatchObject({
      verify: "github",
      map: { customer: "order.name", amount: "order.total" },
    });

    const edit = page.getByRole("button", { name: "Edit new-order" });
    await keys.press(edit);
    const second = page.getByRole("dialog", { name: "Edit new-order" });
    await keys.press(second.getByRole("button", { name: "Remove note" }));
    await keys.within(second);
    await keys.type(second.getByLabel("What identifies a delivery"), "order.id");
    await keys.press(second.getByRole("button", { name: "Save" }));
    await gone(second);
    await keys.within(edit);
    await keys.press(page.getByRole("button", { name: "Disable new-order" }), "Enter", "Shift+Tab");
    await see(triggers.getByText("Disabled"));
    const now = await until("the version", async () => {
      const one = await ann.get("/triggers/new-order");
      return one.enabled ? undefined : one;
    });
    expect(now.definition).toMatchObject({
      map: { customer: "order.name", amount: "order.total" },
      dedupe: "order.id",
    });
    await keys.press(page.getByRole("button", { name: "Delete new-order" }));
    const remove = page.getByRole("dialog", { name: "Delete the trigger new-order" });
    await keys.press(remove.getByRole("button", { name: "Delete" }));
    await see(page.getByRole("heading", { name: "No triggers" }));
    await gone(remove);
    await keys.within(page.locator("main"));
  });

  story("a channel is tested, and a failed message is found and sent again", async () => {
    await ann.put("/channels/ledger", await refusing("ledger"));
    await ann.put("/notifications", { notifications: "default", events: { "approval.needed": ["ledger"] } });
    const asked = await ann.asked("refund", { customer: "Quinn", amount: 10 });
    const message = async () => (await ann.get(`/deliveries?approval=${asked.id}`)).items[0];
    const before = await until("a message that failed", async () => {
      const one = await message();
      return one?.status === "failed" && one;
    });
    await ann.put("/notifications", { notifications: "default", events: {} });
    const { page, keys } = await start("/channels");
    const edit = page.getByRole("button", { name: "Edit phone" });
    await keys.press(edit);
    const dialog = page.getByRole("dialog");
    await keys.type(dialog.getByLabel("Description"), "Phones of those on call");
    await keys.press(dialog.getByRole("button", { name: "Save" }));
    await see(page.getByText("Phones of those on call"));
    await keys.within(edit);
    const test = page.getByRole("button", { name: "Test phone" });
    await keys.press(test);
    await see(page.getByRole("alert").getByText(/push messages are off in every browser of ann/));
    await keys.within(test);
    await keys.press(page.getByRole("link", { name: "Sent messages" }).last(), "Enter", "Shift+Tab");
    await leadsTo(page, /^\/deliveries/);
    await keys.choose(page.getByRole("combobox", { name: "Status" }), "Failed");
    await leadsTo(page, /status=failed/);
    const row = page.getByRole("listitem").filter({ hasText: "responded 410" }).first();
    await keys.press(row.getByRole("button", { name: /^Retry the message to/ }));
    await see(page.getByText("The message will be sent again"));
    // It fails again, at once or a moment later; the focus stays, whether the row is there or not.
    await until("another attempt", async () => (await message()).updated_at !== before.updated_at);
    await keys.within(page.locator("main"));
  });

  story("the audit log is searched, read and verified", async () => {
    const { page, keys } = await start("/audit");
    await keys.choose(page.getByRole("combobox", { name: "Action" }), "Lessons corrected");
    await leadsTo(page, /action=/);
    const entry = page.getByRole("button", { name: /ann corrected a lesson/ }).first();
    await keys.press(entry);
    await see(page.getByText("As recorded"));
    await keys.within(entry);
    await keys.press(page.getByRole("button", { name: "Verify" }), "Enter", "Shift+Tab");
    await see(page.getByRole("region", { name: "Result of the verification" }).getByText("The audit log is intact"));
    await keys.press(page.getByRole("button", { name: "Export" }), "Enter", "Shift+Tab");
    const table = page.getByRole("menuitem", { name: "These entries as a table (CSV)" });
    await focused(table);
    const [csv] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(csv.suggestedFilename()).toMatch(/\.csv$/);

    // One decision, and the proof of its run.
    await keys.press(page.getByRole("button", { name: "Clear" }));
    await keys.type(page.getByRole("searchbox", { name: "Find a decision or a run" }), "Olav");
    const found = page.getByRole("list", { name: "Found" });
    await keys.press(found.getByRole("button", { name: /^Decision/ }));
    await leadsTo(page, /target=apr_/);
    await keys.within(page.locator("main"));
    await keys.press(page.getByRole("button", { name: /ann rejected an approval at Pay/ }));
    await keys.to(page.getByRole("link", { name: "Download the proof" }));
    const [proof] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(proof.suggestedFilename()).toMatch(/^run_.*\.proof\.json$/);
  });

  story("a person is invited, a token created and revoked, a stand-in set and removed", async () => {
    const { page, keys } = await start("/people");
    const invite = page.getByRole("button", { name: "Invite" });
    await keys.press(invite);
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await keys.type(dialog.getByLabel("Name"), "bea");
    await keys.press(dialog.getByRole("checkbox", { name: /^Reviewer/ }), "Space");
    await keys.press(dialog.getByRole("button", { name: "Create account" }));
    const done = page.getByRole("dialog", { name: "bea can sign in" });
    await keys.press(done.getByRole("button", { name: "Done" }));
    await gone(done);
    await keys.within(page.locator("main"));
    await keys.to(page.getByRole("tab", { name: "Accounts" }), "Shift+Tab");
    for (const name of ["Roles", "Tokens"]) {
      await page.keyboard.press("ArrowRight");
      await focused(page.getByRole("tab", { name, exact: true }));
    }
    const create = page.getByRole("button", { name: "Create a token" });
    await keys.press(create);
    const token = page.getByRole("dialog", { name: "Create a token" });
    await keys.type(token.getByLabel("Name"), "weekly");
    await keys.press(token.getByRole("button", { name: "Create", exact: true }));
    const shown = page.getByRole("dialog", { name: "Token for weekly" });
    await keys.press(shown.getByRole("button", { name: "Done" }));
    await gone(shown);
    await keys.within(page.locator("main"));
    await keys.press(page.getByRole("button", { name: "Revoke the token weekly" }));
    await keys.press(page.getByRole("dialog").getByRole("button", { name: "Revoke" }));
    await see(page.getByRole("heading", { name: "No tokens" }));
    await gone(page.getByRole("dialog"));
    await keys.within(page.locator("main"));

    // Stand-ins for people who are away, and who may do what.
    await keys.to(page.getByRole("tab", { name: "Tokens" }), "Shift+Tab");
    await page.keyboard.press("ArrowRight");
    const set = page.getByRole("button", { name: "Set a stand-in" });
    await keys.press(set);
    const away = page.getByRole("dialog", { name: "Set a stand-in" });
    await keys.type(away.getByLabel("Who is away"), "bea");
    await keys.type(away.getByLabel("Stand-in", { exact: true }), "ann");
    await keys.to(away.getByLabel("Last day"));
    // Browsers differ in what comes first, the day or the month: here they are the same.
    const last = new Date(Date.now() + 2 * 86_400_000);
    while (last.getUTCDate() !== last.getUTCMonth() + 1) last.setUTCDate(last.getUTCDate() + 1);
    await keys.write(last.toISOString().slice(0, 10).split("-").reverse().join(""));
    await keys.press(away.getByRole("button", { name: "Set stand-in" }));
    await gone(away);
    await keys.within(set);
    await keys.press(page.getByRole("button", { name: "Remove the stand-in for bea" }));
    await see(page.getByRole("heading", { name: "Everyone decides for themselves" }));
    await keys.within(page.locator("main"));
    await keys.to(page.getByRole("tab", { name: "Stand-ins" }), "Shift+Tab");
    await page.keyboard.press("ArrowRight");
    await keys.type(page.getByRole("combobox", { name: "Name", exact: true }), "bea");
    await keys.press(page.getByRole("button", { name: "Explain" }));
    await see(page.getByRole("region", { name: "Answer" }).getByText(/Roles checked:.*Reviewer/));
  });

  story("a sentence becomes a draft, which is tested, published, changed and restored", async () => {
    const { page, keys } = await start("/workflows");
    const before = await ann.get("/workflows?limit=200");
    await keys.press(page.getByRole("button", { name: "Describe it" }));
    const dialog = page.getByRole("dialog", { name: "Describe a workflow" });
    await keys.type(dialog.getByLabel("What should happen?"), "Find the pages of the customer.");
    await keys.press(dialog.getByRole("button", { name: "Suggest" }));
    await see(dialog.getByRole("list", { name: "Suggested steps" }).getByText("Page finder"));
    await keys.within(dialog);
    await keys.type(dialog.getByLabel("Name"), "Print pages");
    await keys.press(dialog.getByRole("button", { name: "Open as a draft" }));
    await leadsTo(page, /^\/workflows\/print-pages$/);
    await see(page.getByText("Draft", { exact: true }));
    await keys.within(page.locator("main"));
    expect((await ann.get("/workflows?limit=200")).total).toBe(before.total);

    // A test in place, and again from a step.
    await keys.press(page.getByRole("button", { name: "Test", exact: true }));
    const panel = page.getByRole("complementary", { name: "Test" });
    await focused(panel);
    await keys.to(panel.getByRole("textbox", { name: "Sample input as JSON" }));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "customer": "Iben" }');
    await keys.press(panel.getByRole("button", { name: "Run a test" }));
    const test = panel.getByRole("region", { name: "Test run" });
    await see(test.getByRole("status").getByText("Completed"));
    const first = await test.getByRole("link", { name: "Open the run" }).getAttribute("href");
    await keys.press(test.getByRole("button", { name: "Page finder" }));
    const step = page.getByRole("complementary", { name: "Page finder" });
    await keys.within(step);
    const here = step.getByRole("region", { name: "In the test run" });
    await keys.press(here.getByRole("button", { name: "Pin output" }));
    await keys.within(here.getByRole("button", { name: "Unpin" }));
    await keys.to(here.getByRole("textbox", { name: "Pinned output of Page finder" }), "Shift+Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "pages": [] }');
    await see(here.getByText("Real runs never use it.", { exact: false }));
    await keys.press(here.getByRole("button", { name: "Run from here" }));
    await until("another run", async () => {
      const link = test.getByRole("link", { name: "Open the run" });
      return (await link.count()) === 1 && (await link.getAttribute("href")) !== first;
    });
    await keys.within(panel);

    // Published with a note; changed, compared, and the first version is back.
    const publish = async (note: string) => {
      const button = page.getByRole("button", { name: "Publish" });
      await until("no problems", () => button.isEnabled());
      await keys.press(button, "Enter", "Shift+Tab");
      const form = page.getByRole("dialog", { name: /^Publish version/ });
      await keys.type(form.getByLabel("Note"), note);
      await keys.press(form.getByRole("button", { name: "Publish" }));
      await gone(form);
      await keys.within(button);
    };
    await publish("First");
    await see(page.getByText("Version 1 is published").first());
    await keys.press(test.getByRole("button", { name: "Page finder" }));
    await keys.type(step.getByRole("textbox", { name: "Timeout" }), "9m");
    await keys.press(page.getByRole("button", { name: "Show changes" }), "Enter", "Shift+Tab");
    await see(page.getByRole("region", { name: "Changes since version 1" }).getByText("Page finder", { exact: false }));
    await keys.to(step.getByRole("textbox", { name: "Timeout" }));
    await publish("Patient");
    const open = page.getByRole("button", { name: "Versions", exact: true });
    await keys.press(open, "Enter", "Shift+Tab");
    const versions = page.getByRole("dialog", { name: "Versions" });
    await see(versions.getByText("Patient"));
    await keys.press(versions.getByRole("button", { name: /^Version 1/ }));
    await keys.choose(versions.getByRole("combobox", { name: "Compared with" }), "Version 2 (published)");
    await keys.press(versions.getByRole("button", { name: "Publish this version" }));
    const restore = page.getByRole("dialog", { name: "Publish version 1" });
    await until("it is compared", () => restore.getByRole("button", { name: "Publish" }).isEnabled());
    await keys.press(restore.getByRole("button", { name: "Publish" }));
    await gone(restore);
    await until("version 1 is in force", async () => (await ann.get("/workflows/print-pages")).version === 1);
    await keys.within(versions);
    await keys.press(versions.getByRole("button", { name: "Close" }));
    await gone(versions);
    await keys.within(open);
  });

  story("a rule is moved, tried, backtested, published and undone, a sample reviewed, the stop pressed", async () => {
    await ann.reaches(await ann.start("stamp", { letter: "B-2" }), "completed");
    const { page, keys } = await start("/policy");
    await keys.to(page.getByRole("button", { name: /^Move Letters/ }));
    await page.keyboard.press("ArrowUp");
    await see(page.getByRole("status").getByText("Letters is now number 1 of 3."));
    await focused(page.getByRole("button", { name: /^Move Letters: position 1 of 3/ }));
    /** From the tab that is open to another one. */
    const turn = async (from: string, to: string) => {
      await keys.to(page.getByRole("tab", { name: from }), "Shift+Tab");
      const there = () => page.getByRole("tab", { name: to }).evaluate((tab) => tab === document.activeElement);
      for (let n = 0; n < 6 && !(await there()); n++) await page.keyboard.press("ArrowRight");
      await see(page.getByRole("tab", { name: to, selected: true }));
    };
    await turn("Rules", "Try a case");
    await keys.type(page.getByLabel("Operation"), "refund");
    await keys.to(page.getByRole("textbox", { name: "Data of the case" }));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "amount": 3 }');
    await keys.press(page.getByRole("button", { name: "Try it" }));
    const mine = page.getByRole("region", { name: "With your changes" });
    await see(mine.getByText("Asks", { exact: true }));
    await see(mine.getByRole("list", { name: "Path to the verdict" }).getByText("Letters"));
    await turn("Try a case", "Backtest");
    await see(page.getByText("Cases by deciding rule"));
    const longer = page.getByRole("button", { name: "90 days" });
    await keys.press(longer);
    await leadsTo(page, /days=90/);
    await see(page.getByRole("button", { name: "90 days", pressed: true }));
    await see(page.getByText("It would not approve anything that people rejected."));
    await keys.within(longer);
    const publish = async () => {
      await keys.press(page.getByRole("button", { name: "Publish…" }), "Enter", "Shift+Tab");
      const dialog = page.getByRole("dialog", { name: "Publish the policy" });
      await until("the backtest", () => dialog.getByRole("button", { name: "Publish" }).isEnabled());
      await keys.press(dialog.getByRole("button", { name: "Publish" }));
      await gone(dialog);
      await keys.within(page.locator("main"));
      return (await ann.get("/policy")).rules.map((rule: { name: string }) => rule.name);
    };
    expect(await publish()).toEqual(["Letters", "Refunds", "Stamps"]);

    await turn("Backtest", "Automatic approvals");
    const samples = page.getByRole("list", { name: "Samples to review" }).getByRole("listitem");
    const open = await until("the samples", () => samples.count());
    await keys.press(page.getByRole("button", { name: /^Wrong to approve/ }));
    await focused(page.getByLabel("What was wrong?"));
    await keys.write("The letter was empty.");
    await keys.press(page.getByRole("button", { name: "Record as wrong" }));
    await until("one less", async () => (await samples.count()) === open - 1);
    await see(page.getByRole("row", { name: "Stamps 0 %" }));
    await keys.within(page.locator("main"));

    // The version before: compared, and in force again.
    await turn("Automatic approvals", "Versions");
    const versions = page.getByRole("list", { name: "Versions" });
    await see(versions.getByRole("button", { name: /^Version 2.*In force/ }));
    const older = versions.getByRole("button", { name: /^Version 1/ });
    await keys.press(older);
    await focused(older);
    await see(page.getByRole("list", { name: "Differences" }));
    await keys.press(page.getByRole("button", { name: "Open for editing" }));
    await see(page.getByText("1 unpublished change"));
    await keys.within(page.locator("main"));
    expect(await publish()).toEqual(["Refunds", "Letters", "Stamps"]);

    const stop = page.getByRole("banner").getByRole("button", { name: "Emergency stop" });
    await keys.press(stop, "Enter", "Shift+Tab");
    const form = page.getByRole("dialog", { name: "Emergency stop" });
    await focused(form.getByRole("textbox"));
    await keys.write("Strange letters");
    await keys.press(form.getByRole("button", { name: "Stop automatic approval" }));
    await gone(form);
    await see(page.getByRole("status").getByText(/Strange letters/));
    const stopped = page.getByRole("banner").getByRole("button", { name: "Stopped" });
    await keys.within(stopped);
    await page.keyboard.press("Enter");
    const off = page.getByRole("dialog", { name: "Turn the emergency stop off?" });
    await keys.press(off.getByRole("button", { name: "Turn off" }));
    await gone(off);
    await keys.within(stop);
    expect((await ann.get("/policy")).emergency_stop.on).toBe(false);
  });

  story("a setting is found, and the user's own are saved", async () => {
    const { page, keys } = await start("/settings");
    await keys.type(page.getByRole("searchbox", { name: "Find a setting" }), "how long");
    await see(page.getByText("Session idle", { exact: true }));
    await keys.press(page.getByRole("checkbox", { name: "Only changed ones" }), "Space");
    await see(page.getByText("No matches"));
    await keys.press(page.getByRole("banner").getByRole("button", { name: /ann/ }), "Enter", "Shift+Tab");
    await see(page.getByRole("menuitem", { name: "Notifications" }));
    await keys.write("No");
    await pressAlone(page, "Enter");
    await leadsTo(page, /^\/settings\/notifications/);
    await keys.choose(page.getByRole("combobox", { name: /^Run failed/ }), "Never");
    await keys.type(page.getByLabel("E-mail address"), "ann@example.com");
    await keys.choose(page.getByRole("combobox", { name: "Quiet hours" }), "Custom");
    const save = page.getByRole("button", { name: "Save" });
    await keys.press(save);
    await see(page.getByText("Saved", { exact: true }));
    await keys.within(save);
    expect(await ann.get("/me/notifications")).toMatchObject({
      email: "ann@example.com",
      events: { "run.failed": [] },
    });
  });

  story("an approval drafts a rule", async () => {
    const waiting = await ann.asked("refund", { customer: "Cem", amount: 700 });
    const page = await at.open(`/approvals/${waiting.id}`, { as: ann });
    const keys = new Keyboard(page);
    await keys.press(page.getByRole("button", { name: "More ways to answer" }));
    await see(page.getByRole("menuitem", { name: "Always allow this…" }));
    await keys.write("Al");
    await pressAlone(page, "Enter");
    await leadsTo(page, /^\/policy\?tab=backtest/);
    await see(page.getByText("1 unpublished change"));
    await keys.press(page.getByRole("button", { name: "Discard" }));
    await gone(page.getByText("1 unpublished change"));
    await keys.within(page.locator("main"));
  });
});
