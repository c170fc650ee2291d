import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { parse } from "yaml";
import { becomes, type Json, see, stage, story, until } from "./harness";

// Every example, and workflows with one of each thing that is decided: on desktop and phone, the amount or the object
// under decision is in the first screen, and nothing of it is cut beside an Approve that can be pressed.

const file = (name: string) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");

/** What is under decision, as a person has to see it at once. */
const examples: [workflow: string, input: string, seen: RegExp][] = [
  ["refund-email", "input", /€89\.50/],
  ["refund-email", "input-high", /€2,400\.00/],
  ["claims-triage", "input", /CLM-\d+/],
  ["claims-triage", "input-high", /CLM-\d+/],
  ["code-change", "input", /pull-requests\/use-money\.md/],
  ["competitor-research", "input", /What should the report compare\?/],
  ["research", "input", /Requests that can be repeated/],
  ["sales-report", "input", /exports\/2026-01-north\.csv/],
  ["ticket-triage", "input", /u-1377/],
  ["ticket-triage", "input-delete", /u-\d+/],
];

const long = `First line.\n${"A sentence that goes on. ".repeat(120)}\nThe last words.`;
const patch = "--- a/shop.py\n+++ b/shop.py\n@@ -1,2 +1,2 @@\n-price = 1.5\n+price = 150\n total\n";
const report = `# Findings\n\n${"- **One** more thing\n".repeat(40)}\nThe end of the report.\n`;

const own: [workflow: string, input: Json, seen: RegExp][] = [
  ["pay", { amount: 12500.5, currency: "EUR", iban: "DE02 1203 0000 0000 2020 51" }, /€12,500\.50/],
  ["pay", { amount: 7, currency: "SEK", to: "Ada" }, /7\.00 SEK/],
  ["pay", { fee_usd: 3, to: "Bea" }, /\$3\.00/],
  ["mail", { to: "cem@example.com", subject: "Hello", body: long }, /cem@example\.com/],
  ["change", { path: "shop.py", patch }, /shop\.py/],
  ["publish", { title: "Findings of May", content: report }, /Findings of May/],
  ["remove", { account: "u-77", until: "2026-12-24" }, /24 Dec 2026/],
  ["list", { table: "orders", rows: Array.from({ length: 60 }, (_, i) => ({ id: i, name: `row ${i}` })) }, /orders/],
  ["deep", { user: "Dag", settings: { quota: { cpu: 4, memory: "8 GiB" } } }, /Dag/],
  ["bare", { number: 12345678901234 }, /12345678901234/],
];

const documents = () =>
  Promise.resolve(
    [...new Set(own.map(([name]) => name))]
      .map((name) =>
        [
          `workflow: glance_${name}`,
          `steps: [{ id: do, agent: glancer, operation: ${name}, risk: high }]`,
          `gates: [{ id: ok, at: before do, title: "Do this?", acts: [approve, modify, reject], on_reject: cancel }]`,
        ].join("\n"),
      )
      .concat("agent: glancer\nkind: scripted\nanswers: [{ output: { done: true } }]")
      .join("\n---\n"),
  );

