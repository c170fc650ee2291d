import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { gone, leadsTo, says, see, stage, story, until } from "./harness";
import { drawn, signIn } from "./pages";

/** Goes on after a failure, which has a long message; another one has a sub-workflow in a sub-workflow. */
const documents = async () => `workflow: tolerant
stop_on_error: false
steps:
  - { id: fetch_mail, agent: crasher }
  - { id: tidy_up, agent: quick, needs: [] }
---
workflow: crash
steps: [{ id: fetch_mail, agent: crasher }]
---
agent: crasher
kind: scripted
answers: [{ fail: ${JSON.stringify(`TypeError: mail is undefined\n${Array.from({ length: 40 }, (_, i) => `    at step${i} (/srv/app/file${i}.js:${i})`).join("\n")}`)} }]
---
workflow: outermost
steps: [{ id: whole, workflow: outer }]
---
workflow: signed
steps:
  - { id: first, agent: quick }
  - { id: second, agent: quick }
gates: [{ id: sign, at: before second, title: Sign it? }]
---
workflow: watched
steps:
  - { id: collect, agent: quick }
  - { id: left, agent: held, needs: [collect] }
  - { id: right, agent: quick, needs: [collect] }
  - { id: join, agent: quick, needs: [left, right] }
  - { id: publish, agent: quick, needs: [join], operation: publish, risk: high }
gates:
  - { id: go, at: start, title: Begin?, on_reject: cancel }
  - { id: release, at: before publish, title: Publish it?, on_reject: cancel }
---
agent: held
kind: http
url: ${await held.open()}
`;

