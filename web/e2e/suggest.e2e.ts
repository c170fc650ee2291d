import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect } from "vitest";
import { Keyboard, leadsTo, pageFinder, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

/** A model that follows a script: what it answers next, and what it was asked. */
const model = { answer: {} as object, asked: "" };
const modelServer = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    model.asked = body;
    const delta = { index: 0, delta: { content: JSON.stringify(model.answer) }, finish_reason: "stop" };
    const usage = { prompt_tokens: 300, completion_tokens: 40 };
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.end(`data: ${JSON.stringify({ choices: [delta], usage })}\n\ndata: [DONE]\n\n`);
  });
});

async function modelURL(): Promise<string> {
  await new Promise<void>((done) => modelServer.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(modelServer.address() as AddressInfo).port}/v1`;
}

const documents = async () => `${pageFinder}
---
agent: planner
kind: llm
provider: openai
model: scripted
base_url: ${await modelURL()}
system: Put steps in order.
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

  afterAll(() => {
    modelServer.closeAllConnections();
    modelServer.close();
  });

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
    await see(steps.getByText("Runs once for each item in the pages of Page finder, passed as the page"));
    await see(steps.getByText(/^nothing provides the printer, so each run asks for it$/i));
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

  story("is arranged by a model from what was offered, with mouse, keyboard and on a phone", async () => {
    const before = await ann.get("/workflows?limit=200");
    const finder = { tool: "agent:page_finder", part: "find the pages of the customer" };
    const sender = { tool: "agent:page_sender", part: "send each page to the printer", needs: [0] };
    model.answer = { steps: [finder, sender], reasoning: "The pages are found before they are sent." };
    const page = await at.open("/workflows", { as: ann });
    await page.getByRole("button", { name: "Describe it" }).click();
    const dialog = page.getByRole("dialog", { name: "Describe a workflow" });
    await dialog
      .getByLabel("What should happen?")
      .fill("Find the pages of the customer and send each page to the printer.");
    await dialog.getByLabel("Arranged by").click();
    await page.getByRole("option", { name: "Planner" }).click();
    await dialog.getByRole("button", { name: "Suggest" }).click();
    const steps = dialog.getByRole("list", { name: "Suggested steps" });
    await see(steps.getByText("Arranged by the agent"));
    await see(dialog.getByText("Arranged by Planner."));
    await see(dialog.getByText("The pages are found before they are sent."));
    expect(model.asked).toContain("agent:page_sender");
    await dialog.getByLabel("Name").fill("Arranged pages");
    await dialog.getByRole("button", { name: "Open as a draft" }).click();
    await leadsTo(page, /^\/workflows\/arranged-pages$/);
    await see(page.getByText("Draft", { exact: true }));
    expect((await ann.get("/workflows?limit=200")).total).toBe(before.total);

    // With the keyboard: what was not offered is left out, and the page says why.
    model.answer = { steps: [finder, { tool: "delete_everything" }] };
    await page.goto(`${at.server.url}/suggest`);
    const keys = new Keyboard(page);
    await keys.type(page.getByLabel("What should happen?"), "Find the pages of the customer.");
    await keys.choose(page.getByLabel("Arranged by"), "Planner");
    await keys.press(page.getByRole("button", { name: "Suggest a plan" }));
    await leadsTo(page, /agent=planner/);
    await see(page.getByText(/delete_everything was not among the candidates/));
    await see(page.getByRole("list", { name: "Steps, layer by layer" }).getByText("Page finder", { exact: true }));
    await keys.within(page.locator("main"));

    // On a phone.
    model.answer = { steps: [finder, sender] };
    const phone = await at.open("/workflows", { as: ann, view: "phone" });
    await phone.getByRole("button", { name: "Describe it" }).tap();
    await phone.getByLabel("What should happen?").fill("Find the pages of the customer and send each page.");
    await phone.getByLabel("Arranged by").tap();
    await phone.getByRole("option", { name: "Planner" }).tap();
    await phone.getByRole("button", { name: "Suggest" }).tap();
    await see(phone.getByText("Arranged by Planner."));
    await inBothThemes(phone, "editor-arranged-phone", () => at.look(phone));
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
    await see(step.getByText("The run needed a step for “read the XML documents”."));
    await inBothThemes(page, "adaptive-run-desktop", () => at.look(page));
  });
});
