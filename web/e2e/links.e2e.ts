import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { gone, see, settled, stage, story } from "./harness";

// Programs of mail servers open every link of a mail before people do, and run what is there, some of them with the
// session of the person.
describe("links of messages", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  // What these are asked about is too long for an address. They store nothing.
  const answers = ["/api/v1/policy/test", "/api/v1/policy/validate"];

  const changes = (page: Page): string[] => {
    const out: string[] = [];
    page.on("request", (r) => {
      const { pathname } = new URL(r.url());
      if (!["GET", "HEAD"].includes(r.method()) && !answers.includes(pathname)) out.push(`${r.method()} ${pathname}`);
    });
    return out;
  };

  story("opening an approval, and everything that it links to, decides nothing", async () => {
    const asked = await ann.asked("refund", { customer: "Scanner", amount: 70 });
    const page = await at.open(`/approvals/${asked.id}`, { as: ann });
    const sent = changes(page);
    await see(page.getByRole("button", { name: "Approve" }));
    // Until the page knows who it is, it hides nothing.
    for (const name of ["Audit", "People", "Settings"]) await gone(page.getByRole("link", { name, exact: true }));
    const links = await page.evaluate(() =>
      [...document.querySelectorAll("a[href]")].map((a) => (a as HTMLAnchorElement).href),
    );
    const own = [...new Set(links)].filter((link) => new URL(link).origin === at.server.url);
    expect(own.length, "links of the page").toBeGreaterThan(3);
    // Addresses that decide in other programs.
    const tempting = ["?act=approve", "?action=approve&confirm=true", "?approve", "#approve"].map(
      (end) => `${at.server.url}/approvals/${asked.id}${end}`,
    );
    for (const link of [...tempting, ...own]) {
      await page.goto(link);
      await settled(page);
    }
    expect(sent, "requests that could change something").toEqual([]);
    const after = await ann.get(`/approvals/${asked.id}`);
    expect([after.status, after.version, after.decisions ?? []]).toEqual(["pending", asked.version, []]);
  });

  story("no GET of the API decides", async () => {
    const asked = await ann.asked("refund", { customer: "Scanner", amount: 80 });
    for (const path of ["decisions", "decide", "approve", "decisions?act=approve&version=1", "escalate", "delegate"]) {
      const answer = await fetch(`${at.server.url}/api/v1/approvals/${asked.id}/${path}`, { headers: ann.headers });
      await answer.text();
      expect([404, 405], `GET ${path}`).toContain(answer.status);
    }
    const after = await ann.get(`/approvals/${asked.id}`);
    expect([after.status, after.version]).toEqual(["pending", asked.version]);
  });
});
