import { mkdirSync, readFileSync } from "node:fs";
import { describe } from "vitest";
import { shots, stage, story, type View } from "./harness";
import { drawn, takesPictures } from "./pages";

// With the examples alone: what newcomers see. Some of these are in docs/images. `make shots`
describe.runIf(takesPictures)("the pictures of the README", () => {
  const at = stage({ load: ["../../examples"] });
  const ann = at.person("ann", "approver", "manager", "claims_adjuster", "admin");

  story("are taken with the examples", async () => {
    const input = (name: string) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
    const start = (workflow: string, file = "input") => ann.start(workflow, input(`${workflow}/${file}.json`));
    const runs = [
      await start("claims-triage", "input-incomplete"),
      await start("claims-triage", "input-high"),
      await start("competitor-research"),
      await start("ticket-triage", "input-delete"),
      await start("ticket-triage", "input-unclear"),
      await start("code-change"),
      await start("research"),
    ];
    const refund = await start("refund-email", "input-high");
    const ticket = await start("ticket-triage");
    const asked = await ann.approvalOf(refund);
    await Promise.all([...runs, ticket].map((run) => ann.reaches(run, "waiting")));
    mkdirSync(shots, { recursive: true });
    const take = async (name: string, path: string, view: View, theme: "light" | "dark") => {
      const page = await at.open(path, { as: ann, view, theme });
      await drawn(page);
      if (path === "/inbox") await page.getByText("Pay this refund and send this e-mail").first().click();
      await drawn(page);
      await page.screenshot({ path: `${shots}readme-${name}.png` });
      await page.close();
    };
    await take("inbox", "/inbox", "desktop", "light");
    await take("approval-phone", `/approvals/${asked.id}`, "phone", "light");
    await take("run-dark", `/runs/${ticket}`, "desktop", "dark");
    await take("editor", "/workflows/refund-email", "desktop", "light");
    await take("run-light", `/runs/${ticket}`, "desktop", "light");
  });
});
