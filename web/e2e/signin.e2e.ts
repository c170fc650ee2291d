import { beforeAll, describe, expect } from "vitest";
import { becomes, leadsTo, see, stage, story } from "./harness";
import { inBothThemes, signIn } from "./pages";

const password = "violet tram seventy lake";

describe("signing in", () => {
  const at = stage({ args: ["--sign-in", "local"] });

  beforeAll(() => {
    at.server?.command(["auth", "add", "ann", "--roles", "admin", "--password-stdin"], password);
    at.server?.command(["auth", "add", "rob", "--roles", "reviewer", "--password-stdin"], password);
    at.server?.command(["auth", "add", "sue", "--roles", "night_shift", "--password-stdin"], password);
  });

  story("leads back to where a person wanted to go; signing out closes the door", async () => {
    const page = await at.open("/runs", { unknown: true });
    await leadsTo(page, /^\/sign-in\?return=/);
    await see(page.getByRole("heading", { name: "Sign in to Assent" }));
    await at.look(page);
    await page.getByRole("textbox", { name: "Name" }).fill("ann");
    await page.getByLabel("Password", { exact: true }).fill("a wrong password");
    await page.keyboard.press("Enter");
    await see(page.getByRole("alert"));
    await at.look(page);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await leadsTo(page, /^\/runs/);
    await see(page.getByRole("heading", { name: "Runs" }));
    await page.getByRole("button", { name: /^You are ann/ }).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await leadsTo(page, /^\/sign-in/);
    await page.goto(`${at.server.url}/inbox`);
    await leadsTo(page, /^\/sign-in/);
    expect(await page.context().cookies()).toEqual([]);
  });

  story("works on a phone", async () => {
    const page = await at.open("/sign-in", { view: "phone", unknown: true });
    await see(page.getByRole("heading", { name: "Sign in to Assent" }));
    await page.getByRole("textbox", { name: "Name" }).fill("ann");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in" }).tap();
    await leadsTo(page, /^\/inbox/);
    await see(page.getByRole("heading", { name: "All clear" }));
  });

  story("looks right in every size, light and dark", async () => {
    for (const view of ["phone", "tablet", "desktop"] as const) {
      const page = await at.open("/sign-in", { view, unknown: true });
      await see(page.getByRole("heading", { name: "Sign in to Assent" }));
      await inBothThemes(page, `sign-in-${view}`, () => at.look(page));
    }
  });

  const openAs = async (name: string) => {
    const page = await at.open("/runs", { unknown: true });
    await signIn(page, name, password);
    await leadsTo(page, /^\/runs/);
    await see(page.getByRole("heading", { name: "No runs yet" }));
    return page;
  };
  const offers = async (name: string, wanted: { places: string[]; start: boolean }) => {
    const page = await openAs(name);
    const offered = async () => {
      const places = await page.getByRole("navigation", { name: "Main" }).getByRole("link").allInnerTexts();
      const start = await page.getByRole("button", { name: /Start a run/ }).count();
      return { places: places.filter(Boolean).slice(1), start: start > 0 };
    };
    await becomes(offered, wanted, `offered to ${name}`);
    await at.look(page);
    await page.context().clearCookies(); // the next one signs in anew
  };

  story("leads everybody only where their roles let them go", async () => {
    const all = ["Inbox", "Runs", "Deliverables", "History", "Insights", "Workflows", "Automation", "Agents", "Policy"];
    await offers("ann", { places: [...all, "Audit", "People", "Sent messages", "Settings"], start: true });
    await offers("rob", { places: all, start: false });
    await offers("sue", { places: ["Inbox", "Runs", "History"], start: false });
  });
});
