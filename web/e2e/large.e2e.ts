import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { decideByKey, gone, pressAlone, says, see, stage, story, until, Work } from "./harness";

/** The longest task that a page may run, in processor time. Measured only where it is set: no story depends on time. */
const longestTaskMs = Number(process.env.LONGEST_TASK_MS ?? Number.POSITIVE_INFINITY);
const count = Number(process.env.ENTRIES ?? 20_000);

const filed = `workflow: filed
steps: [{ id: write, agent: writer }, { id: send, agent: keeper, risk: medium }]
gates: [{ id: send_ok, at: before send, title: Send the report?, on_reject: cancel }]
`;
const writer = (content: string) => ({
  agent: "writer",
  kind: "llm",
  provider: "scripted",
  tools: ["create_deliverable"],
  turns: [
    {
      calls: [
        {
          tool: "create_deliverable",
          args: { name: "report.txt", type: "document", mime_type: "text/plain", status: "draft", content },
        },
      ],
    },
    { answer: { made: 1 } },
  ],
});

describe("what is large", () => {
  const at = stage();
  const ann = at.person("ann", "approver");
  const bob = at.person("bob", "approver");
  const entries = Array.from({ length: count }, (_, i) => ({
    entry: i,
    account: `DE${i}`,
    text: `Line number ${i} of it`,
  }));

  /** To the end of what is drawn row by row. */
  const toTheEnd = async (page: Page, last: RegExp) => {
    const rows = page.getByRole("region", { name: "The value as JSON" });
    await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await see(rows.getByText(last));
  };

  story("is shown to its end before it is approved, and the page goes on answering", async () => {
    const asked = await ann.asked("refund", { customer: "Iben", amount: 140, entries });
    const page = await at.open(`/approvals/${asked.id}`, { as: bob });
    const approve = page.getByRole("button", { name: "Approve" });
    expect(await approve.isEnabled()).toBe(false);
    const work = await Work.of(page);
    await page.getByRole("button", { name: /^Look at all \d/ }).click();
    await until("all of it", () => approve.isEnabled());
    await toTheEnd(page, new RegExp(`Line number ${count - 1} of it`));
    expect(await work.longestTaskMs(), "longest task, ms of the processor").toBeLessThan(longestTaskMs);
    await decideByKey(page);
    await says(page.getByRole("region", { name: "How it ended" }), "You approved this");
    // The page of the run shows it as JSON, all of it.
    const run = await at.open(`/runs/${asked.run}?step=${asked.step}`, { as: bob });
    const working = await Work.of(run);
    await run
      .getByRole("button", { name: /^Show all \d/ })
      .first()
      .click();
    await toTheEnd(run, new RegExp(`Line number ${count - 1} of it`));
    expect(await working.longestTaskMs(), "longest task of the run's page").toBeLessThan(longestTaskMs);
  });

  story("a file that the run made is there to its last line before the run goes on", async () => {
    const text = Array.from(
      { length: 12_000 },
      (_, i) => `Line ${i} of the report, which is longer than a preview`,
    ).join("\n");
    await at.admin.send("PUT", "/agents/writer", writer(text));
    await at.admin.send("PUT", "/workflows/filed?publish=true", filed, "application/yaml");
    const asked = await ann.asked("filed");
    const page = await at.open("/inbox", { as: bob });
    const previews: (() => void)[] = [];
    await page.route("**/deliverables/*/preview*", async (route) => {
      await new Promise<void>((resolve) => previews.push(resolve));
      await route.continue();
    });
    // The list counts the file, and takes no answer before the pane shows it.
    const row = page.locator(`[data-row="${asked.id}"]`);
    await row.click();
    await says(row, "1 file");
    await see(page.getByRole("button", { name: "Look at 1 file first" }));
    await pressAlone(page);
    await see(page.getByText("Not all of it is shown yet"));
    await page.keyboard.press("x");
    await see(page.getByText("1 has files to review; approve it on its page."));
    expect(await page.getByRole("button", { name: "Approve 1" }).isEnabled()).toBe(false);
    expect((await bob.get(`/approvals/${asked.id}`)).status).toBe("pending");
    await page.goto(`${at.server.url}/approvals/${asked.id}`);
    const approve = page.getByRole("button", { name: "Approve" });
    await see(page.getByRole("button", { name: "Look at 1 file first" }));
    expect(await approve.isEnabled()).toBe(false);
    await pressAlone(page);
    await until("the file to be asked for", async () => previews.length > 0);
    for (const release of previews) release();
    await until("all of it", () => approve.isEnabled());
    const rows = page.getByRole("region", { name: "The text" });
    await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await see(rows.getByText("Line 11999 of the report"));
    // The page of the run leads there: it does not show the file beside its own Approve.
    const run = await at.open(`/runs/${asked.run}`, { as: bob });
    const open = run.getByRole("region", { name: "Open decisions" });
    await see(open.getByRole("link", { name: "Open to decide" }));
    expect(await open.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await decideByKey(page);
    await says(page.getByRole("region", { name: "How it ended" }), "You approved this");
    await gone(open);
  });
});
