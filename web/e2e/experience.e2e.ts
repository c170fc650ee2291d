import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { gone, Keyboard, pageFinder, see, stage, story } from "./harness";
import { inBothThemes } from "./pages";

const documents = `${pageFinder}
---
agent: page_counter
kind: scripted
description: Counts pages
effects: none
answers: [{ output: { count: 2 } }]
---
agent: rate_finder
kind: scripted
description: Finds the rates of a day
effects: none
answers: [{ output: { rate: 1 } }]
---
agent: guide
kind: scripted
answers:
  - { output: { action: replan, requirement: find the rates of today, reasoning: They are missing. } }
  - { output: { action: continue } }
---
workflow: count-pages
description: Count the pages of a customer
steps:
  - { id: find, agent: page_finder }
  - { id: count, agent: page_counter, with: { pages: find.pages } }
---
workflow: rates
loops: { replan: go, learn: requests, agent: { agent: guide, at: per_layer } }
steps:
  - { id: find, agent: page_finder }
  - { id: count, agent: page_counter }
`;

describe("what runs taught", () => {
  const at = stage({ documents: async () => documents });
  const ann = at.person("ann", "admin");
  const vic = at.person("vic", "viewer");
  const path = "/agents?tab=experience";

  story("is there to see, exported and forgotten, with mouse, keyboard and on a phone", async () => {
    const empty = await at.open(path, { as: ann });
    await see(empty.getByRole("heading", { name: "Nothing learned yet" }));
    await at.look(empty);
    const counting = await ann.start("count-pages");
    const rates = await ann.start("rates");
    await ann.reaches(counting, "completed");
    await ann.reaches(rates, "completed");

    // With the mouse. The page that is open has noticed.
    const page = empty;
    const tools = page.getByRole("list", { name: "Tools that runs used" });
    const counter = tools.getByRole("listitem").filter({ hasText: "Agent Page counter" }).first();
    await see(tools.getByText("Passes results to Agent Page counter"));
    await see(tools.getByText("Agent Rate finder", { exact: true }));
    const requests = page.getByRole("list", { name: "Past requests" });
    await see(requests.getByText("“find the rates of today”"));
    await see(requests.getByText("Served by Agent Rate finder"));
    await inBothThemes(page, "experience-desktop", () => at.look(page));
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("experience.jsonl");
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).run).sort()).toEqual([counting, rates].sort());
    await tools.getByRole("button", { name: "Forget Agent Rate finder" }).click();
    const forget = page.getByRole("dialog", { name: "Forget what was learned about Agent Rate finder?" });
    await forget.getByLabel("Reason").fill("It was replaced.");
    await at.look(page);
    await forget.getByRole("button", { name: "Forget" }).click();
    await gone(forget);
    await gone(tools.getByText("Agent Rate finder", { exact: true }));
    await see(counter);
    const { items } = await ann.get("/audit?action=graph.forgotten&limit=10");
    expect(items).toHaveLength(1);
    expect(JSON.stringify(items[0])).toContain("It was replaced.");

    // With the keyboard: a run, and nothing if the dialog is left.
    const keys = new Keyboard(page);
    const taught = page.getByRole("list", { name: "Runs that taught" });
    const one = taught.getByRole("button", { name: /^Forget Count pages/ });
    await keys.press(one);
    const left = page.getByRole("dialog", { name: /^Forget what the run/ });
    await see(left);
    await page.keyboard.press("Escape");
    await gone(left);
    await keys.within(one);
    await keys.press(one);
    await keys.press(left.getByRole("button", { name: "Forget" }));
    await gone(left);
    await gone(one);
    expect((await ann.get("/graph/runs")).items).toHaveLength(1);

    // On a phone: everything.
    const phone = await at.open(path, { as: ann, view: "phone" });
    await see(phone.getByRole("list", { name: "Tools that runs used" }));
    await inBothThemes(phone, "experience-phone", () => at.look(phone));
    await phone.getByRole("button", { name: "Forget…", exact: true }).first().tap();
    const all = phone.getByRole("dialog", { name: "Forget what was learned?" });
    expect(await all.getByRole("button", { name: "Forget" }).isDisabled()).toBe(true);
    await all.getByLabel("What to forget").tap();
    await phone.getByRole("option", { name: "Everything" }).tap();
    await at.look(phone);
    await all.getByRole("button", { name: "Forget" }).tap();
    await see(phone.getByRole("heading", { name: "Nothing learned yet" }));
    expect((await ann.get("/graph")).runs).toBe(0);
  });

  story("is shown to others without requests and runs, and they forget nothing", async () => {
    const id = await ann.start("count-pages");
    await ann.reaches(id, "completed");
    const page = await at.open(path, { as: vic });
    await see(page.getByRole("list", { name: "Tools that runs used" }).getByText("Agent Page finder", { exact: true }));
    expect(await page.getByRole("button", { name: /^Forget|^Export/ }).count()).toBe(0);
    expect(await page.getByRole("list", { name: "Past requests" }).count()).toBe(0);
    await at.look(page);
  });
});
