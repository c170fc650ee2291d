import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { atRest, gone, type Person, see, settled, shots, stage, story, until, type View } from "./harness";

/** Whether to take pictures, for looking at them: `make shots`. */
export const takesPictures = process.env.SHOTS !== undefined;

// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference, as it is written
const secret = "${env:ASSENT_SECRET_ORDERS}";

const documents = async () => `workflow: goodwill
description: Thanks customers with a small amount
input: { type: object, required: [amount], properties: { amount: { type: number } } }
steps:
  - { id: thank, agent: payer, operation: thanks, risk: medium, with: { amount: input.amount } }
---
schedule: new-year
cron: 0 2 1 1 *
timezone: Europe/Berlin
workflow: note
input: { text: A new year }
---
trigger: new-order
workflow: note
verify: github
secret: ${secret}
map: { text: order.note }
`;

const policy = (...more: string[]) => `policy: default
rules:
  - name: Small thanks
    priority: 20
    trigger: { operation_type: thanks, data_threshold: { field: amount, operator: "<", value: 5 } }
    action: { auto_approve: true, sample_percentage: 100, max_uses: 50, rollout_percentage: 100 }
  - name: Thanks
    priority: 30
    trigger: { operation_type: thanks }
    action: { role: approver, timeout_seconds: 86400, on_timeout: reject }
${more.join("")}`;
const wipes = `  - name: Archives
    priority: 40
    trigger: { operation_type: delete }
    action: { require_approval_count: 2, role: approver }
`;

/** Every page with sample data, light and dark: checked by the guards. */
export function everyPage(...sizes: View[]): void {
  describe("every page", () => {
    const at = stage({ documents });
    const ann = at.person("ann", "approver", "adjuster", "admin");
    const paths: Record<string, string> = {};

    beforeAll(async () => {
      if (!at.server) return;
      await told(at.admin, at.server.url);
      await governed(at.admin, ann);
      Object.assign(paths, await furnish(ann));
    });

    for (const view of sizes) {
      story(
        `on a ${view}, light and dark`,
        async () => {
          const page = await at.open("/inbox", { as: ann, view });
          const loaded = new Set<string>();
          for (const [name, path] of Object.entries(paths)) {
            // Each kind of page is loaded by its URL once; after that, the program navigates.
            const kind = path.replace(/\?.*/, "").replaceAll(/_[0-9a-z]+/g, "");
            await go(page, at.server.url + path, view === "desktop" && !loaded.has(kind));
            loaded.add(kind);
            await inBothThemes(page, `${name}-${view}`, () => at.look(page));
          }
        },
        600_000,
      );
    }
  });
}

/** Checks a page in the light theme and, without reloading, in the dark one; pictures have that name. */
export async function inBothThemes(page: Page, name: string, look: () => Promise<void>): Promise<void> {
  if (takesPictures) mkdirSync(shots, { recursive: true });
  const seen: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await drawn(page);
    seen.push(await background(page));
    if (takesPictures) await page.screenshot({ path: `${shots}${name}-${theme}.png` });
    await look();
  }
  expect(seen[1], `${name} in the dark`).not.toBe(seen[0]);
  await page.emulateMedia({ colorScheme: "light" });
}

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Opens a page by URL, or navigates within the program. */
async function go(page: Page, url: string, anew: boolean): Promise<void> {
  if (anew || new URL(page.url()).pathname === new URL(url).pathname) {
    await page.goto(url);
    return;
  }
  await page.evaluate((to) => {
    document.querySelector("h1")?.setAttribute("data-left", "");
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, url);
  await gone(page.locator("h1[data-left]"));
}

/** Waits until nothing loads or moves and everything is drawn: fonts, graphs, colours. */
export async function drawn(page: Page): Promise<void> {
  await settled(page);
  await page.waitForFunction(() => !document.querySelector("main .motion-pulse:empty"));
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".graph")].every((graph) => graph.querySelector(".react-flow__node")),
  );
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(done))));
  await page.evaluate(atRest);
}

/** Sends messages on two channels, of which one is refused and one reaches no browser. */
async function told(admin: Person, server: string): Promise<void> {
  await admin.put("/channels/phone", { channel: "phone", kind: "push", description: "Phones and desktops" });
  const secret = `whsec_${btoa("x".repeat(32))}`;
  await admin.put("/channels/ledger", { channel: "ledger", kind: "webhook", url: `${server}/nowhere`, secret });
  const events = { "approval.needed": ["ledger", "phone"], "run.failed": ["ledger"] };
  await admin.put("/notifications", { notifications: "default", events });
}

