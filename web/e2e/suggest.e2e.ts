import { describe, expect } from "vitest";
import { leadsTo, pageFinder, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const documents = async () => `${pageFinder}
---
agent: page_sender
kind: scripted
description: Sends each page to the printer
input: { type: object, required: [page, printer], properties: { page: { type: string }, printer: { type: string } } }
answers: [{ output: { sent: true } }]
---
agent: xml_reader
kind: scripted
description: Reads the text of XML documents
effects: none
answers: [{ output: { text: Tea at five. } }]
---
agent: guide
kind: scripted
answers:
  - { output: { action: replan, requirement: read the XML documents, reasoning: There is one. } }
  - { output: { action: continue } }
---
workflow: discover
loops: { agent: { agent: guide, at: per_layer } }
steps:
  - { id: look, agent: page_finder }
  - { id: note, tool: create_deliverable, with: { name: '"note.md"', type: '"document"', content: '"A note."' } }
  - { id: report, agent: page_finder }
`;

describe("a suggested plan", () => {
  const at = stage({ documents });
  const ann = at.person("ann", "admin");

  story("is drawn for a sentence, with the reason for each step, and saved nowhere", async () => {
    const before = await ann.get("/workflows?limit=200");
    const page = await at.open("/runs", { as: ann });
    await page.getByRole("button", { name: "Suggest a plan" }).click();
    await leadsTo(page, /^\/suggest/);
    await page
      .getByLabel("What should happen?")
      .fill("Find the pages of the customer and send each page to the printer.");
    await page.getByRole("button", { name: "Suggest a plan" }).click();
    const steps = page.getByRole("list", { name: "Steps, layer by layer" });
    await see(steps.getByText("Page finder", { exact: true }));
    await see(steps.getByText("Agent Page sender"));
    await see(steps.getByText("Runs once for each item of page_finder.pages, passed as page"));
    await see(steps.getByText(/^nothing provides printer, so each run asks for it$/i));
    expect(await steps.getByText("Asks people").count()).toBe(1);
    await see(page.getByText(/% confident$/));
    await see(page.getByText("each: page_finder.pages"));
    await see(page.getByRole("button", { name: "Copy" }));
    await inBothThemes(page, "suggest-desktop", () => at.look(page));
    const after = await ann.get("/workflows?limit=200");
    expect(after.total).toBe(before.total);
    // The address is the question.
    await page.reload();
    await see(steps.getByText("Agent Page finder"));
  });

  story("says that nothing fits, on a phone as well", async () => {
    const page = await at.open("/suggest?intent=knit+a+quetzalcoatl", { as: ann, view: "phone" });
    await see(page.getByText("No plan found"));
    await at.look(page);
    await page.goto(
      `${at.server.url}/suggest?intent=Find+the+pages+of+the+customer,+then+send+each+page+to+the+printer`,
    );
    await see(page.getByText("Page sender", { exact: true }));
    await inBothThemes(page, "suggest-phone", () => at.look(page));
  });

  story("grows during a run: the new step says why, and a tool is drawn as one", async () => {
    const id = await ann.start("discover");
    await until("the step is added", async () => (await ann.run(id)).steps.length === 4);
    await ann.reaches(id, "completed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    const added = page.locator('.react-flow__node[data-id="xml_reader"]');
    await see(added.getByText("added"));
    await see(page.locator('.react-flow__node[data-id="note"]').getByText("Tool Create deliverable"));
    await added.click();
    const step = page.getByRole("region", { name: "Step Xml reader" });
    await see(step.getByText("Added because"));
    await see(step.getByText("Wanted: read the XML documents"));
    await inBothThemes(page, "adaptive-run-desktop", () => at.look(page));
  });
});