describe("at a glance", () => {
  const at = stage({ load: ["../../examples"], documents });
  const ann = at.person(
    "ann",
    "approver",
    "manager",
    "support_lead",
    "finance",
    "claims_adjuster",
    "it_lead",
    "security",
    "editor",
    "admin",
  );
  const zoe = at.person("zoe", "admin");

  story("the amount or object is in the first screen, and nothing is cut beside Approve", async () => {
    const runs: [string, RegExp][] = [];
    for (const [workflow, input, seen] of examples)
      runs.push([await zoe.start(workflow, file(`${workflow}/${input}.json`)), seen]);
    for (const [name, input, seen] of own) runs.push([await zoe.start(`glance_${name}`, input), seen]);
    const asked: [Json, RegExp][] = [];
    for (const [run, seen] of runs) asked.push([await ann.approvalOf(run), seen]);
    for (const view of ["desktop", "phone"] as const) {
      const page = await at.open("/inbox", { as: ann, view });
      for (const [approval, seen] of asked) {
        await go(page, `/approvals/${approval.id}`);
        await see(page.locator("main h1"));
        await page.waitForFunction(() => !document.querySelector("main .motion-pulse:empty"));
        let screen = "";
        await until("the object", async () => {
          screen = await firstScreen(page);
          return seen.test(screen);
        }).catch(() => {});
        expect(screen, `${approval.workflow} on a ${view}`).toMatch(seen);
        await becomes(() => unseen(page, approval), [], `${approval.workflow} on a ${view}`);
        expect(await cutBesideApprove(page), `${approval.workflow} on a ${view}`).toEqual([]);
      }
    }
  });

  story(
    "every example, opened in the editor, differs in what is moved and edited there, and in nothing else",
    async () => {
      const all: Json[] = (await zoe.get("/workflows?limit=200")).items;
      const shipped = all.filter(({ name }) => !name.startsWith("glance_"));
      expect(shipped.map(({ name }) => name)).toEqual(expect.arrayContaining(examples.map(([name]) => name)));
      const page = await at.open("/workflows", { as: zoe });
      for (const { name, yaml } of shipped) {
        await page.goto(`${at.server.url}/workflows/${name}`);
        const limits = page.getByRole("region", { name: "Limits and risk" });
        await see(page.locator(".react-flow__node"));
        await page.getByRole("application", { name: /^Canvas/ }).focus();
        for (let n = 0; n < 4 && !(await limits.isVisible()); n++) await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Alt+ArrowRight");
        await limits.getByRole("textbox", { name: "Timeout" }).fill("77m");
        const copy = await until(`${name} to be saved`, async () => {
          const now = await zoe.get(`/workflows/${name}/working_copy`).catch(() => undefined);
          return now?.yaml.includes("77m") && now;
        });
        const [was, is] = [parse(yaml), parse(copy.yaml)];
        const edited = is.steps.filter((step: Json) => step.timeout === "77m");
        expect(edited.length, name).toBe(1);
        const before = was.steps.find((step: Json) => step.id === edited[0].id);
        expect(
          {
            ...is,
            steps: is.steps.map((step: Json) => (step === edited[0] ? { ...step, timeout: before.timeout } : step)),
          },
          name,
        ).toEqual(was);
        const lines = (text: string) => text.split("\n");
        const added = lines(copy.yaml).filter((line) => !lines(yaml).includes(line));
        expect(added, name).toEqual([expect.stringContaining("timeout: 77m")]);
        expect(lines(yaml).filter((line) => !lines(copy.yaml).includes(line)).length, name).toBeLessThanOrEqual(1);
        expect(Object.keys(copy.layout), name).toEqual(expect.arrayContaining(is.steps.map(({ id }: Json) => id)));
      }
    },
  );
});

/** From page to page within the program: as quick as it is for people. */
async function go(page: Page, to: string): Promise<void> {
  await page.evaluate((path) => {
    document.querySelector("main h1")?.remove();
    history.pushState(null, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
  }, to);
}

/** The text that stands in the window above the answers, without scrolling. */
function firstScreen(page: Page): Promise<string> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector("main") as Element, NodeFilter.SHOW_TEXT);
    const out: string[] = [];
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      range.selectNodeContents(node);
      const { top, bottom, height } = range.getBoundingClientRect();
      if (height > 0 && top >= 0 && bottom <= innerHeight - 64) out.push(node.textContent ?? "");
    }
    return out.join(" ");
  });
}

/** What of the proposal is folded, clipped or behind a button while Approve can be pressed. */
function cutBesideApprove(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const live = [...document.querySelectorAll("button")].some((b) => /^Approve/.test(b.innerText) && !b.disabled);
    const proposal = document.querySelector("#proposal");
    if (!live || !proposal) return [];
    const clipped = [...proposal.querySelectorAll<HTMLElement>("dd, dd *, pre")].filter((e) => {
      const { overflowY, overflowX, textOverflow } = getComputedStyle(e);
      const hides = overflowY === "hidden" || overflowX === "hidden" || textOverflow === "ellipsis";
      return hides && (e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1);
    });
    const folds = [...proposal.querySelectorAll("button, summary")].filter((e) =>
      /show (all|more)/i.test(e.textContent ?? ""),
    );
    return [...clipped, ...folds].map((e) => (e.textContent ?? "").slice(0, 80));
  });
}

/** Values of the proposal that are not on the page, word by word; documents are drawn without their signs. */
async function unseen(page: Page, { proposed, kind }: Json): Promise<string[]> {
  if (kind !== "approval") return [];
  const shown = (await page.locator("#proposal").innerText()).replaceAll(/\s+/g, " ");
  const words = valuesOf(proposed).flatMap((text) => text.match(/[\p{L}\p{N}]{4,}/gu) ?? []);
  const known = shown.toLowerCase();
  return [...new Set(words)].filter((word) => !known.includes(word.toLowerCase()));
}

function valuesOf(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(valuesOf);
}
