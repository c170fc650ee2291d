import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { decideByKey, focused, gone, patiently, pressAlone, says, see, stage, story, until } from "./harness";

describe("one approval", () => {
  const at = stage();
  const ann = at.person("ann", "approver");
  const bob = at.person("bob", "approver");
  const refund = { customer: "Iben", amount: 120, reference: 7, reason: "lost parcel" };

  const outcome = (page: Page) => page.getByRole("region", { name: "How it ended" });

  story("shows all that a decision needs and is approved by mouse", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    for (const text of [
      "Pay the refund?",
      "The customer gets the money at once.",
      "High risk",
      "lost parcel",
      "Iben",
    ]) {
      await see(page.getByText(text).filter({ visible: true }).first());
    }
    await see(page.getByText("The run is cancelled.").first());
    await page.getByRole("button", { name: "Approve" }).click();
    await says(outcome(page), "You approved this");
    const after = await ann.settled(asked.id);
    expect([after.status, after.outcome.by]).toEqual(["approved", "bob"]);
    await ann.reaches(asked.run, "completed");
    await see(page.getByRole("link", { name: "See the run" }));
  });

  story("is changed by form: the button follows, the server checks, what is shown is what is sent", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.keyboard.press("e");
    const amount = page.getByRole("textbox", { name: /^Amount/ }).or(page.getByRole("spinbutton", { name: /^Amount/ }));
    await amount.fill("95.50");
    await see(page.getByRole("button", { name: "Approve with 1 change" }));
    await page.getByRole("textbox", { name: /^Reason/ }).fill("lost parcel, postage kept");
    await see(page.getByRole("button", { name: "Approve with 2 changes" }));
    await says(page.getByRole("region", { name: "What you change" }), /120.*95\.50/s);
    await at.look(page);
    await page.getByRole("button", { name: "Approve with 2 changes" }).click();
    await says(outcome(page), "You changed and approved this");
    const text = await ann.text(`/approvals/${asked.id}`);
    expect(text, "the digits as they were typed").toContain('"amount":95.50');
    await page
      .getByRole("radio", { name: "Compare" })
      .or(page.getByRole("button", { name: "Compare" }))
      .click();
    await see(page.getByText("From the agent's proposal"));
  });

  story("is changed as JSON, with what the server says is wrong", async () => {
    const asked = await at.admin.asked("study");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.keyboard.press("e");
    await page
      .getByRole("radio", { name: "JSON" })
      .or(page.getByRole("button", { name: "JSON" }))
      .click();
    const editor = page.getByRole("textbox", { name: "The proposal as JSON" });
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{ "path": 7, "content": "x" }');
    await see(page.getByText("1 field to fix").first());
    await see(page.locator("#proposal").getByText("/path"));
    expect(await page.getByRole("button", { name: /Approve with/ }).isEnabled()).toBe(false);
    await at.look(page);
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("{ no JSON");
    await see(page.getByText("Not valid JSON yet."));
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{ "path": "other.md", "content": "# Other" }');
    await page.getByRole("button", { name: "Approve with 2 changes" }).click();
    const after = await ann.settled(asked.id);
    expect([after.status, after.proposed.path]).toEqual(["modified", "other.md"]);
  });

  story("keeps every digit of big numbers", async () => {
    const asked = await ann.asked("refund", '{"customer":"Iben","amount":1,"reference":9007199254740993}');
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await see(page.getByText("9007199254740993").or(page.getByText("9,007,199,254,740,993")).first());
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: /^Customer/ }).fill("Ibsen");
    await page.getByRole("button", { name: "Approve with 1 change" }).click();
    await says(outcome(page), "You changed and approved this");
    const text = await ann.text(`/approvals/${asked.id}`);
    expect(text).toContain('"reference":9007199254740993');
    expect(text).toContain('"customer":"Ibsen"');
  });

  story("is rejected by keyboard, with a reason", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Reject this?" });
    await see(dialog.getByText("The run is cancelled."));
    expect(await dialog.getByRole("button", { name: "Reject" }).isEnabled()).toBe(false);
    await focused(dialog.getByRole("textbox"));
    await page.keyboard.type("Too high");
    await at.look(page);
    await page.keyboard.press("Control+Enter");
    await says(outcome(page), /You rejected this.*Too high/s);
    await ann.reaches(asked.run, "cancelled");
  });

  story("is a choice: keys 1 to 9, or the mouse", async () => {
    const asked = await ann.asked("route");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.keyboard.press("2");
    await see(page.getByRole("button", { name: "Choose “To the right”" }));
    await at.look(page);
    await page.getByRole("radio", { name: /To the left/ }).click();
    await page.getByRole("button", { name: "Choose “To the left”" }).click();
    await says(outcome(page), "You chose “To the left”");
    expect((await ann.settled(asked.id)).outcome.option).toBe("left");
  });

  story("is a form: what is missing is said, then it is submitted", async () => {
    const asked = await ann.asked("intake");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    expect(await page.getByRole("button", { name: "Submit" }).isEnabled()).toBe(false);
    await page.getByRole("textbox", { name: /^Reason/ }).fill("no");
    await see(page.getByText("1 field to fix"));
    await at.look(page);
    await page.getByRole("textbox", { name: /^Reason/ }).fill("Hail on the roof");
    await page
      .getByRole("textbox", { name: /^Amount/ })
      .or(page.getByRole("spinbutton", { name: /^Amount/ }))
      .fill("12.30");
    await page.keyboard.press("Control+Enter");
    await says(outcome(page), "You submitted the data");
    expect(await ann.text(`/approvals/${asked.id}`)).toContain("12.30");
  });

  story("goes to a person with more say, and is handed over", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    const more = async (name: RegExp) => {
      await page.getByRole("button", { name: "More ways to answer" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await more(/Escalate/);
    await see(page.getByRole("dialog", { name: "Escalate this" }));
    await at.look(page);
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Escalate/ })
      .click();
    await see(page.getByText("the role Manager").first());
    await more(/Hand over|Delegate/);
    await page.getByRole("combobox", { name: "Name" }).fill("carla");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Hand over|Delegate/ })
      .click();
    await see(page.getByText("handed this over to carla"));
    await at.person("carla").decide(asked.id, "approve");
    await says(outcome(page), "carla approved this");
  });

  story("can be taken back for five seconds, wherever it is decided", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 14 });
    const held = (page: Page) => page.getByRole("status").filter({ hasText: "Approved" });
    const page = await at.open(`/approvals/${asked.id}`, { as: bob, undo: true });
    await patiently(page, async () => {
      await page.getByRole("button", { name: /^Approve/ }).click();
      await see(held(page));
      await at.look(page);
      await page.getByRole("button", { name: "Undo" }).click();
      await gone(held(page));
    });
    const run = await at.open(`/runs/${asked.run}`, { as: bob, undo: true });
    const card = run.getByRole("region", { name: "Open decisions" });
    await patiently(run, async () => {
      await card.getByRole("button", { name: "Approve" }).click();
      await card.getByRole("button", { name: "Undo" }).click();
      await see(card.getByRole("button", { name: "Approve" }));
    });
    expect((await ann.get(`/approvals/${asked.id}`)).decisions).toEqual([]);
    await patiently(page, async () => {
      await page.getByRole("button", { name: /^Approve/ }).click();
      await see(held(page));
      await page.goto(`${at.server.url}/history`); // leaving sends it
    });
    expect((await ann.settled(asked.id)).status).toBe("approved");
  });

  story("is sent back for a revision and asked again", async () => {
    const asked = await ann.asked("letter");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.getByRole("button", { name: /revision/i }).click();
    await page.getByRole("textbox", { name: "What should be different" }).fill("Warmer");
    await page.keyboard.press("Control+Enter");
    await says(outcome(page), /You asked for a revision.*Warmer/s);
    const again = await until("the next approval", async () => {
      const run = await ann.run(asked.run);
      return run.pending_approvals.find((id: string) => id !== asked.id);
    });
    const next = await at.open(`/approvals/${again}`, { beside: page });
    await see(next.getByText("a warm hello").first());
    await says(next.getByRole("region", { name: "Revision 2" }), /bob sent a draft back.*“Warmer”.*hello/s);
  });

  story("of critical risk wants a typed word", async () => {
    const asked = await ann.asked("wipe");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await see(page.getByText("Critical risk").filter({ visible: true }).first());
    await decideByKey(page);
    const dialog = page.getByRole("dialog", { name: "This is critical" });
    await see(dialog);
    expect((await ann.get(`/approvals/${asked.id}`)).status).toBe("pending");
    const yes = dialog.getByRole("button", { name: "Approve" });
    expect(await yes.isEnabled()).toBe(false);
    await dialog.getByRole("textbox", { name: /^Type/ }).fill("delet");
    expect(await yes.isEnabled()).toBe(false);
    await dialog.getByRole("textbox", { name: /^Type/ }).fill("delete");
    await at.look(page);
    await yes.click();
    await says(outcome(page), "You approved this");
  });

  story("has comments that everyone sees at once", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    const other = await at.open(`/approvals/${asked.id}`, { as: ann, view: "tablet" });
    await page.keyboard.press("c");
    await focused(page.getByRole("textbox", { name: "Comment" }));
    await page.keyboard.type("Is this the right customer?");
    await page.keyboard.press("Control+Enter");
    await see(page.getByText("Is this the right customer?"));
    await see(other.getByText("Is this the right customer?"));
  });

  story("needs two: both count once, the requester not at all", async () => {
    const asked = await ann.asked("contract");
    const own = await at.open(`/approvals/${asked.id}`, { as: ann });
    await see(own.getByText("You started this run, so someone else must approve it."));
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.getByRole("button", { name: "Approve" }).click();
    await see(page.getByText("bob approved this"));
    await gone(page.getByRole("button", { name: "Approve" }));
    await see(page.getByText("You have already approved; 1 more needed."));
    await says(own.locator("main"), "1 of 2 approvals");
    const carla = await at.open(`/approvals/${asked.id}`, { as: at.person("carla"), view: "phone" });
    await carla.getByRole("button", { name: "Approve" }).tap();
    await says(outcome(carla), "bob and you approved this");
    await says(outcome(page), "You and carla approved this");
  });

  story("counts by role: a person with several says as which, on the page and beside the inbox", async () => {
    await at.admin.send("PUT", "/workflows/press-release?publish=true", {
      workflow: "press-release",
      steps: [{ id: "publish", agent: "keeper", risk: "medium" }],
      gates: [
        {
          id: "sign_off",
          at: "before publish",
          title: "Publish it?",
          roles: { legal: 1, press: 2 },
          on_reject: "cancel",
        },
      ],
    });
    const both = at.person("mia", "legal", "press");
    const asked = await ann.asked("press-release");
    const role = (page: Page) => page.getByRole("combobox", { name: "Your vote counts as" });
    // The seats that most are missing for come first; another one is one choice away.
    const page = await at.open(`/approvals/${asked.id}`, { as: both });
    await see(page.getByRole("button", { name: "Approve as Press" }));
    expect(await role(page).locator("option").allTextContents()).toEqual(["Press", "Legal"]);
    await role(page).selectOption("Legal");
    await at.look(page);
    await page.getByRole("button", { name: "Approve as Legal" }).click();
    await see(page.getByText(/You have already approved; 2 of Press still needed/));
    expect((await ann.get(`/approvals/${asked.id}`)).decisions.map((d: { role: string }) => d.role)).toEqual(["legal"]);
    // Who has one role that counts has nothing to choose.
    const paul = await at.open(`/approvals/${asked.id}`, { as: at.person("paul", "press", "support") });
    await see(paul.getByRole("button", { name: /^Approve(?! as)/ }));
    expect(await role(paul).count()).toBe(0);
    // Beside the inbox, and on a phone.
    const again = await ann.asked("press-release");
    const phone = await at.open(`/approvals/${again.id}`, { as: both, view: "phone" });
    await see(role(phone));
    await at.look(phone);
    const inbox = await at.open("/inbox", { as: both });
    await inbox.locator(`[data-row="${again.id}"] a`).click();
    await see(inbox.locator(`aside[data-preview] [data-decides="${again.id}"]`));
    await role(inbox).selectOption("Legal");
    await inbox.locator("aside[data-preview]").getByRole("heading").first().click();
    await inbox.getByRole("button", { name: "Approve as Legal" }).click();
    await until("the vote", async () => (await ann.get(`/approvals/${again.id}`)).decisions[0]?.role === "legal");
  });

  story("keeps the draft when the proposal changes underneath", async () => {
    const asked = await ann.asked("contract", { price: 100, place: "Oslo" });
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: /^Place/ }).fill("Bergen");
    await at.person("maria").decide(asked.id, "modify", { changes: { price: 90 } });
    await see(page.getByRole("region", { name: "maria changed what is proposed" }));
    await says(page.locator("main"), /100.*90/s);
    await says(page.locator("main"), /Oslo.*Bergen/s);
    await at.look(page);
    await page.getByRole("button", { name: "Apply them to the new version" }).click();
    await page.getByRole("button", { name: "Approve with 1 change" }).click();
    const after = await until("bob's change", async () => {
      const now = await ann.get(`/approvals/${asked.id}`);
      return now.proposed.place === "Bergen" ? now : undefined;
    });
    expect([after.proposed.price, after.status]).toEqual([90, "pending"]);
  });

  story("keeps what was written over a reload, and when it was settled meanwhile", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: /^Customer/ }).fill("Ibsen");
    await see(page.getByRole("button", { name: "Approve with 1 change" }));
    await page.reload();
    await see(page.getByRole("button", { name: "Approve with 1 change" }));
    await at.person("maria", "approver").decide(asked.id, "reject", { comment: "too high" });
    await says(outcome(page), /maria rejected this.*too high/s);
    await see(page.getByText("Your changes were not sent."));
    await page.reload();
    await see(page.getByText("Your changes were not sent"));
  });

  story("tells a person without the role why they cannot decide", async () => {
    const asked = await ann.asked("refund", refund);
    const page = await at.open(`/approvals/${asked.id}`, { as: at.person("dora", "clerk") });
    await see(page.getByText("this is asked of the role Approver"));
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  story("that does not exist is reported as missing", async () => {
    const page = await at.open("/inbox", { as: bob });
    at.guard(page).expectAnswer(404, /approvals\/apr_nothing/);
    await page.goto(`${at.server.url}/approvals/apr_nothing`);
    await see(page.getByText("Approval not found"));
  });

  story("ends by itself at its deadline", async () => {
    const asked = await ann.asked("hurry");
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    await says(outcome(page), "Timed out: rejected");
    await gone(page.getByRole("button", { name: "Approve" }));
  });
});

