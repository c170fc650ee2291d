import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { focused, Keyboard, says, see, stage, story, until, views } from "./harness";
import { inBothThemes, takesPictures } from "./pages";

const documents = async () => `workflow: release
description: People look at the plan between its layers
snapshots: per_layer
loops:
  agent: { agent: release_guide, at: per_layer }
  human: { when: always, summary: reporter }
steps:
  - { id: build, agent: builder }
  - { id: docs, agent: keeper, needs: [build] }
  - { id: deploy, agent: deployer, needs: [build], with: { artifact: build.artifact, region: '"north"' }, risk: high }
  - { id: announce, agent: keeper, needs: [deploy] }
gates: [{ id: sure, at: before deploy, title: Deploy it? }]
---
workflow: mend
stop_on_error: false
loops: { human: { when: always } }
steps:
  - { id: start, agent: keeper }
  - { id: fetch, agent: broken, needs: [start] }
  - { id: report, agent: keeper, needs: [start] }
  - { id: close, agent: keeper, needs: [fetch, report] }
gates: [{ id: fetch_ok, at: before fetch, title: Fetch it? }]
---
agent: builder
kind: scripted
answers: [{ output: { artifact: a.tgz, size: 12 } }]
---
agent: keeper
kind: scripted
effects: none
answers: [{ output: { kept: true } }]
---
agent: broken
kind: scripted
answers: [{ fail: The server is down. }]
---
agent: deployer
kind: scripted
input: { type: object, required: [artifact], properties: { artifact: { type: string }, region: { type: string } } }
answers: [{ match: region == "south", output: { live: south } }, { output: { live: north } }]
---
agent: release_guide
kind: scripted
answers: [{ output: { action: continue, reasoning: The build is complete and of the usual size. } }]
---
agent: reporter
kind: scripted
answers: [{ output: { summary: The archive was built without warnings. } }]
---
agent: secret_scanner
kind: scripted
description: Scans a build artifact for secrets
effects: none
input: { type: object, required: [artifact], properties: { artifact: { type: string }, depth: { type: integer } } }
answers: [{ output: { secrets: 0 } }]
`;

