import { mkdirSync, readFileSync } from "node:fs";
import { describe } from "vitest";
import { shots, stage, story, until, type View } from "./harness";
import { settled } from "./pages";

// With the examples alone: what newcomers see. Two of these are in docs/images.
describe("the pictures of the README", () => {
  const at = stage({ load: ["../../examples"] });
  const ann = at.person("ann", "approver", "manager", "claims_adjuster", "admin");

  story("are taken with the examples", async () => {
    const input = (name: string) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
    await ann.start("sales-report", input("sales-report/input.json"));
    await ann.start("claims-triage", input("claims-triage/input-high.json"));
    await ann.start("competitor-research", input("competitor-research/input.json"));
    await ann.start("code-change", input("code-change/input.json"));
    const ticket = await ann.start("ticket-triage", input("ticket-triage/input.json"));
    const refund = await ann.start("refund-email", input("refund-email/input-high.json"));
    const asked = await ann.approvalOf(refund);
    await ann.approvalOf(ticket);
    await until(
      "all that the examples ask",
      async () => (await ann.get("/approvals?status=pending&limit=1")).total >= 19,
    );
    mkdirSync(shots, { recursive: true });
    const take = async (name: string, path: string, view: View, theme: "light" | "dark") => {
      const page = await at.open(path, { as: ann, view, theme });
      await settled(page);
      if (path === "/inbox") await page.keyboard.press("j");
      await settled(page);
      await page.screenshot({ path: `${shots}readme-${name}.png` });
      await page.close();
    };
    await take("inbox", "/inbox", "desktop", "light");
    await take("approval-phone", `/approvals/${asked.id}`, "phone", "light");
    await take("run-dark", `/runs/${ticket}`, "desktop", "dark");
    await take("run-light", `/runs/${ticket}`, "desktop", "light");
  });
});
