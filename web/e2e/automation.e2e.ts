import { createHmac, randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import { gone, leadsTo, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const secret = randomBytes(24).toString("hex");

const documents = async () => `agent: checker
kind: scripted
answers: [{ output: { ok: true } }]
---
workflow: check-order
input: { type: object, properties: { id: { type: string } }, required: [id] }
steps: [{ id: check, agent: checker }]
---
trigger: new-order
workflow: check-order
verify: github
secret: ${secret}
map: { id: order.id }
---
schedule: yearly
cron: 0 5 1 1 *
workflow: check-order
input: { id: yearly }
`;

describe("schedules and triggers", () => {
  const at = stage({ documents });
  const ann = at.person("ann", "admin");

  const deliver = (body: string, key = secret) =>
    fetch(`${at.server.url}/api/v1/hooks/new-order`, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/json",
        "X-Hub-Signature-256": `sha256=${createHmac("sha256", key).update(body).digest("hex")}`,
        "X-GitHub-Event": "order",
      },
    });

  story("shows what came and what became of it, and starts it again", async () => {
    const page = await at.open("/inbox", { as: ann });
    await page.getByRole("link", { name: "Automation" }).click();
    await leadsTo(page, /^\/automation/);
    const triggers = page.getByRole("list", { name: "Triggers" });
    await see(triggers.getByText(`${at.server.url}/api/v1/hooks/new-order`));
    expect((await deliver('{"order":{"id":"A-5501"}}')).status).toBe(202);
    expect((await deliver('{"order":{"id":"A-5501"}}')).status).toBe(200);
    await see(triggers.getByText(/^Started/)); // without a reload
    expect((await deliver('{"order":{}}')).status).toBe(422);
    expect((await deliver('{"order":{"id":"A-6"}}', "a guess")).status).toBe(401);
    await page.getByRole("button", { name: "Deliveries to new-order" }).click();
    const deliveries = page.getByRole("region", { name: "Deliveries to new-order" });
    await see(deliveries.getByText(/1 refused since the server started/));
    await see(deliveries.getByText(/arrived 2 times/));
    await see(deliveries.getByText(/the property "id" is missing/));
    await inBothThemes(page, "automation-desktop", () => at.look(page));
    await deliveries
      .getByRole("button", { name: /^Payload/ })
      .last()
      .click();
    await see(deliveries.getByText('"A-5501"'));
    await deliveries
      .getByRole("button", { name: /^Replay/ })
      .last()
      .click();
    await leadsTo(page, /^\/runs\/run_/);
    await see(page.getByText("Completed").first());
  });

  story("runs a schedule now, and switches it off and on, on a phone", async () => {
    const page = await at.open("/automation", { as: ann, view: "phone" });
    const schedules = page.getByRole("list", { name: "Schedules" });
    await see(schedules.getByText("yearly", { exact: true }));
    await page.getByRole("button", { name: "Disable yearly" }).tap();
    await see(schedules.getByText("starts no runs"));
    await inBothThemes(page, "automation-phone", () => at.look(page));
    await page.getByRole("button", { name: "Enable yearly" }).tap();
    await see(schedules.getByText(/next in/));
    await page.getByRole("button", { name: "Run now: yearly" }).tap();
    await leadsTo(page, /^\/runs\/run_/);
    await see(page.getByText("Completed").first());
  });

  story("a schedule is written and deleted on a phone", async () => {
    const page = await at.open("/automation", { as: ann, view: "phone" });
    await page.getByRole("button", { name: "New schedule" }).tap();
    const dialog = page.getByRole("dialog", { name: "New schedule" });
    await dialog.getByLabel("Name").fill("daily");
    await dialog.getByLabel("Workflow to start").tap();
    await page.getByRole("option", { name: "Check order" }).tap();
    await dialog.getByLabel(/^id$/i).fill("A-1");
    await inBothThemes(page, "schedule-form-phone", () => at.look(page));
    await dialog.getByRole("button", { name: "Save" }).tap();
    await see(page.getByRole("list", { name: "Schedules" }).getByText("daily", { exact: true }));
    await page.getByRole("button", { name: "Delete daily" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).tap();
    await gone(page.getByRole("dialog")); // until then, nothing behind it can be found by its role
    await gone(page.getByRole("button", { name: "Delete daily" }));
    await until("the schedule is deleted", async () => (await ann.get("/schedules")).total === 1);
  });
});
