import { describe, expect } from "vitest";
import { gone, leadsTo, see, stage, story } from "./harness";
import { inBothThemes } from "./pages";

describe("administering", () => {
  const at = stage({ env: { ASSENT_MASK_FIELDS: "iban", ASSENT_AUDIT_WITNESSES: "" } });
  const ann = at.person("ann", "admin");

  story("settings tell where they come from, and no secret", async () => {
    const page = await at.open("/inbox", { as: ann });
    await page.getByRole("link", { name: "Settings" }).click();
    await leadsTo(page, /^\/settings/);
    const server = page.getByRole("list", { name: "Server", exact: true });
    await see(server.getByText("--addr", { exact: true }));
    await see(page.getByRole("list", { name: "Security" }).getByText("ASSENT_MASK_FIELDS").first());
    const database = server.getByRole("listitem").filter({ hasText: "ASSENT_DB" });
    await see(database.getByText("Not set"));
    await inBothThemes(page, "settings-desktop", () => at.look(page));

    // With the keyboard.
    await page.getByRole("searchbox", { name: "Find a setting" }).focus();
    await page.keyboard.type("how long");
    await gone(database);
    await see(page.getByText("Session idle", { exact: true }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await leadsTo(page, /changed=true/);
    await see(page.getByText("No matches"));
  });

  story("settings on a phone and a tablet", async () => {
    const page = await at.open("/settings?changed=true", { as: ann, view: "phone" });
    await see(page.getByText("Mask fields"));
    await page.getByRole("checkbox", { name: "Only changed ones" }).tap();
    await see(page.getByText("Retain runs"));
    await inBothThemes(page, "settings-phone", () => at.look(page));
    const tablet = await at.open("/settings", { as: ann, view: "tablet" });
    await see(tablet.getByText("Mask fields"));
    await inBothThemes(tablet, "settings-tablet", () => at.look(tablet));
  });

  story("others have no settings", async () => {
    const page = await at.open("/inbox", { as: at.person("rob", "approver") });
    await see(page.getByRole("link", { name: "History" }));
    expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0);
  });
});
