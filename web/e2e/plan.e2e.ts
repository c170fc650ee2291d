import { describe, expect } from "vitest";
import { see, stage, story } from "./harness";
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
workflow: audit-files
loops:
  agent: { agent: adviser, at: per_layer }
steps:
  - { id: list, agent: worker, needs: [] }
  - { id: extra, agent: worker, needs: [list], if: "list.ok == false" }
  - { id: report, agent: worker, needs: [list] }
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
});
