import { describe, expect } from "vitest";
import { gone, see, stage, story, until } from "./harness";
import { inBothThemes } from "./pages";

const rule = (name: string, priority: number, role: string) =>
  `  - { name: ${name}, priority: ${priority}, trigger: { operation_type: refund }, action: { role: ${role} } }\n`;
const policy = (...rules: string[]) => `policy: default\nrules:\n${rules.join("")}`;
const documents = async () => policy(rule("Refunds", 30, "support"), rule("Letters", 40, "press"));
const names = (shown: { rules: { name: string }[] }) => shown.rules.map(({ name }) => name);

describe("two people and one policy", () => {
  const at = stage({ documents, load: [] });
  const ann = at.person("ann", "admin");
  const bob = at.person("bob", "admin");
  const publish = (text: string) => bob.send("PUT", "/policy", text, "application/yaml");

  story("the second one is shown the first one's rules, and both stay", async () => {
    const page = await at.open("/policy", { as: ann });
    await page.getByRole("button", { name: "More about Letters" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await see(page.getByText("1 unpublished change"));
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish the policy" });
    await see(dialog.getByText("Removed"));
    await see(dialog.getByText(/reviewers' time/));

    // The page does not hear of the other version: only the server can refuse.
    let holding = true;
    await page.route("**/api/v1/policy", async (route) => {
      if (route.request().method() === "GET") await until("the page to go on", async () => !holding);
      await route.continue();
    });
    await publish(policy(rule("Fraud", 10, "security"), rule("Refunds", 30, "support"), rule("Letters", 40, "press")));
    at.guard(page).expectAnswer(412, /policy/);
    const refused = page.waitForResponse((answer) => answer.status() === 412);
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await refused;
    expect(names(await bob.get("/policy"))).toEqual(["Fraud", "Refunds", "Letters"]);
    holding = false;

    const changed = page.getByRole("dialog", { name: "The policy has changed" });
    await see(changed.getByText(/^bob published version 2/));
    await see(changed.getByRole("list", { name: "Differences" }).getByText("Fraud"));
    await inBothThemes(page, "policy-overtaken-desktop", () => at.look(page));
    await changed.getByRole("button", { name: "Add mine to theirs" }).click();
    await see(page.getByText("1 unpublished change"));
    await page.getByRole("button", { name: "Publish…" }).click();
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await see(page.getByText("2 rules in force · version 3 by ann", { exact: false }));
    expect(names(await bob.get("/policy"))).toEqual(["Fraud", "Refunds"]);
  });

  story("on a phone: told while editing, and theirs is replaced only on purpose", async () => {
    const page = await at.open("/policy?view=yaml", { as: ann, view: "phone" });
    const editor = page.getByRole("textbox", { name: "Policy" });
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# mine\n");
    await publish(policy(rule("Only mine", 10, "security")));
    await see(page.getByText(/by bob took effect while you were editing/));
    expect(await page.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Review their changes" }).tap();
    const changed = page.getByRole("dialog", { name: "The policy has changed" });
    await see(changed.getByText("Only mine"));
    await inBothThemes(page, "policy-overtaken-phone", () => at.look(page));
    await changed.getByRole("button", { name: "Replace theirs with mine" }).tap();
    await gone(page.getByText(/took effect while you were editing/));
    expect(names(await bob.get("/policy"))).toEqual(["Only mine"]);
    await page.getByRole("button", { name: "Publish…" }).tap();
    const dialog = page.getByRole("dialog", { name: "Publish the policy" });
    await see(dialog.getByText("Only mine"));
    await dialog.getByRole("button", { name: "Publish", exact: true }).tap();
    await until("her rules", async () => names(await bob.get("/policy")).includes("Fraud"));
    await see(page.getByText("2 rules in force", { exact: false }));
  });

  story("with the keyboard: mine are discarded, and that can be undone", async () => {
    const page = await at.open("/policy", { as: ann });
    await page.getByRole("button", { name: "More about Refunds" }).press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    await see(page.getByText("1 unpublished change"));
    await publish(policy(rule("Theirs", 10, "security"), rule("Refunds", 30, "support")));
    await page.getByRole("button", { name: "Review their changes" }).press("Enter");
    await page.getByRole("button", { name: "Discard mine" }).press("Enter");
    await see(page.getByRole("list", { name: "Rules" }).getByText("Theirs"));
    await gone(page.getByText("1 unpublished change"));
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await see(page.getByText(/unpublished changes?$/));
    await page.getByRole("button", { name: "Discard", exact: true }).press("Enter");
  });
});
