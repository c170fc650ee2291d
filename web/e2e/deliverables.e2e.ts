import type { Download, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { focused, gone, Keyboard, leadsTo, see, stage, story, until } from "./harness";

describe("deliverables", () => {
  const at = stage();
  const ann = at.person("ann");
  const made = async () => {
    const id = await ann.start("press");
    await ann.reaches(id, "completed");
    return id;
  };
  /** Whether anything of a deliverable was executed. */
  const owned = (page: Page) => page.evaluate(() => (window as { owned?: string }).owned);

  story("are shown without running anything that is in them", async () => {
    const run = await made();
    const page = await at.open(`/deliverables?run=${run}`, { as: ann });
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await see(page.getByText("page.html"));
    await at.look(page);
    const { items } = await ann.get(`/deliverables?run=${run}&limit=100`);
    expect(items.length).toBeGreaterThanOrEqual(6);
    for (const item of items) {
      await page.goto(`${at.server.url}/deliverables?run=${run}&open=${item.id}`);
      const sheet = page.getByRole("dialog");
      await see(sheet);
      await see(sheet.getByText("Made by"));
      if (item.name === "page.html") await see(sheet.getByText("<h1>A page</h1>"));
      if (item.name === "chart.svg") await see(sheet.getByText("<rect width='30'"));
      if (item.name === "dot.png") await until("the picture", () => drawn(page));
      if (item.name === "Pull request") await see(sheet.getByText("https://example.com/pull/1").first());
      const copies = await sheet.getByRole("button", { name: /^Copy( all| what is shown)?$/ }).count();
      expect(copies, `ways to copy ${item.name}`).toBeLessThanOrEqual(1);
      await at.look(page);
      expect(await owned(page), item.name).toBeUndefined();
    }
    expect(dialogs).toEqual([]);
  });

  story("opened by themselves run nothing either", async () => {
    const run = await made();
    const { items } = await ann.get(`/deliverables?run=${run}&limit=100`);
    for (const name of ["page.html", "chart.svg", "tool.js", "report.md"]) {
      const item = items.find((i: { name: string }) => i.name === name);
      for (const way of ["content", "preview"]) {
        const answer = await fetch(`${at.server.url}/api/v1/deliverables/${item.id}/${way}`, { headers: ann.headers });
        const policy = answer.headers.get("Content-Security-Policy") ?? "";
        const attached = (answer.headers.get("Content-Disposition") ?? "").startsWith("attachment");
        const inert = /sandbox|default-src 'none'/.test(policy) && !/allow-scripts/.test(policy);
        expect(answer.status === 415 || attached || inert, `${name} ${way}: ${policy}`).toBe(true);
        expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
      }
    }
  });

  story("have versions, people say how they stand, and they are downloaded, one by one and as a ZIP", async () => {
    const run = await made();
    const page = await at.open(`/deliverables?run=${run}`, { as: ann });
    await page.getByText("report.md").first().click();
    const sheet = page.getByRole("dialog");
    await see(sheet.getByText("All is very well."));
    await sheet.getByRole("button", { name: /Version 1/ }).click();
    await see(sheet.getByText("there is a newer one"));
    await see(sheet.getByText("All is well."));
    await sheet.getByRole("button", { name: /Version 2/ }).click();
    await sheet.getByRole("combobox", { name: "How it stands" }).click();
    await page.getByRole("option", { name: /^Archived/ }).click();
    await see(page.getByText("Marked as archived"));
    await at.look(page);
    await sheet.getByRole("button", { name: "Close" }).click();
    // Of a period, and of any time again.
    await page.getByRole("combobox", { name: "Period" }).click();
    const recent = page.waitForResponse((answer) => /deliverables\?.*since=24h/.test(answer.url()));
    await page.getByRole("option", { name: "Last 24 hours" }).click();
    expect((await (await recent).json()).total).toBeGreaterThan(0);
    await leadsTo(page, /since=24h/);
    await page.getByRole("button", { name: /Clear/ }).first().click();
    await page.getByText("figures.csv").first().click();
    await see(sheet.getByRole("columnheader", { name: "product" }));
    const [one] = await Promise.all([
      page.waitForEvent("download"),
      sheet.getByRole("link", { name: /Download/ }).click(),
    ]);
    expect(one.suggestedFilename()).toBe("figures.csv");
    expect((await bytes(one)).toString()).toContain("alder,12");
    await sheet.getByRole("button", { name: "Close" }).click();
    const [all] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "All of this run (ZIP)" }).first().click(),
    ]);
    expect(all.suggestedFilename()).toMatch(/\.zip$/);
    expect((await bytes(all)).subarray(0, 2).toString()).toBe("PK");
  });

  story("are found, read, marked and downloaded with the keyboard alone", async () => {
    const run = await made();
    const page = await at.open(`/deliverables?run=${run}`, { as: ann });
    const keys = new Keyboard(page);
    await keys.skip();
    const rows = page.locator("main").getByRole("listitem");
    const before = await rows.count();
    await keys.choose(page.getByRole("combobox", { name: "Type" }), "Document");
    await leadsTo(page, /type=document/);
    await until("fewer rows", async () => (await rows.count()) < before);
    const row = rows.getByRole("button", { name: /^report\.md/ });
    await keys.press(row);
    const sheet = page.getByRole("dialog", { name: "report.md" });
    await keys.within(sheet);
    await see(sheet.getByText("All is very well."));
    const first = sheet.getByRole("button", { name: /^Version 1/ });
    const second = sheet.getByRole("button", { name: /^Version 2/ });
    await keys.press(first);
    await see(sheet.getByText("there is a newer one"));
    await see(sheet.getByText("All is well."));
    await focused(first);
    await keys.press(second, "Enter", "Shift+Tab");
    await see(sheet.getByText("All is very well."));
    await focused(second);
    const stands = sheet.getByRole("combobox", { name: "How it stands" });
    await keys.to(stands, "Shift+Tab");
    await keys.choose(stands, /^Archived/);
    await see(page.getByText("Marked as archived"));
    await focused(stands);
    const { items } = await ann.get(`/deliverables?run=${run}&status=archived`);
    expect(items.map((item: { name: string }) => item.name)).toEqual(["report.md"]);
    await keys.to(sheet.getByRole("link", { name: /Download/ }));
    const [one] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(one.suggestedFilename()).toBe("report.md");
    await keys.press(sheet.getByRole("button", { name: "Close" }), "Enter", "Shift+Tab");
    await gone(sheet);
    await keys.within(row);
    await keys.to(page.getByRole("link", { name: "All of this run (ZIP)" }), "Shift+Tab");
    const [all] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(all.suggestedFilename()).toMatch(/\.zip$/);
  });
});

/** Whether the picture in the sheet has come. */
function drawn(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const picture = document.querySelector<HTMLImageElement>("[role=dialog] img");
    return picture?.complete === true && picture.naturalWidth > 0;
  });
}

async function bytes(download: Download): Promise<Buffer> {
  return Buffer.concat(await (await download.createReadStream()).toArray());
}