/** An agent that works until it is let go. */
const held = {
  waiting: [] as ServerResponse[],
  server: createServer((request, response) => {
    request.resume();
    held.waiting.push(response);
  }),
  async open(): Promise<string> {
    if (!held.server.listening) await new Promise<void>((done) => held.server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(held.server.address() as AddressInfo).port}`;
  },
  letGo(): void {
    for (const response of held.waiting.splice(0)) {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ output: { slow: true }, confidence: 0.95 }));
    }
  },
  close(): void {
    held.server.close();
    held.server.closeAllConnections();
  },
};

afterAll(() => held.close());

describe("one run", () => {
  const at = stage({ documents });
  const ann = at.person("ann");
  const bea = at.person("bea", "approver");

  const more = async (page: Page, name: string) => {
    await page.getByRole("button", { name: /^More/ }).first().click();
    await page.getByRole("menuitem", { name }).click();
  };
  const write = async (page: Page, editor: string, text: string) => {
    await page.getByRole("textbox", { name: editor }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };
  /** A run of many steps that waits before the last of them. */
  const atItsEnd = async () => {
    const id = await ann.start("pipeline");
    await ann.decide((await ann.approvalOf(id)).id, "approve");
    await until("the second question", async () => {
      const { progress, pending_approvals } = await ann.run(id);
      return progress.done === 4 && pending_approvals.length === 1;
    });
    return id;
  };
  const node = (page: Page, step: string) => page.locator(`.react-flow__node[data-id="${step}"]`);
  const newRun = async (page: Page, old: string) => {
    await leadsTo(page, /^\/runs\/run_/);
    return until("another run", async () => {
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      return id !== old && id.startsWith("run_") ? id : undefined;
    });
  };

  story("is drawn while it goes on, and tells about each step", async () => {
    const id = await ann.start("watched");
    const begin = await ann.approvalOf(id);
    const page = await at.open(`/runs/${id}`, { as: ann });
    await see(node(page, "collect"));
    await at.admin.decide(begin.id, "approve");
    await says(node(page, "left"), "Running");
    await until("the agent to be called", async () => held.waiting.length > 0);
    held.letGo();
    await see(page.getByRole("region", { name: "Open decisions" }).getByText("Publish it?"));
    // It follows what is current.
    await says(node(page, "publish"), "Waiting");
    await node(page, "publish").click();
    await leadsTo(page, /step=publish/);
    await see(page.getByRole("heading", { name: "Publish", exact: true }));
    // The same as a list, with all steps.
    await page.getByRole("button", { name: "List", exact: true }).click();
    const steps = page.getByRole("list", { name: "Steps" });
    await says(steps.getByRole("button", { name: /^Left/ }), "Done");
    await at.look(page);
    await page.getByRole("button", { name: "Graph", exact: true }).click();
    await page.keyboard.press("Escape");
    await until("the step to close", async () => !page.url().includes("step="));
    await page.getByRole("region", { name: "Open decisions" }).getByRole("button", { name: "Approve" }).click();
    await ann.reaches(id, "completed");
    await says(page.locator("main"), "Completed");
  });

  for (const motion of [false, true]) {
    story(
      `shows its graph as it comes, with its steps in their places${motion ? ", where things move" : ""}`,
      async () => {
        const id = await ann.start("pipeline");
        await ann.decide((await ann.approvalOf(id)).id, "approve");
        await until("the second question", async () => (await ann.run(id)).progress.done === 4);
        const page = await at.open("/runs", { as: ann, view: "tablet", motion });
        await page.evaluate(watchGraph);
        await page.locator(`a[href$="${id}"]`).first().click();
        await see(node(page, "publish"));
        await drawn(page);
        // One state, from the first frame on: no empty pane, no jump.
        expect(
          (await page.evaluate(graphSeen)).map((state) => state.replace(/^\d+/, (n) => (Number(n) ? "some" : "no"))),
        ).toEqual([expect.stringMatching(/^some/)]);
      },
    );
  }

  story("keeps steps in sight in a window of another size, where a person moved it, too", async () => {
    const id = await atItsEnd();
    const page = await at.open(`/runs/${id}`, { as: ann });
    const resize = async ([width, height]: readonly [number, number]) => {
      await page.setViewportSize({ width, height });
      await until(`steps in sight at ${width} × ${height}`, async () => (await page.evaluate(stepsInSight)) > 0);
    };
    const sizes = [
      [950, 900],
      [1440, 900],
      [700, 900],
      [890, 600],
      [1200, 900],
    ] as const;
    for (const size of sizes) await resize(size);
    // Moved a little at its right end; from top to bottom there is nothing in that place.
    await page.setViewportSize({ width: 1440, height: 900 });
    await see(node(page, "publish"));
    await page.locator(".graph").hover();
    await page.mouse.wheel(-30, 0);
    for (const size of sizes) await resize(size);
  });

  story("has a timeline, events, and a list of steps for those who cannot see a graph", async () => {
    const id = await ann.start("plain");
    await ann.reaches(id, "completed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    await see(page.getByRole("tab", { name: "Timeline" }));
    await page.getByRole("tab", { name: /^Events/ }).click();
    const log = page.getByRole("region", { name: "Events" });
    await see(log);
    await page.getByRole("combobox", { name: "Which events" }).click();
    await page.getByRole("option", { name: "Everything" }).click();
    const { items } = await ann.get(`/runs/${id}/events?limit=1000`);
    await until("all events", async () => {
      const shown = await log.locator('[title="The number of the event in this run"]').allTextContents();
      return items.every(
        (e: { seq: number }) => shown.filter((s) => Number(s.replaceAll(/\D/g, "")) === e.seq).length === 1,
      );
    });
    await at.look(page);
  });

  story("is talked to while an agent works", async () => {
    const id = await ann.start("study");
    await ann.approvalOf(id);
    const page = await at.open(`/runs/${id}`, { as: ann });
    const thread = page.getByRole("region", { name: "Thread" });
    await see(thread.getByText("I look at the sources."));
    await page.getByRole("textbox", { name: "Message" }).fill("Please be brief.");
    await page.keyboard.press("Control+Enter");
    await see(page.getByText("Please be brief."));
    await until("the message", async () => JSON.stringify((await ann.run(id)).thread).includes("Please be brief."));
    const other = await at.open(`/runs/${id}`, { as: bea });
    await other.getByRole("region", { name: "Thread" }).getByRole("button", { name: "Approve" }).click();
    expect(await other.getByRole("region", { name: "Open decisions" }).count(), "asked in one place").toBe(0);
    await see(thread.getByText("I have read your message."));
    await ann.reaches(id, "completed");
  });

  story("shows the time of an agent's limit as it passes, and standing still while the run is stopped", async () => {
    const id = await ann.start("study");
    const { id: approval } = await ann.approvalOf(id);
    const page = await at.open(`/runs/${id}`, { as: ann });
    const used = async () => {
      const text = await page.getByRole("meter", { name: "Limit: Time" }).getAttribute("aria-valuetext");
      expect(text).toMatch(/ of 4\s*h$/);
      return text;
    };
    const first = await used();
    await until("another second", async () => (await used()) !== first);
    await bea.decide(approval, "approve");
    await ann.reaches(id, "completed");
    await gone(page.getByRole("meter", { name: "Limit: Time" }));
    // Stopped at a limit: the time until it is resumed does not count.
    const endless = await ann.start("endless");
    await ann.reaches(endless, "limit_reached");
    await page.goto(`${at.server.url}/runs/${endless}`);
    await see(page.getByRole("meter", { name: "Limit: Time" }));
    const last = await used();
    await page.waitForTimeout(2500);
    expect(await used()).toBe(last);
    await page.reload();
    await see(page.getByRole("meter", { name: "Limit: Time" }));
    expect(await used()).toBe(last);
  });

  story("is paused, resumed and aborted", async () => {
    const id = await ann.start("long");
    const page = await at.open(`/runs/${id}`, { as: ann });
    await page.getByRole("button", { name: "Pause" }).click();
    await ann.reaches(id, "paused");
    await page.getByRole("button", { name: "Resume" }).click();
    await ann.reaches(id, "running");
    await more(page, "Abort at once");
    await page.getByRole("textbox", { name: /Why/ }).fill("Not needed");
    await at.look(page);
    await page.getByRole("dialog").getByRole("button", { name: "Abort the run" }).click();
    await ann.reaches(id, "cancelled");
    await says(page.locator("main"), "Cancelled");
  });

  story("that waits is cancelled, with a reason, and its decision closes", async () => {
    const id = await ann.start("note", { text: "x" });
    const asked = await ann.approvalOf(id);
    const page = await at.open(`/runs/${id}`, { as: ann });
    await more(page, "Cancel the run");
    await see(page.getByText("1 open decision closes with it."));
    await page.getByRole("textbox", { name: /Why/ }).fill("Not needed");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await ann.reaches(id, "cancelled");
    await says(page.locator("main"), "Cancelled");
    expect((await ann.get(`/approvals/${asked.id}`)).status).toBe("cancelled");
  });

  story("that is cancelled at work says so until the step has ended, on its page and in the list", async () => {
    const id = await ann.start("slowly");
    const page = await at.open(`/runs/${id}`, { as: ann });
    const list = await at.open("/runs", { beside: page });
    await says(node(page, "work"), "Running");
    await more(page, "Cancel the run");
    await page.getByRole("textbox", { name: /Why/ }).fill("Not needed");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await says(page.locator("main"), /Cancelling.*Cancelled: Not needed\. It ends when Work has ended\./s);
    const row = list.getByRole("row").filter({ has: list.locator(`[data-run="${id}"]`) });
    await says(row, "Cancelling");
    await at.look(page);
    await at.look(list);
    await ann.send("POST", `/runs/${id}/commands`, { type: "abort", reason: "Seen" });
    await ann.reaches(id, "cancelled");
    await says(row, "Cancelled");
    await gone(page.getByText("Cancelling", { exact: true }));
  });

  story("that failed says why, is resumed, and run again", async () => {
    const id = await ann.start("fragile");
    await ann.reaches(id, "failed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    const failure = page.getByRole("region", { name: "Failure" });
    await says(failure, /The file is not a picture\..*Convert/s);
    await at.look(page);
    await failure.getByRole("button", { name: /Resume/ }).click();
    await ann.reaches(id, "completed");
    await gone(failure);
    await page
      .getByRole("button", { name: "Run again" })
      .or(page.getByRole("menuitem", { name: "Run again" }))
      .click();
    const again = await newRun(page, id);
    expect((await ann.run(again)).retry_of).toBe(id);
  });

  story("is forked with another output", async () => {
    const id = await ann.start("plain");
    await ann.reaches(id, "completed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    await more(page, "Fork from here");
    await page.getByRole("combobox", { name: /From which moment/ }).click();
    await at.look(page);
    await page.getByRole("option", { name: /^After: Step done: First/ }).click();
    await page.getByRole("combobox", { name: /Change about the past/ }).click();
    await page.getByRole("option", { name: "Output of First" }).click();
    await write(page, "Changed value", '{"ok": false}');
    await at.look(page);
    await page.getByRole("button", { name: "Fork with changes" }).click();
    const fork = await newRun(page, id);
    const made = await ann.reaches(fork, "completed");
    expect([made.forked_from, made.steps[0].output]).toEqual([id, { ok: false }]);
    const { items } = await ann.get(`/runs/${id}/events?limit=1000`);
    const first = items.find((e: { type: string }) => e.type === "step.completed");
    const forked = (await ann.get(`/runs/${fork}/events?limit=1000`)).items;
    expect(forked.find((e: { type: string }) => e.type === "run.forked").data.at_seq).toBe(first.seq);
  });

  story("is forked from where people are asked, if its changes would bypass them", async () => {
    const id = await ann.start("signed");
    const { id: signed } = await ann.approvalOf(id);
    await at.admin.decide(signed, "approve");
    await ann.reaches(id, "completed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    await more(page, "Fork from here");
    await page.getByRole("combobox", { name: /Change about the past/ }).click();
    await page.getByRole("option", { name: "Output of First" }).click();
    await write(page, "Changed value", '{"ok": false}');
    at.guard(page).expectAnswer(422, /fork/);
    await page.getByRole("button", { name: "Fork with changes" }).click();
    await see(page.getByText(/answered gate sign of step second after that/));
    await at.look(page);
    await page.getByRole("button", { name: /^Fork from event \d+ instead$/ }).click();
    const fork = await newRun(page, id);
    const made = await ann.reaches(fork, "waiting");
    expect([made.forked_from, made.steps[0].output]).toEqual([id, { ok: false }]);
    expect((await ann.approvalOf(fork)).id).not.toBe(signed);
  });

  story("gets steps added, and one skipped", async () => {
    const id = await ann.start("pipeline");
    const page = await at.open(`/runs/${id}`, { as: ann });
    await more(page, "Add steps");
    await page.getByRole("textbox", { name: "Name" }).fill("Double check");
    await page.getByRole("combobox", { name: "Who does it" }).click();
    await page.getByRole("option", { name: "Quick", exact: true }).click();
    await page.getByRole("checkbox", { name: "Join" }).click();
    await at.look(page);
    await page.getByRole("button", { name: "Add the step" }).click();
    await page.getByRole("button", { name: "List", exact: true }).click();
    await see(page.getByRole("list", { name: "Steps" }).getByRole("button", { name: /^Double check/ }));
    await more(page, "Skip a step");
    const dialog = page.getByRole("dialog", { name: "Skip a step" });
    await dialog.getByRole("combobox").click();
    await page.getByRole("option", { name: "Publish" }).click();
    await dialog.getByRole("button", { name: "Skip Publish" }).click();
    await at.admin.decide((await ann.approvalOf(id)).id, "approve");
    const done = await ann.reaches(id, "completed");
    const status = Object.fromEntries(done.steps.map((s: { id: string; status: string }) => [s.id, s.status]));
    expect([status.double_check, status.publish]).toEqual(["done", "skipped"]);
  });

  story("of every kind can be looked at: maps, sub-workflows, limits", async () => {
    const map = await ann.start("mailing", { names: ["Ada", "Bea", "Cem"] });
    const outer = await ann.start("outer");
    const endless = await ann.start("endless");
    await Promise.all([
      ann.reaches(map, "completed"),
      ann.reaches(outer, "waiting"),
      ann.reaches(endless, "limit_reached"),
    ]);
    const page = await at.open(`/runs/${map}`, { as: ann });
    await says(node(page, "letters"), "3");
    await at.look(page);
    await page.goto(`${at.server.url}/runs/${outer}`);
    await says(node(page, "inner"), /Waiting|Running/);
    await at.look(page);
    await page.goto(`${at.server.url}/runs/${endless}`);
    await says(page.locator("main"), /limit/i);
    await at.look(page);
  });

  story("that does not exist is reported as missing", async () => {
    const page = await at.open("/runs", { as: ann });
    at.guard(page).expectAnswer(404, /run_nothing/);
    await page.goto(`${at.server.url}/runs/run_nothing`);
    await see(page.getByRole("heading", { name: "Run not found" }));
    await page.getByRole("link", { name: "To the runs" }).click();
    await leadsTo(page, /^\/runs$/);
  });

  story("that waits for a sub-run is decided where a person looks, however deep it is", async () => {
    const id = await ann.start("outermost");
    const inner = await until("the innermost run", async () => {
      const { items } = await ann.get("/approvals?status=pending&workflow=note");
      return items.find((a: { run: string }) => a.run.startsWith(`${id}.`));
    });
    const page = await at.open(`/runs/${id}`, { as: ann, view: "phone" });
    await says(page.locator("main"), "Waits for 1 decision in a sub-run.");
    const open = page.getByRole("region", { name: "Open decisions" });
    await see(open.getByRole("link", { name: "In the sub-run Note" }));
    // What is decided stands above the answers.
    const what = await open.getByText("What is approved").boundingBox();
    const answer = await open.getByRole("button", { name: "Approve" }).boundingBox();
    expect(what?.y).toBeLessThan(answer?.y ?? 0);
    await at.look(page);
    await open.getByRole("button", { name: "Approve" }).tap();
    await ann.settled(inner.id);
    await ann.reaches(id, "completed");
    await gone(open);
  });

  story("on a phone shows a step over the page, and Back leads from it to the run", async () => {
    const id = await ann.start("plain");
    await ann.reaches(id, "completed");
    const page = await at.open("/runs", { as: ann, view: "phone" });
    await page.locator(`a[href$="${id}"]`).first().tap();
    await leadsTo(page, new RegExp(`^/runs/${id}$`));
    const sheet = page.getByRole("dialog", { name: "First" });
    const step = page.getByRole("list", { name: "Steps" }).getByRole("button", { name: /^First/ });
    await step.tap();
    await see(sheet);
    await leadsTo(page, /step=first/);
    await at.look(page);
    await page.goBack();
    await gone(sheet);
    await leadsTo(page, new RegExp(`^/runs/${id}$`));
    // Closing it is the same as Back: the next Back leaves the run.
    await step.tap();
    await see(sheet);
    await sheet.getByRole("button", { name: "Close" }).tap();
    await gone(sheet);
    await leadsTo(page, new RegExp(`^/runs/${id}$`));
    await page.goBack();
    await leadsTo(page, /^\/runs$/);
    // Forth again, to the step by its address: closing it stays on the page.
    await page.goto(`${at.server.url}/runs/${id}?step=first`);
    await sheet.getByRole("button", { name: "Close" }).tap();
    await gone(sheet);
    await leadsTo(page, new RegExp(`^/runs/${id}$`));
  });

  story("that went on after a failure says which step failed, on its page and in the list", async () => {
    const id = await ann.start("tolerant");
    await ann.reaches(id, "completed");
    const page = await at.open("/runs", { as: ann });
    const row = page.getByRole("row").filter({ has: page.locator(`[data-run="${id}"]`) });
    await says(row, "But the step Fetch mail failed");
    await at.look(page);
    await page.locator(`a[href$="${id}"]`).first().click();
    await says(page.locator("main"), "Completed, but the step Fetch mail failed.");
    await at.look(page);
    await page.getByRole("button", { name: "The step Fetch mail failed" }).click();
    await leadsTo(page, /step=fetch_mail/);
  });

  story("with a long message keeps what can be done in sight, on a phone, too", async () => {
    const id = await ann.start("crash");
    await ann.reaches(id, "failed");
    const page = await at.open(`/runs/${id}`, { as: ann, view: "phone" });
    const failure = page.getByRole("region", { name: "Failure" });
    const resume = await failure.getByRole("button", { name: /Resume/ }).boundingBox();
    expect(resume?.y).toBeLessThan(844);
    await failure.getByRole("button", { name: "Show all 41 lines" }).tap();
    await see(failure.getByText("at step39 (/srv/app/file39.js:39)"));
    await at.look(page);
    // Moments to fork at tell the message, too, and stay on the screen.
    await failure.getByRole("button", { name: "Fork with edits" }).tap();
    await page.getByRole("combobox", { name: /From which moment/ }).tap();
    const moment = page.getByRole("option", { name: /^After: Step failed: Fetch mail, TypeError/ });
    await see(moment);
    const box = await moment.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await page.keyboard.press("Escape");
  });

  story("keeps a long label within its place", async () => {
    const { id } = await ann.post("/runs", { workflow: "plain", input: {}, labels: { team: "a".repeat(60) } });
    await ann.reaches(id, "completed");
    const page = await at.open(`/runs/${id}`, { as: ann });
    const label = await page.getByRole("link", { name: /^team: a/ }).boundingBox();
    const place = await page.getByRole("region", { name: "The run" }).boundingBox();
    expect((label?.x ?? 0) + (label?.width ?? 0)).toBeLessThanOrEqual((place?.x ?? 0) + (place?.width ?? 0));
  });
});

describe("one run, where people sign in", () => {
  const at = stage({ documents, args: ["--sign-in", "local"] });
  const password = "violet tram seventy lake";
  beforeAll(() => {
    at.server?.command(["auth", "add", "ann", "--roles", "admin", "--password-stdin"], password);
    at.server?.command(["auth", "add", "rob", "--roles", "reviewer", "--password-stdin"], password);
  });
  const openAs = async (name: string, path: string) => {
    const page = await at.open(path, { unknown: true });
    await signIn(page, name, password);
    await page.waitForURL((url) => url.pathname === path);
    return page;
  };

  story("offers a reviewer nothing that he may not do", async () => {
    const first = await openAs("ann", "/runs");
    await first.getByRole("button", { name: "Start a run" }).first().click();
    const dialog = first.getByRole("dialog", { name: "Start a run" });
    await dialog.getByRole("combobox").first().click();
    await first.getByRole("option", { name: "Crash" }).click();
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await leadsTo(first, /^\/runs\/run_/);
    const failure = (page: Page) => page.getByRole("region", { name: "Failure" });
    const offers = [/Resume from here/, /Run again/, /Fork with edits/];
    for (const name of offers) await see(failure(first).getByRole("button", { name }));
    await first.context().clearCookies();
    const page = await openAs("rob", new URL(first.url()).pathname);
    await says(failure(page), "TypeError: mail is undefined");
    await see(page.getByRole("button", { name: /^You are rob/ }));
    for (const name of offers) await gone(page.getByRole("button", { name }));
    await gone(page.getByRole("button", { name: /^More to do/ }));
    await at.look(page);
  });
});

/** Notes, frame by frame, what the pane of the graph shows once it is there. Runs in the page. */
function watchGraph(): void {
  const seen: string[] = [];
  const look = () => {
    const pane = document.querySelector(".graph");
    const box = pane?.getBoundingClientRect();
    if (pane && box) {
      const inside = [...pane.querySelectorAll(".react-flow__node")].filter((n) => {
        const r = n.getBoundingClientRect();
        const shown = getComputedStyle(n).visibility === "visible";
        return shown && r.right > box.left && r.left < box.right && r.bottom > box.top && r.top < box.bottom;
      });
      const view = pane.querySelector<HTMLElement>(".react-flow__viewport")?.style.transform;
      const edges = pane.querySelectorAll(".edges path").length;
      const state = `${inside.length} steps, ${edges} edges, ${view}`;
      if (seen.at(-1) !== state) seen.push(state);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  Object.assign(window, { graphSeen: seen });
}

/** How many steps the pane shows when it has taken its size. Runs in the page. */
async function stepsInSight(): Promise<number> {
  for (let frames = 0; frames < 6; frames++) await new Promise(requestAnimationFrame);
  const box = document.querySelector(".graph")?.getBoundingClientRect();
  if (!box) return 0;
  const edge = 24;
  return [...document.querySelectorAll(".graph .react-flow__node")].filter((n) => {
    const r = n.getBoundingClientRect();
    const across = r.right > box.left + edge && r.left < box.right - edge;
    return across && r.bottom > box.top + edge && r.top < box.bottom - edge;
  }).length;
}

const graphSeen = () => (window as unknown as { graphSeen: string[] }).graphSeen;