/** Rules in two versions, what they approved, a sample that was reviewed, and decisions that suggest a rule. */
async function governed(admin: Person, ann: Person): Promise<void> {
  for (const text of [policy(), policy(wipes)]) await admin.send("PUT", "/policy", text, "application/yaml");
  const small = await Promise.all([2, 3, 4].map((amount) => ann.start("goodwill", { amount })));
  const amounts = [...Array.from({ length: 12 }, (_, n) => 20 + n), 80, 90];
  await Promise.all([
    ...small.map((run) => ann.reaches(run, "completed")),
    ...amounts.map(async (amount) => {
      const asked = await ann.asked("goodwill", { amount });
      await ann.decide(asked.id, amount < 80 ? "approve" : "reject", { comment: "Seen." });
    }),
  ]);
  const samples = async () => (await ann.get("/policy/samples")).items as { approval: string }[];
  const [first, second] = await until("the samples", async () => {
    const items = await samples();
    return items.length === small.length && items;
  });
  await ann.post(`/policy/samples/${first?.approval}`, { agree: true });
  await ann.post(`/policy/samples/${second?.approval}`, { agree: false, comment: "The customer complained." });
  await until("a suggested rule", async () => (await ann.get("/policy/suggestions")).items.length > 0);
}

/** Creates sample data; returns the URL of each page. */
async function furnish(ann: Person): Promise<Record<string, string>> {
  const refund = await ann.asked("refund", { customer: "Iben Dahl", amount: 120, reference: 7001 });
  await ann.asked("wipe");
  await ann.asked("contract", { price: 100, place: "Oslo" });
  const choice = await ann.asked("route");
  const form = await ann.asked("intake");
  await ann.asked("case");
  await ann.asked("letter");
  const call = await ann.asked("study");
  const pipeline = await ann.start("pipeline");
  await ann.decide((await ann.approvalOf(pipeline)).id, "approve");
  const outer = await ann.start("outer");
  const failed = await ann.start("fragile");
  const limited = await ann.start("endless");
  const press = await ann.start("press");
  const mail = await ann.start("mailing", { names: ["Ada", "Bea", "Cem"] });
  const rejected = await ann.asked("refund", { customer: "Olav", amount: 4000 });
  await ann.decide(rejected.id, "reject", { comment: "Too high; ask the manager first." });
  const changed = await ann.asked("refund", { customer: "Signe", amount: 300 });
  await ann.decide(changed.id, "modify", { changes: { amount: 250 } });
  await Promise.all([
    ann.reaches(failed, "failed"),
    ann.reaches(limited, "limit_reached"),
    ann.reaches(press, "completed"),
    ann.reaches(mail, "completed"),
    ann.reaches(pipeline, "waiting"),
  ]);
  const { items } = await ann.get(`/deliverables?run=${press}&limit=10`);
  return {
    inbox: "/inbox",
    "inbox-filtered": "/inbox?kind=choice",
    approval: `/approvals/${refund.id}`,
    "approval-call": `/approvals/${call.id}`,
    "approval-choice": `/approvals/${choice.id}`,
    "approval-form": `/approvals/${form.id}`,
    "approval-edit": `/approvals/${refund.id}?edit=true`,
    "approval-settled": `/approvals/${rejected.id}`,
    "not-found": "/no-such-page",
    runs: "/runs",
    run: `/runs/${pipeline}`,
    "run-step": `/runs/${pipeline}?step=join`,
    "run-agent": `/runs/${call.run}?tab=thread`,
    "run-events": `/runs/${call.run}?tab=events`,
    "run-failed": `/runs/${failed}`,
    "run-limit": `/runs/${limited}`,
    "run-outer": `/runs/${outer}`,
    replay: `/runs/${mail}/replay`,
    deliverables: "/deliverables",
    "deliverables-gallery": "/deliverables?view=gallery",
    deliverable: `/deliverables?open=${items[0].id}`,
    history: "/history",
    insights: "/insights",
    notifications: "/settings/notifications",
    deliveries: "/deliveries",
    channels: "/channels",
    settings: "/settings",
    workflows: "/workflows",
    editor: "/workflows/pipeline",
    "editor-yaml": "/workflows/pipeline?view=yaml",
    automation: "/automation",
    "automation-triggers": "/automation?tab=triggers",
    suggest: "/suggest?intent=Read+the+case+and+write+a+letter",
    policy: "/policy",
    "policy-yaml": "/policy?view=yaml",
    "policy-try": "/policy?tab=try",
    "policy-backtest": "/policy?tab=backtest",
    "policy-suggestions": "/policy?tab=suggestions",
    "policy-automatic": "/policy?tab=automatic",
    "policy-versions": "/policy?tab=versions",
    audit: "/audit",
    people: "/people",
    "people-roles": "/people?tab=roles",
    "people-tokens": "/people?tab=tokens",
    "people-stand-ins": "/people?tab=stand-ins",
    agents: "/agents",
    tools: "/agents?tab=tools",
    lessons: "/agents?tab=lessons",
    experience: "/agents?tab=experience",
  };
}

/** Signs in by keyboard, once the page is there: the URL changes before the page that was asked for is gone. */
export async function signIn(page: Page, name: string, password: string): Promise<void> {
  await see(page.getByRole("heading", { name: "Sign in to Assent" }));
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}
