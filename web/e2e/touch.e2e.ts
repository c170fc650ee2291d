import { describe, expect } from "vitest";
import { gone, leadsTo, pageFinder, refusing, says, see, stage, story, until } from "./harness";

// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference, as it is written
const secret = "${env:ASSENT_SECRET_ORDERS}";

const documents = async () => `${pageFinder}
---
workflow: payback
input: { type: object, properties: { amount: { type: number } } }
steps: [{ id: pay, agent: quick, operation: payback, risk: medium, with: { amount: input.amount } }]
---
channel: phone
kind: push
---
policy: default
rules:
  - { name: Paybacks, priority: 10, trigger: { operation_type: payback }, action: { role: approver } }
`;

describe("on a phone, by thumb", () => {
  const at = stage({ documents });
  const ann = at.person("ann", "approver");
  const boss = at.person("boss", "admin", "approver");

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
    await ann.reaches(await ann.start("press"), "completed");
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
    await page
      .getByRole("button", { name: /^report\.md/ })
      .first()
      .tap();
    const sheet = page.getByRole("dialog", { name: "report.md" });
    await sheet.getByRole("button", { name: /^Version 1/ }).tap();
    await see(sheet.getByText("there is a newer one"));
    await sheet.getByRole("button", { name: /^Version 2/ }).tap();
    await sheet.getByRole("combobox", { name: "How it stands" }).tap();
    await page.getByRole("option", { name: /^Archived/ }).tap();
    await see(page.getByText("Marked as archived"));
    await at.look(page);
    await sheet.getByRole("button", { name: "Close" }).tap();
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

  story("tests a channel, finds a failed message and sends it again", async () => {
    const rule = (events: object) => boss.put("/notifications", { notifications: "default", events });
    await boss.put("/channels/ledger", await refusing("ledger"));
    await rule({ "approval.needed": ["ledger"] });
    const asked = await ann.asked("payback", { amount: 10 });
    const message = async () => (await boss.get(`/deliveries?approval=${asked.id}`)).items[0];
    const before = await until("a message that failed", async () => {
      const one = await message();
      return one?.status === "failed" && one;
    });
    await rule({});
    const page = await at.open("/channels", { as: boss, view: "phone" });
    await page.getByRole("button", { name: "Test phone" }).tap();
    await see(page.getByRole("alert").getByText(/push messages are off in every browser of boss/));
    await at.look(page);
    await page.getByRole("button", { name: "New channel" }).tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("spare");
    at.guard(page).expectAnswer(422, /channels/);
    await dialog.getByRole("button", { name: "Save" }).tap();
    await see(dialog.getByRole("alert").getByText(/the mail server is missing/));
    await at.look(page);
    await dialog.getByRole("combobox", { name: "Kind" }).tap();
    await page.getByRole("option", { name: "Push" }).tap();
    await dialog.getByRole("button", { name: "Save" }).tap();
    await page.getByRole("button", { name: "Delete spare" }).tap();
    await dialog.getByRole("button", { name: "Delete" }).tap();
    await gone(page.getByRole("button", { name: "Delete spare" }));
    await page.getByRole("main").getByRole("link", { name: "Sent messages" }).tap();
    await leadsTo(page, /^\/deliveries/);
    await page.getByRole("button", { name: "Filters" }).tap();
    await page.getByRole("combobox", { name: "Status" }).tap();
    await page.getByRole("option", { name: "Failed" }).tap();
    await leadsTo(page, /status=failed/);
    await at.look(page);
    await page
      .getByRole("button", { name: /^Retry the message to/ })
      .first()
      .tap();
    await see(page.getByText("The message will be sent again"));
    await until("another attempt", async () => (await message()).updated_at !== before.updated_at);
  });

  story("makes a draft of a sentence, tests and publishes it, and goes back a version", async () => {
    const total = async () => (await boss.get("/workflows?limit=200")).total;
    const before = await total();
    const page = await at.open("/workflows", { as: boss, view: "phone" });
    await page.getByRole("button", { name: "Describe it" }).tap();
    const dialog = page.getByRole("dialog", { name: "Describe a workflow" });
    await dialog.getByLabel("What should happen?").fill("Find the pages of the customer.");
    await dialog.getByRole("button", { name: "Suggest" }).tap();
    await see(dialog.getByRole("list", { name: "Suggested steps" }).getByText("Page finder"));
    await at.look(page);
    await dialog.getByLabel("Name").fill("Print pages");
    await dialog.getByRole("button", { name: "Open as a draft" }).tap();
    await leadsTo(page, /^\/workflows\/print-pages$/);
    await see(page.getByText("Draft", { exact: true }));
    expect(await total()).toBe(before);

    // Two more steps, in the outline.
    const steps = page.getByRole("list", { name: "Steps in order" });
    for (const after of ["Page finder", "Quick"]) {
      await steps.getByRole("button", { name: `Add a step after ${after}` }).tap();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Quick/ })
        .tap();
      await page.getByRole("button", { name: "Back", exact: true }).tap();
    }
    await until(
      "three steps",
      async () => (await steps.getByRole("button", { name: /^Add a step after/ }).count()) === 3,
    );

    // The panel of tests is in view once it is opened.
    await page.getByRole("button", { name: "Test", exact: true }).tap();
    const panel = page.getByRole("complementary", { name: "Test" });
    const inView = async () => ((await panel.boundingBox())?.y ?? 844) < 844 / 2;
    await until("the panel in view", inView);
    await panel.getByRole("textbox", { name: "Sample input as JSON" }).fill('{ "customer": "Iben" }');
    await panel.getByRole("button", { name: "Run a test" }).tap();
    const test = panel.getByRole("region", { name: "Test run" });
    await see(test.getByRole("status").getByText("Completed"));
    for (const name of ["Page finder", "Quick", "Quick 2"]) {
      const row = test.getByRole("listitem").filter({ has: page.getByRole("button", { name, exact: true }) });
      await see(row.getByText("Done", { exact: true }));
    }
    const first = await test.getByRole("link", { name: "Open the run" }).getAttribute("href");
    await at.look(page);
    await test.getByRole("button", { name: "Page finder" }).tap();
    const step = page.getByRole("complementary", { name: "Page finder" });
    const here = step.getByRole("region", { name: "In the test run" });
    await here.getByRole("button", { name: "Pin output" }).tap();
    await here.getByRole("textbox", { name: "Pinned output of Page finder" }).fill('{ "pages": [] }');
    await at.look(page);
    await here.getByRole("button", { name: "Run from here" }).tap();
    await until("another run", async () => {
      const link = test.getByRole("link", { name: "Open the run" });
      return (await link.count()) === 1 && (await link.getAttribute("href")) !== first;
    });
    await panel.getByRole("button", { name: "Back" }).tap();

    const publish = async (note: string) => {
      await page.getByRole("button", { name: "Publish" }).tap();
      const form = page.getByRole("dialog", { name: /^Publish version/ });
      await form.getByLabel("Note").fill(note);
      await form.getByRole("button", { name: "Publish" }).tap();
      await gone(form);
    };
    await publish("First");
    await step.getByRole("textbox", { name: "Timeout" }).fill("9m");
    await until("it is saved", async () => (await boss.get("/workflows/print-pages/working_copy")).yaml.includes("9m"));
    await publish("Patient");
    await page.getByRole("button", { name: "Versions", exact: true }).tap();
    const versions = page.getByRole("dialog", { name: "Versions" });
    await see(versions.getByText("Patient"));
    await see(versions.locator('[data-node="page_finder"][data-mark="changed"]'));
    await at.look(page);
    await versions.getByRole("button", { name: /^Version 1/ }).tap();
    await versions.getByRole("button", { name: "Publish this version" }).tap();
    await page.getByRole("dialog", { name: "Publish version 1" }).getByRole("button", { name: "Publish" }).tap();
    await until("version 1 is in force", async () => (await boss.get("/workflows/print-pages")).version === 1);
  });

  story("allows for ever what is asked: the rule is drafted, moved, tried and published", async () => {
    const asked = await ann.asked("payback", { amount: 700 });
    const page = await at.open(`/approvals/${asked.id}`, { as: boss, view: "phone" });
    await page.getByRole("button", { name: "More ways to answer" }).tap();
    await page.getByRole("menuitem", { name: "Always allow this…" }).tap();
    await leadsTo(page, /^\/policy\?tab=backtest/);
    await see(page.getByText("1 unpublished change"));
    await at.look(page);
    await page.getByRole("tab", { name: "Rules" }).tap();
    const rules = page.getByRole("list", { name: "Rules" }).getByRole("heading");
    const order = async () => (await rules.allInnerTexts()).map((text) => text.replace(/^\d+\s*/, ""));
    const drafted = "Allow payback in payback, amount up to 700";
    await until("the rule", async () => (await order())[0] === drafted);
    await page.getByRole("button", { name: "More about Paybacks" }).tap();
    await page.getByRole("menuitem", { name: "Move up" }).tap();
    await until("another order", async () => (await order())[1] === drafted);
    await page.getByRole("button", { name: "Undo" }).tap();
    await at.look(page);
    await page.getByRole("tab", { name: "Try a case" }).tap();
    await page.getByLabel("Start from a recent approval").tap();
    await page.getByRole("option", { name: asked.title }).first().tap();
    await page.getByRole("button", { name: "Try it" }).tap();
    await see(page.getByRole("region", { name: "With your changes" }).getByText("Approves", { exact: true }));
    await at.look(page);
    await page.getByRole("button", { name: "Publish…" }).tap();
    const dialog = page.getByRole("dialog", { name: "Publish the policy" });
    await dialog.getByRole("button", { name: "Publish" }).tap();
    await gone(dialog);
    await until("the rule is in force", async () => (await boss.get("/policy")).rules[0].name === drafted);
  });

  story("creates and revokes a token, and verifies and takes along what was recorded of it", async () => {
    await ann.start("payback", { amount: 5 });
    const page = await at.open("/people?tab=tokens", { as: boss, view: "phone" });
    await page.getByRole("button", { name: "Create a token" }).tap();
    const dialog = page.getByRole("dialog", { name: "Create a token" });
    await dialog.getByLabel("Name").fill("nightly");
    await at.look(page);
    await dialog.getByRole("button", { name: "Create", exact: true }).tap();
    const shown = page.getByRole("dialog", { name: "Token for nightly" });
    await see(shown.getByText("It is shown only now", { exact: false }));
    await at.look(page);
    await shown.getByRole("button", { name: "Done" }).tap();
    await page.getByRole("button", { name: "Revoke the token nightly" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).tap();
    await see(page.getByRole("heading", { name: "No tokens" }));

    await page.getByRole("navigation", { name: "Main" }).last().getByRole("button", { name: "More" }).tap();
    await page.getByRole("dialog", { name: "More" }).getByRole("link", { name: "Audit" }).tap();
    await leadsTo(page, /^\/audit/);
    await see(page.getByRole("button", { name: /boss revoked a token of nightly/ }));
    await page.getByRole("button", { name: "Verify" }).tap();
    await see(page.getByRole("region", { name: "Result of the verification" }).getByText("The audit log is intact"));
    await at.look(page);
    await page.getByRole("button", { name: "Export" }).tap();
    const [csv] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "All entries as a table (CSV)" }).tap(),
    ]);
    expect(csv.suggestedFilename()).toMatch(/\.csv$/);
    await page
      .getByRole("button", { name: /ann started a run of Payback/ })
      .first()
      .tap();
    const [proof] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the proof" }).tap(),
    ]);
    expect(proof.suggestedFilename()).toMatch(/^run_.*\.proof\.json$/);
  });

  story("writes an agent and a trigger, and sets a stand-in", async () => {
    const page = await at.open("/agents", { as: boss, view: "phone" });
    const more = async (to: string) => {
      await page.getByRole("navigation", { name: "Main" }).last().getByRole("button", { name: "More" }).tap();
      await page.getByRole("dialog", { name: "More" }).getByRole("link", { name: to }).tap();
    };
    await page.getByRole("button", { name: "New agent" }).tap();
    const agent = page.getByRole("dialog", { name: "New agent" });
    await agent.getByLabel("Name").fill("correspondent");
    await agent.getByLabel("Model").fill("gpt-4o");
    await agent.getByLabel("Instructions").fill("Write letters.");
    await agent.getByText("Asks before every call").tap();
    await agent.getByLabel("Add a tool").fill("write_file");
    await agent.getByRole("button", { name: "Add", exact: true }).tap();
    await agent.getByLabel("Risk of Write file").tap();
    await page.getByRole("option", { name: "Critical" }).tap();
    // Only agents that can take over a conversation are offered.
    const others = agent.getByRole("group", { name: "May hand off to" });
    await others.getByText("Analyst").tap();
    expect(await others.getByText("Quick").count()).toBe(0);
    await agent.getByLabel("Cost, US dollars").fill("2.50");
    await at.look(page);
    await agent.getByRole("button", { name: "Save" }).tap();
    await see(page.getByRole("button", { name: /^Correspondent/ }));
    expect((await boss.get("/agents/correspondent")).definition).toMatchObject({
      autonomy: "approve_all",
      tool_risk: { write_file: "critical" },
      hand_off: ["analyst"],
      limits: { cost_usd: "2.5" },
    });

    await more("Automation");
    await page.getByRole("button", { name: "New trigger" }).tap();
    const trigger = page.getByRole("dialog", { name: "New trigger" });
    await trigger.getByLabel("Name").fill("new-order");
    await trigger.getByLabel("Workflow to start").tap();
    await page.getByRole("option", { name: "Payback" }).tap();
    await trigger.getByLabel("How deliveries are verified").tap();
    await page.getByRole("option", { name: /^GitHub/ }).tap();
    await trigger.getByLabel("Secret").fill(secret);
    await trigger.getByLabel("Field of the input").fill("amount");
    await trigger.getByLabel("Path into the payload").fill("order.total");
    await trigger.getByRole("form", { name: "Add a field" }).getByRole("button").tap();
    await see(trigger.getByLabel("Path of amount"));
    await at.look(page);
    await trigger.getByRole("button", { name: "Save" }).tap();
    await see(page.getByRole("list", { name: "Triggers" }).getByText("new-order", { exact: true }));

    await more("People");
    await page.getByRole("tab", { name: "Stand-ins" }).tap();
    await page.getByRole("button", { name: "Set a stand-in" }).tap();
    const away = page.getByRole("dialog", { name: "Set a stand-in" });
    await away.getByLabel("Who is away").fill("ann");
    await away.getByLabel("Stand-in", { exact: true }).fill("boss");
    await away.getByLabel("Last day").fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10));
    await at.look(page);
    await away.getByRole("button", { name: "Set stand-in" }).tap();
    await page.getByRole("button", { name: "Remove the stand-in for ann" }).tap();
    await see(page.getByRole("heading", { name: "Everyone decides for themselves" }));
  });
});