describe("two people at once", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  story("race for one approval: one decides, the other is told who was first", async () => {
    const bob = at.person("bob", "approver");
    const maria = at.person("maria", "approver");
    for (let round = 0; round < 3; round++) {
      const asked = await ann.asked("refund", { customer: "Iben", amount: 10 + round });
      const [b, m] = await Promise.all([
        at.open(`/approvals/${asked.id}`, { as: bob }),
        at.open(`/approvals/${asked.id}`, { as: maria }),
      ]);
      const pages = [b, m];
      for (const page of pages) await see(page.getByRole("button", { name: "Approve" }));
      // Both have it on the screen, both press at the same moment; whether the loser gets a 409 or hears of it
      // a moment before is a matter of milliseconds.
      for (const page of pages) at.guard(page).mayAnswer(409, /decisions/);
      await Promise.all(pages.map((page) => pressAlone(page)));
      const after = await ann.settled(asked.id);
      expect(after.decisions.length).toBe(1);
      const winner = after.outcome.by === "bob" ? b : m;
      const loser = winner === b ? m : b;
      await says(winner.getByRole("region", { name: "How it ended" }), "You approved this");
      await says(loser.getByRole("region", { name: "How it ended" }), `${after.outcome.by} approved this`);
      await Promise.all(pages.map((page) => page.close()));
    }
  });

  story("an answer that comes too late says who was first, and nothing of it is sent", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 10 });
    const page = await at.open(`/approvals/${asked.id}`, { as: at.person("bob", "approver") });
    await see(page.getByRole("button", { name: "Approve" }));
    // The news is on its way, and does not come before the answer is sent.
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route("**/api/v1/approvals/**", async (route) => {
      if (route.request().method() === "GET") await arrived;
      await route.continue();
    });
    at.guard(page).expectAnswer(409, /decisions/);
    await at.person("maria", "approver").decide(asked.id, "reject", { comment: "too high" });
    const refused = page.waitForResponse((answer) => answer.status() === 409);
    await decideByKey(page);
    await refused;
    arrive();
    await see(page.getByText(/maria rejected this (just now|\d+ s ago)/));
    await says(page.getByRole("region", { name: "How it ended" }), /maria rejected this.*too high/s);
    await page.unrouteAll({ behavior: "wait" });
  });
});
