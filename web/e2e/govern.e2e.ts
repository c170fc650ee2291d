import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { becomes, Keyboard, leadsTo, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

/** A small MCP server, which can be switched off. */
const archive = { up: true };
const archiveServer = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    const { id, method } = body ? JSON.parse(body) : { id: undefined, method: "" };
    if (!archive.up) return response.writeHead(503).end();
    if (request.method !== "POST") return response.writeHead(405).end();
    if (id === undefined) return response.writeHead(202).end();
    const tool = (name: string, readOnlyHint: boolean) => ({
      name,
      description: "A tool of the archive",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint },
    });
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "archive", version: "1" },
      },
      "tools/list": { tools: [tool("find_letter", true), tool("delete_letter", false)] },
      ping: {},
    };
    const result = results[method];
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        ...(result ? { result } : { error: { code: -32601, message: "unknown" } }),
      }),
    );
  });
});

async function archiveURL(): Promise<string> {
  await new Promise<void>((done) => archiveServer.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(archiveServer.address() as AddressInfo).port}/mcp?key=hush`;
}

const documents = async () => `mcp_server: archive
url: ${await archiveURL()}
description: The letters of customers
---
agent: payer
kind: scripted
answers: [{ output: { ok: true } }]
---
workflow: refund
input: { type: object, properties: { customer: { type: string }, amount: { type: number } }, required: [customer, amount] }
steps:
  - { id: pay, agent: payer, operation: refund, risk: medium, with: { customer: input.customer, amount: input.amount } }
---
workflow: goodwill
input: { type: object, properties: { amount: { type: number } }, required: [amount] }
steps:
  - { id: thank, agent: payer, operation: refund, risk: medium, with: { amount: input.amount } }
---
agent: clerk
kind: llm
provider: scripted
input: { type: object, properties: { order: { type: string } }, required: [order] }
tools: [read_file, send_mail]
turns:
  - say: I will look up the order.
    calls: [{ tool: read_file, args: { path: orders.csv } }]
    usage: { tokens_in: 400, tokens_out: 20, cost_usd: 0.002 }
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
role: auditor
permissions: [view, audit]
---
policy: default
rules:
  - name: High-value refunds
    priority: 10
    trigger: { operation_type: refund, data_threshold: { field: amount, operator: ">", value: 1000 } }
    action: { require_approval_count: 2, role: finance }
  - name: Tiny refunds
    priority: 20
    trigger: { operation_type: refund, data_threshold: { field: amount, operator: "<", value: 5 } }
    action: { auto_approve: true, sample_percentage: 100, max_uses: 50 }
  - name: Refunds
    priority: 30
    trigger: { operation_type: refund }
    action: { role: support }
`;

describe("governing", () => {
  const at = stage({ documents, load: [] });
  const ann = at.person("ann", "admin", "approver", "support", "finance");
  const rob = at.person("rob", "reviewer");

  afterAll(() => {
    archiveServer.closeAllConnections();
    archiveServer.close();
  });

  beforeAll(async () => {
    if (!at.server) return;
    const tiny = await ann.start("refund", { customer: "Bo", amount: 3 });
    const small = await ann.start("refund", { customer: "Cy", amount: 4 });
    const cheap = await ann.asked("refund", { customer: "Iben Dahl", amount: 40 });
    await ann.decide(cheap.id, "approve");
    const dear = await ann.asked("refund", { customer: "Olav Moe", amount: 90 });
    await ann.decide(dear.id, "reject", { comment: "No receipt." });
    await ann.reaches(tiny, "completed");
    await ann.reaches(small, "completed");
  });

  story("a rule is moved, written, tried, backtested and published, with the keyboard and the mouse", async () => {
    const page = await at.open("/inbox", { as: ann });
    await page.getByRole("link", { name: "Policy" }).click();
    await leadsTo(page, /^\/policy/);
    const rules = page.getByRole("list", { name: "Rules" });
    const order = () => rules.getByRole("heading").allInnerTexts();
    await see(rules.getByText("48 of 50"));
    expect((await order()).map((text) => text.replace(/^\d+\s*/, ""))).toEqual([
      "High-value refunds",
      "Tiny refunds",
      "Refunds",
    ]);
    await inBothThemes(page, "policy-desktop", () => at.look(page));

    // By keyboard: the focus stays with the rule that moves.
    await page.getByRole("button", { name: /^Move Tiny refunds/ }).focus();
    await page.keyboard.press("ArrowUp");
    await see(page.getByText("Tiny refunds is now number 1 of 3."));
    await see(page.getByRole("button", { name: /^Move Tiny refunds: position 1 of 3/ }));
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute("data-grip")), "Tiny refunds");
    await page.getByRole("button", { name: "Undo" }).click();
    await see(page.getByRole("button", { name: /^Move Tiny refunds: position 2 of 3/ }));
    // By dragging.
    await page.getByRole("button", { name: /^Move Refunds/ }).dragTo(rules.getByText("High-value refunds"));
    await see(page.getByRole("button", { name: /^Move Refunds: position 1 of 3/ }));
    await page.getByRole("button", { name: "Undo" }).click();

    // A rule that would let a rejected refund through.
    await page.getByRole("button", { name: "Add rule" }).click();
    const dialog = page.getByRole("dialog", { name: "Add rule" });
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await see(dialog.getByText("Give the rule a name"));
    await dialog.getByLabel("Name", { exact: true }).fill("Up to 100");
    await dialog.getByLabel("Operations").fill("refund");
    await dialog.getByRole("button", { name: "Compare a field" }).click();
    await dialog.getByLabel("Field", { exact: true }).fill("amount");
    await dialog.getByLabel("Value", { exact: true }).fill("100");
    await dialog.getByLabel("Comparison", { exact: true }).click();
    await page.getByRole("option", { name: "<=", exact: true }).click();
    await dialog.getByText("Approve automatically").click();
    await dialog.getByText("Evaluate it before all other rules").click();
    await at.look(page);
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await see(rules.getByText("operation is refund and amount <= 100"));
    await see(page.getByText("1 unpublished change"));

    await page.getByRole("tab", { name: "Try a case" }).click();
    await page.getByLabel("Start from a recent approval").click();
    await page.getByRole("option", { name: /Olav Moe/ }).click();
    await see(page.getByRole("region", { name: "With your changes" }).getByText("Approves", { exact: true }));
    await see(page.getByRole("region", { name: "In force" }).getByText("Asks", { exact: true }));
    await at.look(page);

    await page.getByRole("tab", { name: "Backtest" }).click();
    const rejected = page.getByRole("list", { name: "Rejected, but it would approve" });
    await see(rejected.getByText("No receipt."));
    await inBothThemes(page, "policy-backtest-desktop", () => at.look(page));

    await page.getByRole("button", { name: "Publish…" }).click();
    const publish = page.getByRole("dialog", { name: "Publish the policy" });
    await see(publish.getByText("It would have approved 1 action that people rejected."));
    await at.look(page);
    await publish.getByLabel("Reason").fill("receipts are checked by the shop now");
    // The page hears of the policy in force before it gets the answer, and does not take it for another person's.
    const inForce = page.getByText("4 rules in force · version 2 by ann", { exact: false });
    await page.route("**/api/v1/policy*", async (route) => {
      if (route.request().method() !== "PUT") return route.fallback();
      const response = await route.fetch();
      await see(inForce);
      await route.fulfill({ response });
    });
    await publish.getByRole("button", { name: "Accept the risk and publish" }).click();
    await see(inForce);
    await see(page.getByText("The policy is in force"));
    await page.unrouteAll({ behavior: "wait" });
    expect((await ann.get("/policy")).rules[0].name).toBe("Up to 100");

    await page.getByRole("tab", { name: "Versions" }).click();
    await see(page.getByRole("list", { name: "Differences" }).getByText("Removed"));
    await at.look(page);

    await page.getByRole("tab", { name: "Automatic approvals" }).click();
    await page.getByRole("button", { name: /^Right to approve: .*Cy/ }).click();
    await see(page.getByRole("row", { name: "Tiny refunds 100 %" }));
  });

  story("problems stand at their line; samples are reviewed; all of it on a phone", async () => {
    const page = await at.open("/policy?view=yaml", { as: ann, view: "phone" });
    const editor = page.getByRole("textbox", { name: "Policy" });
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("x: 1\n");
    await see(page.getByText(/unknown key "x"/));
    await see(page.getByText("Fix the problems to save"));
    await at.look(page);
    await page.getByRole("button", { name: "Discard" }).tap();
    await page.getByRole("tab", { name: "Automatic approvals" }).tap();
    await page.getByRole("button", { name: /^Wrong to approve: .*Bo/ }).tap();
    await page.getByLabel("What was wrong?").fill("Bo is no customer.");
    await page.getByRole("button", { name: "Record as wrong" }).tap();
    await see(page.getByRole("heading", { name: "All samples reviewed" }));
    await see(page.getByRole("row", { name: "Tiny refunds 50 %" }));
    await inBothThemes(page, "policy-samples-phone", () => at.look(page));
  });

  story("people without the permission are shown the rules, and nothing to change them", async () => {
    const page = await at.open("/policy", { as: rob, view: "tablet" });
    await see(page.getByRole("list", { name: "Rules" }).getByText("High-value refunds"));
    expect(await page.getByRole("button", { name: /Add|Edit|Publish|Move/ }).count()).toBe(0);
    await inBothThemes(page, "policy-tablet", () => at.look(page));
  });

  story("an auditor finds one decision, reads it, verifies the log and takes the proof along", async () => {
    const page = await at.open("/inbox", { as: at.person("kim", "auditor") });
    await page.getByRole("link", { name: "Audit" }).click();
    await leadsTo(page, /^\/audit/);
    await page.getByRole("searchbox", { name: "Find a decision or a run" }).fill("Olav");
    await page
      .getByRole("list", { name: "Found" })
      .getByRole("button", { name: /^Decision/ })
      .click();
    await leadsTo(page, /target=apr_/);
    const entry = page.getByRole("button", { name: /ann rejected an approval at Pay/ });
    await entry.press("Enter");
    await see(page.getByText("With the roles"));
    await page.getByRole("button", { name: "Verify" }).click();
    const result = page.getByRole("region", { name: "Result of the verification" });
    await see(result.getByText("The audit log is intact"));
    await see(result.getByText(/^\d+:[0-9a-f]{64}$/));
    await inBothThemes(page, "audit-desktop", () => at.look(page));
    const [proof] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the proof" }).click(),
    ]);
    expect(proof.suggestedFilename()).toMatch(/^run_.*\.proof\.json$/);
    await page.getByRole("button", { name: /^Remove the filter/ }).click();
    await page.getByRole("combobox", { name: "Action" }).click();
    await page.getByRole("option", { name: "Risks accepted" }).click();
    await see(page.getByRole("button", { name: /ann accepted the risk of a policy/ }));
  });

  story("the audit log on a phone", async () => {
    const page = await at.open("/audit", { as: ann, view: "phone" });
    await see(page.getByRole("button", { name: /ann rejected an approval/ }));
    await inBothThemes(page, "audit-phone", () => at.look(page));
  });

  story("an administrator invites a person, gives a program a token, and sees why a person may decide", async () => {
    const waiting = await ann.asked("refund", { customer: "Signe", amount: 300 });
    const page = await at.open("/people", { as: ann });
    await page.getByRole("button", { name: "Invite" }).click();
    const invite = page.getByRole("dialog", { name: "Invite a person" });
    await invite.getByLabel("Name").fill("bea");
    await invite.getByRole("checkbox", { name: /^Reviewer/ }).click();
    await at.look(page);
    await invite.getByRole("button", { name: "Create account" }).click();
    const done = page.getByRole("dialog", { name: "bea can sign in" });
    await see(done.getByText(/^([a-z2-9]{5}-){4}[a-z2-9]{5}$/));
    await done.getByRole("button", { name: "Done" }).click();
    await see(page.getByRole("list", { name: "Accounts" }).getByText("Approver, Reviewer"));
    await inBothThemes(page, "people-desktop", () => at.look(page));

    await page.getByRole("tab", { name: "Tokens" }).click();
    await page.getByRole("button", { name: "Create a token" }).click();
    const create = page.getByRole("dialog", { name: "Create a token" });
    await create.getByLabel("Name").fill("nightly");
    await create.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("dialog", { name: "Token for nightly" }).getByRole("button", { name: "Done" }).click();
    const tokens = page.getByRole("list", { name: "Tokens" });
    await see(tokens.getByText("nightly"));
    await page.getByRole("button", { name: "Revoke the token nightly" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await see(page.getByRole("heading", { name: "No tokens" }));

    await page.getByRole("tab", { name: "Stand-ins" }).click();
    await page.getByRole("button", { name: "Set a stand-in" }).click();
    const stand = page.getByRole("dialog", { name: "Set a stand-in" });
    await stand.getByLabel("Who is away").fill("bea");
    await stand.getByLabel("Stand-in", { exact: true }).fill("ann");
    await stand.getByLabel("Last day").fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10));
    await stand.getByRole("button", { name: "Set stand-in" }).click();
    await see(page.getByRole("list", { name: "Stand-ins" }).getByText("Active"));

    await page.getByRole("tab", { name: "Who may do what?" }).click();
    await page.getByRole("combobox", { name: "Name", exact: true }).fill("bea");
    await page.getByLabel("Where").click();
    await page.getByRole("option", { name: "One approval" }).click();
    await page.getByLabel("Approval", { exact: true }).click();
    await page.getByRole("option", { name: waiting.title }).first().click();
    await page.getByRole("button", { name: "Explain" }).click();
    await see(page.getByRole("region", { name: "Answer" }).getByText("Roles checked: Approver, Reviewer"));
    const acts = page.getByRole("list", { name: "Approvals" }).getByRole("img", { name: /llowed/ });
    await until("each act", async () => (await acts.count()) > 5);
    await inBothThemes(page, "people-why-desktop", () => at.look(page));
  });

  story("roles in words, on a phone", async () => {
    const page = await at.open("/people?tab=roles", { as: ann, view: "phone" });
    await see(page.getByRole("list", { name: "Roles" }).getByText("Read the audit log"));
    await inBothThemes(page, "people-roles-phone", () => at.look(page));
    await page.getByRole("tab", { name: "Accounts" }).tap();
    await page.getByRole("button", { name: "Change bea" }).tap();
    await page.getByRole("menuitem", { name: "Disable" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).tap();
    await see(page.getByRole("list", { name: "Accounts" }).getByText("Disabled"));
    await at.look(page);
  });

  story("an approval drafts a rule with its backtest, for those who may publish it", async () => {
    const waiting = await ann.asked("refund", { customer: "Cem", amount: 700 });
    const page = await at.open(`/approvals/${waiting.id}`, { as: ann });
    await page.getByRole("button", { name: "More ways to answer" }).click();
    await page.getByRole("menuitem", { name: "Always allow this…" }).click();
    await leadsTo(page, /^\/policy\?tab=backtest/);
    await see(page.getByText("1 unpublished change"));
    await see(page.getByText("Your changes, evaluated for everything", { exact: false }));
    await page.getByRole("tab", { name: "Rules" }).click();
    await see(page.getByRole("heading", { name: /Allow refund in refund, amount up to 700/ }));
    await page.getByRole("button", { name: "Discard" }).click();
    const other = await at.open(`/approvals/${waiting.id}`, { as: at.person("pia", "approver", "support") });
    await other.getByRole("button", { name: "More ways to answer" }).click();
    await see(other.getByRole("menuitem", { name: /note/ }));
    expect(await other.getByRole("menuitem", { name: "Always allow this…" }).count()).toBe(0);
  });

  story("an agent is written as a form and as YAML, and lessons tell what people corrected", async () => {
    const page = await at.open("/agents", { as: ann });
    await see(page.getByRole("list", { name: "Agents" }).getByText("Fixed answers"));
    await page.getByRole("button", { name: "New agent" }).click();
    const dialog = page.getByRole("dialog", { name: "New agent" });
    await dialog.getByLabel("Name").fill("writer");
    await dialog.getByLabel("Model").fill("gpt-4o");
    await dialog.getByLabel("Instructions").fill("Write letters.");
    await dialog.getByText("Asks before every call").click();
    await dialog.getByLabel("Turns").fill("20");
    await dialog.getByLabel("Cost, US dollars").fill("2.50");
    await dialog.getByLabel("Time", { exact: true }).fill("4h");
    await dialog.getByLabel("At a limit").click();
    await page.getByRole("option", { name: "Ask a person" }).click();
    await dialog.getByRole("group", { name: "May hand off to" }).getByText("Clerk").click();
    await dialog.getByLabel("Also to").fill("role:support, ben");
    await dialog.getByLabel("Add a tool").fill("write_files");
    await page.keyboard.press("Enter");
    await at.look(page);
    at.guard(page).expectAnswer(422, /agents/);
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(dialog.getByText(/unknown tool "write_files"/));
    await dialog.getByRole("button", { name: "Remove Write files" }).click();
    await dialog.getByLabel("Add a tool").fill("write_file");
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Add a tool").fill("send_mail");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByLabel("Risk of Send mail").click();
    await page.getByRole("option", { name: "Critical" }).click();
    await see(dialog.getByLabel("Risk of Write file").getByText(/^As the tool: /));
    await dialog.getByRole("tab", { name: "YAML" }).click();
    await see(dialog.getByText("approve_all"));
    await see(dialog.getByText("role:support"));
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(page.getByRole("list", { name: "Agents" }).getByText("OpenAI · gpt-4o"));
    expect((await ann.get("/agents/writer")).definition).toMatchObject({
      limits: { iterations: 20, cost_usd: "2.5", duration: "4h", on_limit: "ask" },
      tool_risk: { send_mail: "critical" },
      hand_off: ["clerk"],
    });
    await inBothThemes(page, "agents-desktop", () => at.look(page));
    await page.getByRole("tab", { name: "Lessons" }).click();
    await see(page.getByRole("list", { name: "Lessons" }).getByText(/No receipt/));
    await at.look(page);
  });

  story("an agent that two people edit keeps the changes of both", async () => {
    const doc = { agent: "filer", kind: "scripted", description: "Files letters", answers: [{ output: {} }] };
    await ann.put("/agents/filer", doc);
    const page = await at.open("/agents?agent=filer", { as: ann });
    const dialog = page.getByRole("dialog", { name: "Filer" });
    await dialog.getByLabel("Description").fill("Files letters and parcels");
    await at.admin.put("/agents/filer", { ...doc, confidence_threshold: 0.7 });
    await see(dialog.getByText(/saved version 2 while you were editing/));
    await dialog.getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("dialog", { name: "The agent has changed" });
    await see(conflict.getByText("Confidence below which people are asked"));
    await inBothThemes(page, "agent-conflict-desktop", () => at.look(page));
    expect((await ann.get("/agents/filer")).version).toBe(2);
    await conflict.getByRole("button", { name: "Add mine to theirs" }).click();
    expect(await dialog.getByLabel("Description").inputValue()).toBe("Files letters and parcels");
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(page.getByText("Filer is in force"));
    const saved = await ann.get("/agents/filer");
    expect([saved.version, saved.definition.description, saved.definition.confidence_threshold]).toEqual([
      3,
      "Files letters and parcels",
      0.7,
    ]);
  });

  story("an agent is tried without consequences, before its changes are saved", async () => {
    const before = await ann.get("/runs");
    const page = await at.open("/agents?agent=clerk", { as: ann });
    const dialog = page.getByRole("dialog", { name: "Clerk" });
    await dialog.getByRole("tab", { name: "Try it" }).click();
    const form = dialog.getByRole("form", { name: "Try the agent" });
    await form.getByLabel("order").fill("A-2");
    // By keyboard from here.
    await page.keyboard.press("Enter");
    const result = dialog.getByRole("region", { name: "Result" });
    await see(result.getByText("Write a mail: outbox/A-2.txt"));
    await see(result.getByText("Would need approval"));
    await see(result.getByText("Would run"));
    await see(result.getByText(/Version 1 · 2 calls · 420 tokens/));
    await inBothThemes(page, "try-agent-desktop", () => at.look(page));
    // A change that is not saved.
    await dialog.getByRole("tab", { name: "Form" }).click();
    await dialog.getByText("Asks before every call").click();
    await dialog.getByRole("tab", { name: "Try it" }).click();
    await see(dialog.getByText(/before they are saved/));
    await form.getByLabel("order").fill("A-3");
    await form.getByRole("button", { name: "Try it" }).click();
    await see(result.getByText(/Not saved · 2 calls/));
    expect(await result.getByText("Would need approval").count()).toBe(2);
    const after = await ann.get("/runs");
    expect(after.total).toBe(before.total);
    const clerk = await ann.get("/agents/clerk");
    expect(clerk.version).toBe(1);
    const log = await ann.get("/audit?action=agent.tried");
    expect(log.items.length).toBe(2);
  });

  story("an agent is tried on a phone", async () => {
    const page = await at.open("/agents?agent=clerk", { as: ann, view: "phone" });
    const dialog = page.getByRole("dialog", { name: "Clerk" });
    await dialog.getByRole("tab", { name: "Try it" }).tap();
    await dialog.getByLabel("order").fill("A-2");
    await dialog.getByRole("button", { name: "Try it" }).tap();
    await see(dialog.getByText("Would need approval"));
    await inBothThemes(page, "try-agent-phone", () => at.look(page));
  });

  story("an agent shows its use and cost", async () => {
    const usage = { llm_calls: 2, tokens_in: 1200, tokens_out: 300, cost_usd: "0.25" };
    await ann.send("PUT", "/agents/scribe", { agent: "scribe", kind: "scripted", answers: [{ output: {}, usage }] });
    const letters = { workflow: "letters", steps: [{ id: "write", agent: "scribe" }] };
    await ann.send("PUT", "/workflows/letters?publish=true", letters);
    const page = await at.open("/agents?agent=scribe", { as: ann });
    const dialog = page.getByRole("dialog", { name: "Scribe" });
    await dialog.getByRole("tab", { name: "Usage and cost" }).click();
    await see(dialog.getByText("Not used in the last 30 days"));
    await inBothThemes(page, "agent-unused-desktop", () => at.look(page));
    await page.keyboard.press("Escape");
    await see(page.getByRole("button", { name: /^Scribe/ }).getByText("Not used"));
    for (let n = 0; n < 2; n++) await ann.reaches(await ann.start("letters", {}), "completed");
    await page.reload();
    await see(page.getByRole("button", { name: /^Scribe/ }).getByText("2 runs · 2 steps · $0.50"));
    await inBothThemes(page, "agents-used-desktop", () => at.look(page));
    await page.getByRole("button", { name: /^Scribe/ }).click();
    await dialog.getByRole("tab", { name: "Usage and cost" }).click();
    await see(dialog.getByRole("img", { name: "Cost by day" }));
    await see(dialog.getByText("2,400", { exact: true }));
    await inBothThemes(page, "agent-used-desktop", () => at.look(page));
    await dialog.getByRole("button", { name: "Table" }).click();
    await see(dialog.getByRole("cell", { name: "$0.50" }));
    const phone = await at.open("/agents", { as: rob, view: "phone" });
    await see(phone.getByRole("button", { name: /^Scribe/ }).getByText(/2 runs · 2 steps · \$0\.50 · last used/));
    await inBothThemes(phone, "agents-used-phone", () => at.look(phone));
    await phone.getByRole("button", { name: /^Scribe/ }).tap();
    await phone.getByRole("tab", { name: "Usage and cost" }).tap();
    await see(phone.getByText("2,400", { exact: true }));
    await inBothThemes(phone, "agent-used-phone", () => at.look(phone));
  });

  story("MCP servers show whether they answer, since when not, and their tools", async () => {
    const page = await at.open("/agents?tab=tools", { as: ann });
    const servers = page.getByRole("list", { name: "MCP servers" });
    const keys = new Keyboard(page);
    await keys.skip();
    await keys.press(servers.getByRole("button", { name: "Check archive" }));
    await see(servers.getByText("Connected"));
    await keys.press(servers.getByRole("button", { name: "2 tools of archive" }));
    const tools = servers.getByRole("list", { name: "Tools of archive" });
    await see(tools.getByText("Delete letter"));
    archive.up = false;
    archiveServer.closeAllConnections();
    await servers.getByRole("button", { name: "Check archive" }).click();
    await see(servers.getByText("Failing", { exact: true }));
    await see(servers.getByText(/Failing since/));
    expect(await page.getByText("hush").count()).toBe(0);
    await inBothThemes(page, "mcp-servers-desktop", () => at.look(page));
    await page.setViewportSize({ width: 768, height: 1024 });
    await inBothThemes(page, "mcp-servers-tablet", () => at.look(page));
    const phone = await at.open("/agents?tab=tools", { as: ann, view: "phone" });
    const list = phone.getByRole("list", { name: "MCP servers" });
    await list.getByRole("button", { name: "2 tools of archive" }).tap();
    await see(list.getByText("Delete letter"));
    await inBothThemes(phone, "mcp-servers-phone", () => at.look(phone));
    archive.up = true;
    await list.getByRole("button", { name: "Check archive" }).tap();
    await see(list.getByText("Connected"));
  });

  story("tools and agents on a phone", async () => {
    const page = await at.open("/agents?tab=tools", { as: rob, view: "phone" });
    await see(page.getByRole("list", { name: "Tools" }).getByText("Write file"));
    await inBothThemes(page, "tools-phone", () => at.look(page));
    await page.getByRole("tab", { name: "Agents" }).tap();
    await page.getByRole("button", { name: /^Writer/ }).tap();
    await see(page.getByRole("dialog", { name: "Writer" }).getByText("Asks before every call"));
    expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
    await at.look(page);
  });

  story("a rule that past decisions suggest is added, rolled out in part and published", async () => {
    // Cases that people approved, and two that they did not: a rule covers the others.
    const amounts = [...Array.from({ length: 12 }, (_, n) => 200 + n), 800, 900];
    await Promise.all(
      amounts.map(async (amount) => {
        const asked = await ann.asked("goodwill", { amount });
        await ann.decide(asked.id, amount < 800 ? "approve" : "reject", { comment: "Seen." });
      }),
    );
    const before = await ann.get("/policy");
    const name = "Refund in goodwill, amount up to 211";
    const page = await at.open("/policy?tab=suggestions", { as: ann });
    const card = page.getByRole("list", { name: "Suggested rules" }).getByRole("listitem").filter({ hasText: name });
    await see(card.getByText("12 cases covered"));
    await see(card.getByText("2 cases left to people"));
    await card.getByRole("button", { name: "Cases and rule" }).click();
    await see(card.getByText("Covered: people approved all of them"));
    expect(await card.getByText("Rejected", { exact: true }).count()).toBe(2);
    await card.getByRole("button", { name: `Add and backtest: ${name}` }).click();
    await leadsTo(page, /tab=backtest/);
    await see(page.getByText("1 unpublished change"));
    await page.getByRole("tab", { name: "Rules" }).click();
    const rollout = page.getByRole("slider", { name: `Rollout of ${name}` });
    const box = await rollout.boundingBox();
    if (!box) throw new Error("no slider");
    await rollout.click({ position: { x: box.width / 2, y: box.height / 2 } });
    await see(page.getByText("50 % of cases"));
    // A part of the cases is for the keyboard.
    await page.keyboard.press("ArrowLeft");
    await see(page.getByText("45 % of cases"));
    await page.getByRole("button", { name: "Undo" }).click();
    await see(page.getByText("100 % of cases"));
    expect((await ann.get("/policy")).version).toBe(before.version);
    await page.getByRole("button", { name: "Discard" }).click();

    // By keyboard: to the card, to its cases, and into the draft.
    await page.goto(`${at.server.url}/policy?tab=suggestions`);
    const keys = new Keyboard(page);
    await keys.press(card.getByRole("button", { name: "Cases and rule" }));
    await see(card.getByText("Left to people: rejected or edited"));
    await keys.press(card.getByRole("button", { name: `Add and backtest: ${name}` }), "Enter", "Shift+Tab");
    await leadsTo(page, /tab=backtest/);
    await keys.within(page.locator("main"));
    await keys.to(page.getByRole("tab", { name: "Backtest" }), "Shift+Tab");
    await page.keyboard.press("Home");
    await keys.to(rollout);
    for (let n = 0; n < 4; n++) await page.keyboard.press("ArrowLeft");
    await see(page.getByText("80 % of cases"));

    // On a phone, where it is published.
    const phone = await at.open("/policy?tab=suggestions", { as: ann, view: "phone" });
    const tile = phone.getByRole("list", { name: "Suggested rules" }).getByRole("listitem").filter({ hasText: name });
    await tile.getByRole("button", { name: "Cases and rule" }).tap();
    await see(tile.getByText("Covered: people approved all of them"));
    await inBothThemes(phone, "policy-suggested-phone", () => at.look(phone));
    await tile.getByRole("button", { name: `Add and backtest: ${name}` }).tap();
    await phone.getByRole("tab", { name: "Rules" }).tap();
    const slider = phone.getByRole("slider", { name: `Rollout of ${name}` });
    const place = await slider.boundingBox();
    if (!place) throw new Error("no slider");
    await slider.tap({ position: { x: place.width / 2, y: place.height / 2 } });
    await see(phone.getByText("50 % of cases"));
    await phone.getByRole("button", { name: "Publish…" }).tap();
    const sheet = phone.getByRole("dialog");
    await see(sheet.getByText("In the last 30 days it would have"));
    // After the stories before, there is a case that people rejected and no rule asks about.
    const reason = sheet.getByLabel("Reason");
    const publish = sheet.getByRole("button", { name: /^(Publish|Accept the risk and publish)$/ });
    await until("the backtest", async () => (await reason.count()) > 0 || (await publish.isEnabled()));
    if ((await reason.count()) > 0) await reason.fill("Rejected before there were rules.");
    await publish.tap();
    await until("the rule is in force", async () => (await ann.get("/policy")).rules[0].name === name);
    expect((await ann.get("/policy")).yaml).toContain("rollout_percentage: 50");
  });
});
