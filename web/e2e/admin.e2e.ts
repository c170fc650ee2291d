import { describe, expect } from "vitest";
import { gone, Keyboard, leadsTo, pressAlone, see, stage, story } from "./harness";
import { inBothThemes } from "./pages";

describe("administering", () => {
  const at = stage({ env: { ASSENT_MASK_FIELDS: "iban", ASSENT_AUDIT_WITNESSES: "" } });
  const ann = at.person("ann", "admin");

  story("settings tell where they come from, and no secret", async () => {
    const page = await at.open("/inbox", { as: ann });
    await page.getByRole("link", { name: "Settings" }).click();
    await leadsTo(page, /^\/settings/);
    const server = page.getByRole("list", { name: "Server", exact: true });
    await see(server.getByText("--addr", { exact: true }));
    await see(page.getByRole("list", { name: "Security" }).getByText("ASSENT_MASK_FIELDS").first());
    const database = server.getByRole("listitem").filter({ hasText: "ASSENT_DB" });
    await see(database.getByText("Not set"));
    await inBothThemes(page, "settings-desktop", () => at.look(page));

    // With the keyboard.
    await page.getByRole("searchbox", { name: "Find a setting" }).focus();
    await page.keyboard.type("how long");
    await gone(database);
    await see(page.getByText("Session idle", { exact: true }));
    await page.keyboard.press("Tab");
    await pressAlone(page, "Space");
    await leadsTo(page, /changed=true/);
    await see(page.getByText("No matches"));
  });

  story("lessons are corrected, removed and restored", async () => {
    const asked = await ann.asked("refund", { customer: "Olav Moe", amount: 4000 });
    await ann.decide(asked.id, "reject", { comment: "Too high; ask the manager first." });
    const page = await at.open("/agents?tab=lessons", { as: ann });
    const lessons = page.getByRole("list", { name: "Lessons" });
    await see(lessons.getByText("Too high; ask the manager first."));
    await page.getByRole("button", { name: /^Correct the lesson/ }).press("Enter");
    const correct = page.getByRole("dialog", { name: "Correct the lesson" });
    await correct.getByLabel("Explanation for agents").fill("Over 1,000 only with the manager's consent.");
    await at.look(page);
    await correct.getByRole("button", { name: "Save" }).press("Enter");
    await see(lessons.getByText("Agents are told: “Over 1,000 only with the manager's consent.”"));
    await see(lessons.getByText("Too high; ask the manager first."));
    await inBothThemes(page, "lessons-desktop", () => at.look(page));

    const phone = await at.open("/agents?tab=lessons", { as: ann, view: "phone" });
    await phone.getByRole("button", { name: /^Remove the lesson/ }).tap();
    const remove = phone.getByRole("dialog", { name: "Remove the lesson" });
    expect(await remove.getByRole("button", { name: "Remove" }).isDisabled()).toBe(true);
    await remove.getByLabel("Reason").fill("The limit is gone.");
    await remove.getByRole("button", { name: "Remove" }).tap();
    await see(phone.getByRole("heading", { name: "No lessons yet" }));
    expect(await ann.text("/lessons.jsonl")).toBe("");
    await phone.goto(`${at.server.url}/agents?tab=lessons&removed=true`);
    await see(phone.getByText(/^Removed by ann/));
    await inBothThemes(phone, "lessons-removed-phone", () => at.look(phone));
    await phone.getByRole("button", { name: /^Restore the lesson/ }).tap();
    await see(phone.getByRole("heading", { name: "No removed lessons" }));
    const [lesson] = (await ann.get("/lessons")).items;
    expect(lesson.correction.text).toBe("Over 1,000 only with the manager's consent.");
    const { items } = await ann.get("/audit?action=lesson.corrected&limit=10");
    expect(items).toHaveLength(3);
  });

  story("a lesson that someone else corrected in the meantime is not overwritten unseen", async () => {
    const asked = await ann.asked("refund", { customer: "Kari Lie", amount: 5000 });
    await ann.decide(asked.id, "reject", { comment: "No receipt for Kari." });
    const page = await at.open("/agents?tab=lessons", { as: ann });
    const lessons = page.getByRole("list", { name: "Lessons" });
    const mine = lessons.getByRole("listitem").filter({ hasText: "No receipt for Kari." }).first();
    await mine.getByRole("button", { name: /^Correct the lesson/ }).click();
    const dialog = page.getByRole("dialog", { name: "Correct the lesson" });
    await dialog.getByLabel("Explanation for agents").fill("Ask for the receipt.");
    await at.admin.put(`/lessons/${asked.id}`, { text: "Receipts are optional now.", version: 1 });
    at.guard(page).expectAnswer(409, /lessons/);
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(dialog.getByText(/corrected this lesson in the meantime: “Receipts are optional now.”/));
    expect(await dialog.getByLabel("Explanation for agents").inputValue()).toBe("Ask for the receipt.");
    await at.look(page);
    const theirs = (await ann.get("/lessons")).items.find((l: { id: string }) => l.id === asked.id);
    expect([theirs.version, theirs.correction.text]).toEqual([2, "Receipts are optional now."]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(mine.getByText("Agents are told: “Ask for the receipt.”"));
  });

  story("a lesson that someone else removed in the meantime keeps what was written", async () => {
    const asked = await ann.asked("refund", { customer: "Per Dahl", amount: 4500 });
    await ann.decide(asked.id, "reject", { comment: "Per has been paid." });
    const page = await at.open("/agents?tab=lessons", { as: ann });
    const lessons = page.getByRole("list", { name: "Lessons" });
    const mine = lessons.getByRole("listitem").filter({ hasText: "Per has been paid." }).first();
    await mine.getByRole("button", { name: /^Correct the lesson/ }).click();
    const dialog = page.getByRole("dialog", { name: "Correct the lesson" });
    const text = dialog.getByLabel("Explanation for agents");
    await text.fill("Check the ledger first.");
    await at.admin.put(`/lessons/${asked.id}`, { removed: true, reason: "Only once.", version: 1 });
    at.guard(page).expectAnswer(409, /lessons/);
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(dialog.getByText("admin removed this lesson in the meantime: “Only once.”"));
    await see(dialog.getByText("If you save, agents receive it again, with your explanation."));
    expect(await text.inputValue()).toBe("Check the ledger first.");
    await inBothThemes(page, "lesson-removed-desktop", () => at.look(page));
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(mine.getByText("Agents are told: “Check the ledger first.”"));
  });

  story("settings on a phone and a tablet", async () => {
    const page = await at.open("/settings?changed=true", { as: ann, view: "phone" });
    await see(page.getByText("Mask fields"));
    await page.getByRole("checkbox", { name: "Only changed ones" }).tap();
    await see(page.getByText("Retain runs"));
    await inBothThemes(page, "settings-phone", () => at.look(page));
    const tablet = await at.open("/settings", { as: ann, view: "tablet" });
    await see(tablet.getByText("Mask fields"));
    await inBothThemes(tablet, "settings-tablet", () => at.look(tablet));
  });

  story("a role is written as a form, and takes effect", async () => {
    const page = await at.open("/people?tab=roles", { as: ann });
    await page.getByRole("button", { name: "New role" }).click();
    const dialog = page.getByRole("dialog", { name: "New role" });
    await dialog.getByLabel("Name", { exact: true }).fill("clerk");
    await dialog.getByLabel("Description").fill("Watches refunds.");
    await dialog.getByRole("checkbox", { name: "In every workflow" }).click();
    await dialog.getByRole("textbox", { name: "Workflows" }).fill("refund");
    await at.look(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    const clerk = page.getByRole("list", { name: "Roles" }).getByRole("listitem").filter({ hasText: "Clerk" });
    await see(clerk.getByText("In refund"));
    const kim = at.person("kim", "clerk");
    expect((await kim.get("/me")).permissions).toEqual(["view"]);

    // With the keyboard.
    const keys = new Keyboard(page);
    const change = clerk.getByRole("button", { name: "Edit the role Clerk" });
    await keys.press(change);
    const edit = page.getByRole("dialog", { name: "Edit the role Clerk" });
    await keys.press(edit.getByRole("checkbox", { name: /^Read the audit log/ }), "Space");
    await keys.press(edit.getByRole("button", { name: "Save" }));
    await gone(edit);
    await keys.within(change);
    await see(clerk.getByText("Read the audit log"));
    expect((await kim.get("/me")).permissions).toContain("audit");
    await inBothThemes(page, "roles-desktop", () => at.look(page));

    const phone = await at.open("/people?tab=roles", { as: ann, view: "phone" });
    await phone.getByRole("button", { name: "Edit the role Clerk" }).tap();
    await see(phone.getByRole("dialog").getByLabel("Description"));
    await inBothThemes(phone, "role-form-phone", () => at.look(phone));
    expect(await phone.getByRole("button", { name: "Edit the role Admin" }).count()).toBe(0);
  });

  story("a role is withdrawn, and comes back only if its holders may have it again", async () => {
    await ann.put("/roles/temp", { role: "temp", description: "For the fair.", permissions: ["view", "start"] });
    await ann.put("/accounts/mia", { roles: ["temp"], password: "violet tram seventy lake" });
    const page = await at.open("/people?tab=roles", { as: ann });
    const roles = page.getByRole("list", { name: "Roles" });
    const temp = roles.getByRole("listitem").filter({ hasText: "Temp" });
    await see(temp.getByText("From a document"));
    expect(await page.getByRole("button", { name: "Withdraw the role Reviewer" }).count()).toBe(0);

    // With the keyboard.
    at.guard(page).expectAnswer(409, /roles\/temp/);
    await page.getByRole("button", { name: "Withdraw the role Temp" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Withdraw the role Temp" });
    await dialog.getByRole("button", { name: "Withdraw" }).press("Enter");
    await see(dialog.getByRole("list", { name: "Needed by" }).getByText("the account mia"));
    await inBothThemes(page, "role-withdraw-desktop", () => at.look(page));
    await dialog.getByRole("button", { name: "Withdraw anyway" }).press("Enter");
    await see(temp.getByText("Withdrawn"));
    await see(temp.getByText("It grants nothing to its holders."));
    await gone(dialog);
    expect((await at.person("mia", "temp").get("/me")).permissions).toEqual([]);
    await inBothThemes(page, "role-withdrawn-desktop", () => at.look(page));
    const { items } = await ann.get("/audit?action=definition.withdrawn&limit=10");
    expect(items[0].detail.needed_by).toContain("the account mia");

    // A role of that name does not silently have its holders again.
    const phone = await at.open("/people?tab=roles", { as: ann, view: "phone" });
    at.guard(phone).expectAnswer(409, /roles\/temp/);
    await phone.getByRole("button", { name: "Edit the role Temp" }).tap();
    const edit = phone.getByRole("dialog", { name: "Edit the role Temp" });
    await edit.getByRole("button", { name: "Save" }).tap();
    await see(edit.getByRole("list", { name: "Holders" }).getByText("the account mia"));
    expect((await at.person("mia", "temp").get("/me")).permissions).toEqual([]);
    await inBothThemes(phone, "role-restore-phone", () => at.look(phone));
    await edit.getByRole("button", { name: "Give it back to them" }).tap();
    await gone(edit);
    expect((await at.person("mia", "temp").get("/me")).permissions).toEqual(["view"]);
  });

  story("why a person may do something, and what would be needed", async () => {
    await ann.put("/accounts/lee", { roles: ["reviewer"], password: "violet tram seventy lake" });
    const { version } = await ann.put("/workflows/payout", {
      workflow: "payout",
      steps: [{ id: "pay", agent: "payer" }],
      gates: [{ id: "ok", at: "before pay", title: "Pay it out?", role: "reviewer", requester: "excluded" }],
    });
    await ann.post("/workflows/payout/publish", { version });
    const page = await at.open("/people", { as: ann });
    await page.getByRole("tab", { name: "Who may do what?" }).click();
    await page.getByRole("combobox", { name: "Name", exact: true }).fill("lee");

    // With the keyboard.
    await page.getByRole("combobox", { name: "Action" }).press("Enter");
    await page.keyboard.type("Start runs");
    await pressAlone(page, "Enter");
    await page.getByRole("combobox", { name: "Where" }).press("Enter");
    await page.keyboard.type("One workflow");
    await pressAlone(page, "Enter");
    await page.getByRole("combobox", { name: "Workflow" }).press("Enter");
    await page.keyboard.type("Refund");
    await pressAlone(page, "Enter");
    await page.getByRole("button", { name: "Explain" }).press("Enter");
    await leadsTo(page, /tab=why&user=lee&do=start&workflow=refund$/);
    const answer = page.getByRole("region", { name: "Answer" });
    await see(answer.getByText("No, lee may not start runs"));
    await see(answer.getByText("lee may not start runs of this workflow: this requires the permission start"));
    await see(answer.getByText("One of these roles would allow it: Admin, Approver"));
    await see(answer.getByText("Roles checked: Reviewer (built in)"));
    await inBothThemes(page, "people-may-desktop", () => at.look(page));

    // The link says the same to others, and the way back leads to the earlier question.
    const link = page.url();
    await page.getByRole("textbox", { name: "Roles" }).fill("approver");
    await page.getByRole("button", { name: "Explain" }).click();
    await see(answer.getByText("Yes, lee may start runs"));
    await see(answer.getByText("the role approver grants start"));
    await page.goBack();
    await see(answer.getByText("No, lee may not start runs"));
    expect(await page.getByRole("textbox", { name: "Roles" }).inputValue()).toBe("");
    const phone = await at.open(link.slice(at.server.url.length), { as: ann, view: "phone" });
    await see(phone.getByText("No, lee may not start runs"));
    await inBothThemes(phone, "people-may-phone", () => at.look(phone));

    // A requester may not decide, whatever the roles; a program never does.
    const lee = at.person("lee", "reviewer", "approver");
    const waiting = await lee.asked("payout");
    await page.goto(`${at.server.url}/people?tab=why&user=lee&do=approve&approval=${waiting.id}`);
    await see(answer.getByText("No, lee may not approve"));
    await see(answer.getByText("lee requested this, so someone else must decide it"));
    await see(answer.getByText("No other role would allow it."));
    await inBothThemes(page, "people-may-requester-desktop", () => at.look(page));
    await page.goto(`${at.server.url}/people?tab=why&user=nightly&as=service&roles=admin`);
    const approvals = page.getByRole("list", { name: "Approvals" });
    await see(approvals.getByText("services never decide approvals, whatever their roles").first());
    expect(await approvals.getByRole("img", { name: "Not allowed" }).count()).toBeGreaterThan(5);
    await inBothThemes(page, "people-may-program-desktop", () => at.look(page));
  });

  story("a person sets their own stand-in before a holiday, and ends it", async () => {
    const bob = at.person("bob", "approver");
    const cid = at.person("cid", "approver");
    await cid.get("/me");
    await bob.get("/me");
    const page = await at.open("/settings/notifications", { as: bob, view: "phone" });
    const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel("Stand-in", { exact: true }).fill("bob");
    await see(page.getByText("Choose another person"));
    await page.getByLabel("Stand-in", { exact: true }).fill("cid");
    await page.getByLabel("First day").fill(day(2));
    await page.getByLabel("Last day").fill(day(9));
    await inBothThemes(page, "away-phone", () => at.look(page));
    await page.getByRole("button", { name: "Set stand-in" }).tap();
    await see(page.getByText(/^cid will decide for you/));
    const other = await at.open("/settings/notifications", { as: cid });
    await see(other.getByText(/^You will decide for bob/));
    await inBothThemes(other, "away-desktop", () => at.look(other));
    await page.getByRole("button", { name: "End it" }).tap();
    await see(page.getByRole("button", { name: "Set stand-in" }));
  });

  story("others have no settings", async () => {
    const page = await at.open("/inbox", { as: at.person("rob", "approver") });
    await see(page.getByRole("link", { name: "History" }));
    expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0);
  });
});
