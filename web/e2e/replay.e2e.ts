import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { gone, leadsTo, says, see, stage, still, story, until } from "./harness";

/** An agent and a tool outside of Assent that count how often they are called. */
class Outside {
  calls = 0;
  private server: HttpServer | undefined;

  async open(): Promise<string> {
    this.server = createServer((request, response) => {
      this.calls++;
      request.resume();
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ output: { calls: this.calls }, confidence: 0.95 }));
    });
    await new Promise<void>((resolve) => this.server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

const documents = (url: string) => `
agent: caller
kind: http
url: ${url}/agent
---
tool: counter
kind: http
url: ${url}/tool
risk: safe
operation: read
args: { type: object }
---
agent: thinker
kind: llm
provider: scripted
tools: [counter]
turns:
  - { say: I count., calls: [{ tool: counter, args: {} }] }
  - { answer: { counted: true }, confidence: 0.95 }
---
workflow: counted
steps:
  - { id: call, agent: caller }
  - { id: think, agent: thinker }
  - { id: keep, agent: keeper }
gates: [{ id: ok, at: before keep, title: Keep it? }]
`;

describe("the replay of a run", () => {
  const outside = new Outside();
  const at = stage({ documents: async () => documents(await outside.open()) });
  const ann = at.person("ann");
  let id = "";

  beforeAll(async () => {
    if (!at.server) return; // no browser: nothing is told
    id = await ann.start("counted");
    await at.admin.decide((await ann.approvalOf(id)).id, "approve");
    await ann.reaches(id, "completed");
  });
  afterAll(() => outside.close());

  story("goes through the log by slider, keys and buttons, without any call outside", async () => {
    const before = outside.calls;
    expect(before).toBeGreaterThanOrEqual(2);
    const page = await at.open(`/runs/${id}/replay`, { as: ann });
    const slider = page.getByRole("slider", { name: "Position in the log" });
    const position = async () => Number(await slider.getAttribute("aria-valuenow"));
    const last = Number(await slider.getAttribute("aria-valuemax"));
    await page.keyboard.press("Home");
    await until("the first event", async () => (await position()) === 1);
    for (let n = 2; n <= Math.min(6, last); n++) {
      await page.keyboard.press("ArrowRight");
      await until(`event ${n}`, async () => (await position()) === n);
    }
    const box = await slider.boundingBox();
    if (!box) throw new Error("no slider");
    for (const share of [0.25, 0.5, 0.75, 1])
      await page.mouse.click(box.x + 8 + (box.width - 16) * share, box.y + box.height / 2);
    await until("the end", async () => (await position()) === last);
    await page.keyboard.press("Shift+ArrowLeft");
    await until("the decision", async () => (await position()) < last);
    await at.look(page);
    await page.getByRole("button", { name: "First event" }).click();
    await page.getByRole("button", { name: "Play" }).click();
    await until("the end", async () => (await position()) === last);
    await see(page.getByRole("button", { name: "Play" }));
    expect(outside.calls, "calls outside during the replay").toBe(before);
  });

  story("shows what changed between two positions", async () => {
    const page = await at.open(`/runs/${id}/replay`, { as: ann });
    await see(page.getByRole("slider", { name: "Position in the log" }));
    await page.keyboard.press("Home");
    await see(page.locator('[role="slider"][aria-valuenow="1"]'));
    await page.getByRole("button", { name: "Pin to compare" }).click();
    await page.keyboard.press("End");
    await see(page.getByRole("tab", { name: /Changes since A/ }));
    await says(page.getByRole("tabpanel"), /From event 1 to event/);
    await says(page.getByRole("tabpanel"), /Step call/i);
    await at.look(page);
    await page.getByRole("tab", { name: "Events" }).click();
    await see(page.getByRole("tabpanel"));
    await at.look(page);
  });

  story("forks from where it stands; only what comes after is done again", async () => {
    const before = outside.calls;
    const page = await at.open(`/runs/${id}/replay`, { as: ann });
    const slider = page.getByRole("slider", { name: "Position in the log" });
    const last = await slider.getAttribute("aria-valuemax");
    await page.keyboard.press("End");
    await see(page.locator(`[role="slider"][aria-valuenow="${last}"]`));
    await page.keyboard.press("Shift+ArrowLeft");
    await gone(page.locator(`[role="slider"][aria-valuenow="${last}"]`));
    const at_seq = Number(await slider.getAttribute("aria-valuenow"));
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog", { name: /Fork after event/ });
    await see(dialog.getByRole("button", { name: "Fork as it was" }));
    await at.look(page);
    // What a person writes over what was there, and takes back.
    await dialog.getByRole("button", { name: "Change" }).first().click();
    await dialog.getByRole("textbox", { name: / as JSON$/ }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{ "other": true }');
    await see(dialog.getByRole("button", { name: "Fork with 1 change" }));
    await dialog.getByRole("button", { name: "Leave as it was" }).click();
    await dialog.getByRole("button", { name: "Fork as it was" }).click();
    await leadsTo(page, /^\/runs\/run_[^/]+$/);
    const made = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect(made).not.toBe(id);
    const run = await ann.reaches(made, "completed", "waiting");
    expect(run.forked_from).toBe(id);
    expect(at_seq).toBeGreaterThan(1);
    expect(outside.calls, "recorded results are used again").toBe(before);
  });
});

const chain = Array.from({ length: 200 }, (_, i) => `step_${String(i).padStart(3, "0")}`);
const longDocuments = JSON.stringify({ workflow: "two-hundred", steps: chain.map((id) => ({ id, agent: "quick" })) });

describe("the steps of a run", () => {
  const at = stage({ documents: async () => longDocuments });
  const ann = at.person("ann");
  let id = "";
  beforeAll(async () => {
    if (!at.server) return; // no browser: nothing is told
    id = await ann.start("two-hundred");
    await ann.reaches(id, "completed");
  });
  /** The number of the event with which a step began. */
  const began = async (step: string): Promise<number> => {
    const { items } = await ann.get(`/runs/${id}/events?limit=1000`);
    return items.find(
      (e: { type: string; data: { step?: string } }) => e.type === "step.started" && e.data.step === step,
    ).seq;
  };
  const whole = (page: Page, ...steps: string[]) =>
    until(`${steps.join(", ")} to be in view`, () => page.evaluate(wholeInGraph, steps));

  story("are followed through a long replay, and found again", async () => {
    const page = await at.open(`/runs/${id}/replay?at=${await began("step_099")}`, { as: ann });
    await whole(page, "step_099");
    // Calmly: what is in view already moves nothing.
    await page.getByRole("button", { name: "Show everything" }).click();
    await whole(page, "step_000", "step_099", "step_199");
    await still(page.locator(".react-flow__node").first());
    const before = await page.evaluate(graphPlace);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await see(page.locator(`[role="slider"][aria-valuenow="${(await began("step_099")) - 2}"]`));
    expect(await page.evaluate(graphPlace)).toBe(before);
    await page.getByRole("button", { name: "Go to the current step and follow it" }).click();
    await until("the others to be out of view", async () => !(await page.evaluate(wholeInGraph, ["step_199"])));
    await page.keyboard.press("Home");
    await whole(page, "step_000");
    await page.getByRole("button", { name: "16×" }).click();
    await page.getByRole("button", { name: "Play" }).click();
    await until("the first step to be out of view", async () => !(await page.evaluate(wholeInGraph, ["step_000"])));
    await page.getByRole("button", { name: "Pause" }).click();
    await page.keyboard.press("End");
    await whole(page, "step_199");
    // The wheel is the page's until a person is at the graph.
    await page.locator(".graph").focus();
    await page.locator(".graph").hover();
    await page.mouse.wheel(-3000, 0);
    await until("the last step to be out of view", async () => !(await page.evaluate(wholeInGraph, ["step_199"])));
    await page.getByRole("button", { name: "Go to the current step and follow it" }).click();
    await whole(page, "step_199");
    // The map is no empty box.
    const map = page.getByRole("img", { name: "Map of all steps" });
    const seen = await map.locator("rect.mini-done").first().boundingBox();
    expect(Math.min(seen?.width ?? 0, seen?.height ?? 0)).toBeGreaterThanOrEqual(0.5);
    await at.look(page);
  });

  story("leave room for the rest on a phone", async () => {
    const page = await at.open(`/runs/${id}/replay?at=${await began("step_099")}`, { as: ann, view: "phone" });
    const row = page.getByRole("button", { name: /^Step 099/ });
    await see(row);
    const list = await page.getByRole("list", { name: "Steps" }).locator("..").boundingBox();
    await until("the row in the list", async () => {
      const here = await row.boundingBox();
      return !!list && !!here && here.y >= list.y && here.y + here.height <= list.y + list.height;
    });
    const tab = await page.getByRole("tab", { name: "State" }).boundingBox();
    expect(tab?.y).toBeLessThan(2 * 844);
    await at.look(page);
    await page.getByRole("button", { name: "First event" }).click();
    await until("the first step", async () => {
      const first = await page.getByRole("button", { name: /^Step 000/ }).boundingBox();
      return !!first && !!list && first.y >= list.y - 1 && first.y < list.y + list.height;
    });
  });

  story("that wait are in view, and so is everything that fits", async () => {
    const waiting = await ann.start("pipeline");
    await ann.approvalOf(waiting);
    const page = await at.open(`/runs/${waiting}`, { as: ann, view: "tablet" });
    await whole(page, "gate go");
    // How much waits is told beside the pictures, too.
    const inbox = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Inbox.*waiting/ });
    await see(inbox);
    const badge = await inbox.getByText(/^\d/).boundingBox();
    expect(Math.min(badge?.width ?? 0, badge?.height ?? 0)).toBeGreaterThan(10);
    const three = await ann.start("plain");
    await ann.reaches(three, "completed");
    for (const view of ["tablet", "desktop"] as const) {
      const small = await at.open(`/runs/${three}`, { as: ann, view });
      await whole(small, "first", "second", "third");
      await at.look(small);
    }
  });
});

/** Whether these nodes stand in the graph with nothing cut off. Runs in the page. */
function wholeInGraph(ids: string[]): boolean {
  const pane = document.querySelector(".graph")?.getBoundingClientRect();
  if (!pane) return false;
  return ids.every((id) => {
    const box = document.querySelector(`.react-flow__node[data-id="${id}"]`)?.getBoundingClientRect();
    return (
      !!box && box.left >= pane.left && box.right <= pane.right && box.top >= pane.top && box.bottom <= pane.bottom
    );
  });
}

/** Where the graph stands. Runs in the page. */
function graphPlace(): string {
  return document.querySelector<HTMLElement>(".react-flow__viewport")?.style.transform ?? "";
}
