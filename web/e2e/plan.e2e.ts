import { describe, expect } from "vitest";
import { see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const documents = async () => `agent: worker
kind: scripted
answers: [{ output: { ok: true } }]
---
agent: adviser
kind: scripted
answers:
  - { output: { action: continue, reasoning: "The folder has no other files." } }
---
agent: rater
kind: scripted
effects: none
answers: [{ output: { stars: 4 } }]
---
workflow: audit-files
loops:
  agent: { agent: adviser, at: per_layer }
steps:
  - { id: list, agent: worker, needs: [] }
  - { id: extra, agent: worker, needs: [list], if: "list.ok == false" }
  - { id: report, agent: worker, needs: [list] }
---
workflow: hurried
speculate: true
steps:
  - { id: propose, agent: worker, needs: [] }
  - { id: rate, agent: rater, needs: [propose], with: { ok: propose.ok } }
  - { id: tidy, agent: worker, needs: [rate] }
gates:
  - { id: check, at: after propose, role: approver, title: Use this proposal }
`;

describe("the plan of a run", () => {
  const at = stage({ documents, load: [] });
  const ann = at.person("ann", "admin");

  story("layers, what the agent in the loop said, and steps told apart in words", async () => {
    const id = await ann.start("audit-files");
    await ann.reaches(id, "completed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    await page.getByRole("tab", { name: "Plan" }).click();
    const layers = page.getByRole("list", { name: "Layers" });
    const point = layers.getByRole("region", { name: "Decision point after layer 1" });
    await see(point.getByText("Adviser advised to continue as planned"));
    await see(point.getByText("The folder has no other files."));
    await see(layers.getByRole("button", { name: /^Extra Skipped: / }));
    await inBothThemes(page, "run-plan-desktop", () => at.look(page));
    // With the keyboard: a step of the plan opens beside it.
    await layers.getByRole("button", { name: /^Report/ }).press("Enter");
    await see(page.getByRole("heading", { name: "Report" }));

    const phone = await at.open(`/runs/${id}?tab=plan`, { as: ann, view: "phone" });
    await see(phone.getByRole("list", { name: "Layers" }).getByText("Layer 2"));
    await inBothThemes(phone, "run-plan-phone", () => at.look(phone));
    const tablet = await at.open(`/runs/${id}?tab=plan`, { as: ann, view: "tablet" });
    await see(tablet.getByRole("list", { name: "Layers" }).getByText("Layer 2"));
    await inBothThemes(tablet, "run-plan-tablet", () => at.look(tablet));
    expect((await ann.run(id)).steps).toHaveLength(3);
  });

  /** A run that waits, with one step ahead of the decision, one added and one to be skipped. */
  const hurried = async () => {
    const id = await ann.start("hurried");
    const approval = await ann.approvalOf(id);
    const command = (body: object) => ann.post(`/runs/${id}/commands`, body);
    await command({ type: "inject_steps", steps: [{ id: "double_check", agent: "worker", needs: ["propose"] }] });
    await command({ type: "skip_step", step: "tidy" });
    const ahead = (word: string) =>
      until(`rate is ${word} ahead`, async () => {
        const { steps } = await ann.run(id);
        return steps.find((s: { id: string }) => s.id === "rate").ahead === word;
      });
    await ahead("returned");
    return { id, approval, ahead };
  };

  story("tells added, skipped and ran-ahead steps apart, in graph, list and plan", async () => {
    const { id, approval, ahead } = await hurried();
    const page = await at.open(`/runs/${id}`, { as: ann });
    const box = (step: string) => page.locator(`.react-flow__node[data-id="${step}"]`);
    await see(box("rate").getByText("ran ahead", { exact: true }));
    await see(box("double_check").getByText("added", { exact: true }));
    expect(
      await box("propose")
        .getByText(/added|ahead/)
        .count(),
    ).toBe(0);
    expect(await box("rate").getByText("added").count()).toBe(0);
    await page.getByRole("button", { name: "List", exact: true }).click();
    const list = page.getByRole("list", { name: "Steps", exact: true });
    await see(list.getByRole("button", { name: /^Rate ran ahead/ }));
    await see(list.getByRole("button", { name: /^Double check added/ }));
    await see(list.getByRole("button", { name: /^Propose (?!added|ran)/ }));
    await page.getByRole("tab", { name: "Plan" }).click();
    const layers = page.getByRole("list", { name: "Layers" });
    await see(layers.getByRole("button", { name: /^Rate ran ahead/ }));
    await see(layers.getByRole("button", { name: /^Double check Added/ }));
    await see(layers.getByRole("button", { name: /^Tidy Skipped: / }));
    await see(layers.getByText("The plan changed: added Double check"));
    expect(await layers.getByText(/^For:/).count()).toBe(0);
    await inBothThemes(page, "run-marks-desktop", () => at.look(page));
    await layers.getByRole("button", { name: /^Rate/ }).press("Enter");
    await see(page.getByRole("region", { name: "Step Rate" }).getByText("ran ahead", { exact: true }));

    await ann.decide(approval.id, "approve");
    await ahead("used");
    await ann.reaches(id, "completed");
    await see(layers.getByRole("button", { name: /^Rate ran ahead, used/ }));
    await see(list.getByRole("button", { name: /^Rate ran ahead, used/ }));
  });

  story("a result that was not used says so, on a phone", async () => {
    const { id, approval, ahead } = await hurried();
    const page = await at.open(`/runs/${id}?tab=plan`, { as: ann, view: "phone" });
    const layers = page.getByRole("list", { name: "Layers" });
    await see(layers.getByRole("button", { name: /^Rate ran ahead/ }));
    await ann.decide(approval.id, "modify", { changes: { ok: false } });
    await ahead("discarded");
    await ann.reaches(id, "completed");
    await see(layers.getByRole("button", { name: /^Rate ran ahead, discarded/ }));
    await see(layers.getByRole("button", { name: /^Double check Added/ }));
    await see(layers.getByRole("button", { name: /^Tidy Skipped: / }));
    await inBothThemes(page, "run-marks-phone", () => at.look(page));
    await page.getByRole("tab", { name: "Steps" }).tap();
    const list = page.getByRole("list", { name: "Steps", exact: true });
    await see(list.getByRole("button", { name: /^Rate ran ahead, discarded/ }));
    await see(list.getByRole("button", { name: /^Double check added/ }));
    await inBothThemes(page, "run-marks-list-phone", () => at.look(page));
  });
});
