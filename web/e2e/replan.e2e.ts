import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { says, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const documents = async () => `workflow: read_inbox
description: Reads what is in the inbox
loops:
  agent: { agent: inbox_guide, at: per_layer }
  replan: ask
steps:
  - { id: look, agent: inbox_lister }
  - { id: report, agent: inbox_reporter, needs: [look] }
---
workflow: fetch_rates
description: Another source takes the place of one that failed
stop_on_error: false
loops:
  agent: { agent: rates_guide, at: on_error }
  replan: ask
steps:
  - { id: fetch, agent: rates_bank }
  - { id: convert, agent: rates_converter, needs: [fetch] }
---
agent: inbox_lister
kind: scripted
answers: [{ output: { file: orders.xml } }]
---
agent: inbox_reporter
kind: scripted
answers: [{ output: { reported: true } }]
---
agent: xml_parser
kind: scripted
description: Parses an XML file into a tree
effects: none
input:
  type: object
  required: [file, depth]
  properties: { file: { type: string }, depth: { type: integer } }
answers: [{ match: file == "orders.xml" and depth == 2, output: { orders: 3 } }, { output: { orders: 0 } }]
---
agent: inbox_guide
kind: scripted
answers:
  - { output: { action: replan, requirement: parse the XML file, reasoning: One of the files is XML. } }
  - { output: { action: continue } }
---
agent: rates_bank
kind: scripted
answers: [{ fail: The bank is closed. }]
---
agent: rates_mirror
kind: scripted
description: Mirrors the exchange rates of yesterday
effects: none
answers: [{ output: { rate: 2 } }]
---
agent: rates_converter
kind: scripted
answers: [{ output: { converted: true } }]
---
agent: rates_guide
kind: scripted
answers:
  - { output: { action: replan, requirement: mirror the exchange rates, reasoning: There is a mirror. } }
  - { output: { action: continue } }
`;

describe("a plan that wants to grow", () => {
  const at = stage({ documents });
  const ann = at.person("ann", "admin");

  const layers = (page: Page, plan: string) => page.getByRole("list", { name: plan, exact: true });
  const added = (page: Page) => page.locator("#proposal").getByRole("list", { name: "Added steps" });
  const asked = async (workflow: string) => {
    const run = await ann.start(workflow, {});
    return { run, approval: await ann.approvalOf(run) };
  };
  const statusOf = async (run: string) => {
    const done = await ann.reaches(run, "completed");
    return Object.fromEntries(done.steps.map((s: { id: string; status: string }) => [s.id, s.status]));
  };

  story("is drawn before and after; a person completes the new step, and the run uses it", async () => {
    const { run, approval } = await asked("read_inbox");
    expect(approval.action.type).toBe("replan");
    const page = await at.open(`/approvals/${approval.id}`, { as: ann });
    await see(page.getByText("The run needs a step for “parse the XML file”."));
    await see(page.getByText(/Set depth before you approve/));
    await see(layers(page, "Now").getByText("Report", { exact: true }));
    expect(await layers(page, "Now").getByText("Xml parser").count()).toBe(0);
    const after = layers(page, "With these steps");
    await see(after.getByText("Xml parser", { exact: true }));
    expect(await after.getByText("New", { exact: true }).count()).toBe(1);
    await says(after, /Report.*now also waits for Xml parser/);
    await inBothThemes(page, "replan-desktop", () => at.look(page));
    await page.keyboard.press("e");
    await added(page)
      .getByRole("textbox", { name: /^Depth/ })
      .fill("2");
    await see(page.locator("#proposal").getByText(/can be done/));
    await page.getByRole("button", { name: /^Approve with/ }).click();
    expect(await statusOf(run)).toMatchObject({ look: "done", xml_parser: "done", report: "done" });
    const step = (await ann.run(run)).steps.find((s: { id: string }) => s.id === "xml_parser");
    expect(step.output).toEqual({ orders: 3 });
  });

  story("goes on as it was if people say no, on a phone as well", async () => {
    const { run, approval } = await asked("read_inbox");
    const page = await at.open(`/approvals/${approval.id}`, { as: ann, view: "phone" });
    await see(layers(page, "With these steps").getByText("Xml parser", { exact: true }));
    await inBothThemes(page, "replan-phone", () => at.look(page));
    await page.getByRole("button", { name: /^Reject/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").first().fill("Nobody reads XML here.");
    await dialog.getByRole("button", { name: /^Reject/ }).click();
    expect(await statusOf(run)).toEqual({ look: "done", report: "done" });
  });

  story("shows which step waits for the replacement of one that failed", async () => {
    const { run, approval } = await asked("fetch_rates");
    const page = await at.open(`/approvals/${approval.id}`, { as: ann });
    await see(page.getByText("Fetch failed and is replaced."));
    await says(layers(page, "With these steps"), /Convert.*now waits for Rates mirror instead of Fetch/);
    await at.look(page);
    await page.getByRole("button", { name: /^Approve/ }).click();
    await until("the replacement is done", async () => {
      const { steps } = await ann.run(run);
      return steps.find((s: { id: string; status: string }) => s.id === "convert")?.status === "done" || undefined;
    });
  });
});