describe("the plan at a decision point", () => {
  const at = stage({ documents });
  const ann = at.person("ann", "admin");

  const form = (page: Page) => page.locator("#proposal");
  const step = (page: Page, list: string, name: string) =>
    form(page).getByRole("list", { name: list }).getByRole("listitem").filter({ hasText: name });
  const choose = async (page: Page, label: string, option: string) => {
    await form(page).getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: option }).click();
  };
  const addScanner = async (page: Page) => {
    await form(page).getByRole("button", { name: "Add a step" }).click();
    await form(page).getByRole("searchbox").fill("scan the artifact for secrets");
    await see(form(page).getByRole("button", { name: "Add secret_scanner" }));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await see(step(page, "Added steps", "secret_scanner"));
  };

  story("is changed with the keyboard alone: a step skipped, one edited, one added", async () => {
    const run = await ann.start("release", {});
    const asked = await ann.approvalOf(run);
    const page = await at.open(`/approvals/${asked.id}`, { as: ann });
    await see(page.getByText("The build is complete and of the usual size."));
    await see(page.getByText("The archive was built without warnings."));
    await see(page.getByText("By Reporter"));
    const keys = new Keyboard(page);
    await keys.press(page.getByRole("button", { name: /^Edit/ }));
    await keys.press(form(page).getByRole("checkbox", { name: "Skip Docs" }), "Space");
    await keys.type(form(page).getByRole("textbox", { name: /Why skip Docs/ }), "they are online already");
    await keys.press(form(page).getByRole("button", { name: "Edit the input of Deploy" }));
    await keys.within(form(page).getByRole("group", { name: "Input of Deploy" }));
    await keys.type(form(page).getByRole("textbox", { name: /^Region/ }), "south");
    // A step that is added, left out again, and added after all.
    const adds = form(page).getByRole("button", { name: "Add a step" });
    const find = async () => {
      await focused(form(page).getByRole("searchbox"));
      await keys.write("scan the artifact for secrets");
      const scanner = form(page).getByRole("button", { name: "Add secret_scanner" });
      await see(scanner);
      await page.keyboard.press("ArrowDown");
      await focused(scanner);
      await keys.press(scanner);
      await focused(form(page).getByRole("textbox", { name: "Name in the plan" }));
    };
    await keys.press(adds);
    await focused(form(page).getByRole("searchbox"));
    await page.keyboard.press("Escape");
    await keys.within(adds);
    await page.keyboard.press("Enter");
    await find();
    await keys.press(form(page).getByRole("button", { name: "Do not add Secret scanner" }), "Enter", "Shift+Tab");
    await keys.within(adds);
    await page.keyboard.press("Enter");
    await find();
    await see(form(page).getByText("This is needed.").or(form(page).getByText("Required")));
    await keys.choose(form(page).getByRole("combobox", { name: "When" }), "Before Deploy");
    await keys.choose(form(page).getByRole("combobox", { name: "Source of Artifact" }), "build.artifact");
    const effect = form(page).getByRole("region", { name: "What you change" });
    await says(effect, /Skips Docs/);
    await says(effect, /Changes the input of Deploy/);
    await says(effect, /Adds Secret scanner \(agent secret_scanner\), after Build/);
    await says(effect, /No gate asks about it/);
    await says(effect, /Deploy then waits for Build, Secret scanner/);
    await says(effect, /can be done/);
    await at.look(page);
    await keys.press(page.getByRole("button", { name: "Approve with 3 changes" }));
    await ann.settled(asked.id);
    await focused(page.locator("[data-decides]"));
    // Deploying is a layer of its own now: asked about, and then its gate asks.
    for (const title of ["Continue with deploy?", "Deploy it?"]) {
      const next = await until(title, async () => {
        const [id] = (await ann.run(run)).pending_approvals;
        const a = id && (await ann.get(`/approvals/${id}`));
        return a?.title === title ? a : undefined;
      });
      if (title === "Deploy it?") expect(next.proposed).toEqual({ artifact: "a.tgz", region: "south" });
      await ann.post(`/approvals/${next.id}/decisions`, { act: "approve", version: next.version });
    }
    const last = await until("the last question", async () => (await ann.run(run)).pending_approvals[0]);
    const { version } = await ann.get(`/approvals/${last}`);
    await ann.post(`/approvals/${last}/decisions`, { act: "approve", version });
    const done = await ann.reaches(run, "completed");
    const status = Object.fromEntries(done.steps.map((s: { id: string; status: string }) => [s.id, s.status]));
    expect(status).toMatchObject({ docs: "skipped", secret_scanner: "done", deploy: "done" });
    const decided = await ann.get(`/approvals/${asked.id}`);
    expect(decided.outcome.comment).toBe("Skip docs: they are online already");
    await page.goto(`${at.server.url}/runs/${run}`);
    await page.getByRole("tab", { name: /^Snapshots/ }).click();
    await page
      .getByRole("list", { name: "Snapshots" })
      .getByRole("link", { name: /After layer 1/ })
      .click();
    await until("the replay", async () => /\/replay\?at=\d+/.test(page.url()) || undefined);
    await see(page.getByText("A snapshot was saved after layer 1"));
  });

  story("shows the gates that a step inherits, and what cannot be done", async () => {
    const run = await ann.start("mend", {});
    for (const title of ["Continue with fetch, report?", "Fetch it?"]) {
      const next = await until(title, async () => {
        const [id] = (await ann.run(run)).pending_approvals;
        const a = id && (await ann.get(`/approvals/${id}`));
        return a?.title === title ? a : undefined;
      });
      await ann.post(`/approvals/${next.id}/decisions`, { act: "approve", version: next.version });
    }
    const point = await until("the point after the failure", async () => {
      const [id] = (await ann.run(run)).pending_approvals;
      return id && (await ann.get(`/approvals/${id}`));
    });
    const page = await at.open(`/approvals/${point.id}`, { as: ann, view: "phone" });
    await form(page).or(page.getByText("The server is down.")).first().waitFor();
    await page.getByRole("button", { name: /^Edit/ }).click();
    await addScanner(page);
    await form(page)
      .getByRole("textbox", { name: /^Artifact/ })
      .fill("b.tgz");
    await form(page)
      .getByRole("textbox", { name: /^Depth/ })
      .fill("x");
    await see(form(page).getByText("Depth: this is not a number."));
    await form(page)
      .getByRole("textbox", { name: /^Depth/ })
      .fill("2");
    await choose(page, "When", "In place of Fetch, which failed");
    const effect = form(page).getByRole("region", { name: "What you change" });
    await says(effect, /Fetch it\? before it starts, inherited from Fetch/);
    await form(page).getByRole("textbox", { name: "Name in the plan" }).fill("start");
    await says(form(page).getByRole("alert"), /start/);
    await form(page).getByRole("textbox", { name: "Name in the plan" }).fill("scan");
    await says(effect, /Adds Scan .*in place of Fetch/);
    await at.look(page);
    await page.getByRole("button", { name: /Approve with/ }).click();
    const gate = await until("the inherited gate", async () => {
      const [id] = (await ann.run(run)).pending_approvals;
      const a = id && (await ann.get(`/approvals/${id}`));
      return a?.title === "Fetch it?" && a.id !== point.id ? a : undefined;
    });
    expect([gate.step, gate.proposed]).toEqual(["scan", { artifact: "b.tgz", depth: 2 }]);
  });

  for (const view of ["desktop", "phone"] as const) {
    story(`is readable and changed: ${view}, light and dark`, async () => {
      const asked = await ann.asked("release");
      const page = await at.open(`/approvals/${asked.id}`, { as: ann, view });
      await page.getByRole("button", { name: /^Edit/ }).click();
      await form(page).getByRole("checkbox", { name: "Skip Docs" }).click();
      await form(page).getByRole("button", { name: "Edit the input of Deploy" }).click();
      await form(page)
        .getByRole("textbox", { name: /^Region/ })
        .fill("south");
      await addScanner(page);
      await choose(page, "Source of Artifact", "build.artifact");
      await says(form(page).getByRole("region", { name: "What you change" }), /No gate asks/);
      if (takesPictures) await page.setViewportSize({ ...views[view].viewport, height: 2200 });
      await inBothThemes(page, `plan-form-${view}`, () => at.look(page));
      await page.getByRole("button", { name: "Approve with 3 changes" }).click();
      expect((await ann.settled(asked.id)).outcome.act).toBe("modify");
    });
  }
});
