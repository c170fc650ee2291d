import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answer, problem, serve, visit } from "../../test/page";
import type { ApprovalStatus, Insights } from "../api/types";
import { roundUp } from "../ui/days";
import { approvalStatus, runStatus } from "../words";
import { changeText, failureWord, outcomes, rangeOf, runRows, sinceTheFirst, waitRows } from "./figures";
import { InsightsPage } from "./InsightsPage";

afterEach(() => void vi.unstubAllGlobals());

const limits = [60, 300, 900, 3600, 14_400, 86_400, 259_200, null];

function figures(part: Partial<Insights> = {}): Insights {
  return {
    since: "2026-11-13T00:00:00Z",
    until: "2026-11-15T12:00:00Z",
    pending: { total: 0, oldest_at: null, by_risk: {} },
    decided: {
      total: 0,
      by_status: {},
      by_people: 0,
      by_rules: 0,
      auto_share: 0,
      median_s: 0,
      p90_s: 0,
      waits: limits.map((under_s) => ({ under_s, count: 0 })),
    },
    runs: { total: 0, by_status: {}, cost_usd: "0" },
    days: ["2026-11-13", "2026-11-14", "2026-11-15"].map((day) => ({ day, settled: {}, runs: {}, cost_usd: "0" })),
    agents: [],
    workflows: [],
    failures: [],
    rules: [],
    ...part,
  };
}

const full = figures({
  pending: { total: 12, oldest_at: "2026-11-15T09:00:00Z", by_risk: { critical: 2, low: 10 } },
  decided: {
    total: 30,
    by_status: { approved: 12, auto_approved: 15, rejected: 3 },
    by_people: 15,
    by_rules: 15,
    auto_share: 0.5,
    median_s: 90,
    p90_s: 7200,
    waits: limits.map((under_s, i) => ({ under_s, count: i })),
  },
  runs: { total: 40, by_status: { completed: 30, failed: 10 }, cost_usd: "90071992547409931.10" },
  days: [
    { day: "2026-11-13", settled: {}, runs: {}, cost_usd: "0" },
    { day: "2026-11-14", settled: { approved: 12, rejected: 3 }, runs: {}, cost_usd: "0.0375" },
    { day: "2026-11-15", settled: { auto_approved: 15 }, runs: {}, cost_usd: "1.20" },
  ],
  agents: [
    { agent: "mailer", settled: {}, failures: 7 },
    { agent: "quiet_one", settled: {}, failures: 0 },
  ],
  workflows: [{ workflow: "refund-email", runs: { completed: 30 }, cost_usd: "1.2375" }],
  failures: [
    { code: "timeout", count: 5 },
    { code: "made_up_code", count: 2 },
  ],
  rules: [
    { rule: "Safe reads", samples: 5, reviewed: 4, agreed: 3, share: 0.75 },
    { rule: "Never looked at", samples: 5, reviewed: 0, agreed: 0, share: 0 },
  ],
});

function page(answer: Answer, address = "/insights") {
  const sent = serve({
    "GET /api/v1/insights": answer,
    "GET /api/v1/workflows": () => ({ items: [{ name: "refund-email" }], next_cursor: "", total: 1 }),
  });
  return { sent, ...visit(InsightsPage, "/insights", address) };
}

const plain = (text: string | null | undefined) => text?.replaceAll("\u00a0", " ");
const panel = async (title: string) =>
  plain((await screen.findByRole("heading", { name: title })).closest("section")?.textContent);

describe("insights", () => {
  it("every panel says what its number means", async () => {
    page(() => full);
    expect(await panel("Waiting now")).toMatch(/12Pending approvals; the oldest.*Critical risk.*2/);
    expect(await panel("Time to decide")).toContain("90 % took at most 2 h");
    expect(await panel("Time to decide")).toContain("1 min 30 s");
    expect(await panel("Approved by rules")).toMatch(/50 %.*15 of 30 decisions were automated/);
    expect(await panel("Approved by rules")).toContain("checked 4 of them and agreed with 3 (75 %)");
    expect(await panel("Approved by rules")).not.toContain("Never looked at");
    expect(await panel("Runs")).toMatch(/40.*Completed.*30.*Failed.*10/);
    expect(await panel("Failures")).toMatch(/7.*Mailer.*7.*Timed out.*5.*Made up code.*2/);
    expect(await panel("Failures")).not.toContain("Quiet one");
    expect(await panel("Cost")).toContain("$90,071,992,547,409,931.10");
    expect(await panel("Cost")).toMatch(/Refund email.*\$1\.2375/);
  });

  it("rows add up to the number above them", async () => {
    page(() => ({
      ...full,
      pending: { ...full.pending, total: 31, by_risk: { high: 23, low: 2 } },
      agents: [
        ...Array.from({ length: 10 }, (_, i) => ({ ...full.agents[0], agent: `agent_${i}`, failures: 20 - i })),
        { ...full.agents[0], agent: "", failures: 1 },
      ],
      failures: [{ code: "failed", count: 160 }],
    }));
    expect(await panel("Waiting now")).toMatch(/High risk.*23.*Low risk.*2.*Risk not set.*6/);
    // 20 + … + 13 = 132, 12 + 11 = 23, and 5 that no agent did.
    expect(await panel("Failures")).toMatch(/160.*Agent 0.*20.*Agent 7.*13.*2 other agents.*23.*No agent.*5/);
    expect(await panel("Failures")).not.toContain("Agent 8");
  });

  it("has no row for a rest that is not there", async () => {
    page(() => ({ ...full, pending: { ...full.pending, total: 5, by_risk: { high: 5 } } }));
    expect(await panel("Waiting now")).not.toContain("Risk not set");
    expect(await panel("Failures")).not.toContain("No agent");
  });

  it("each chart has a summary and the same numbers as a table", async () => {
    page(() => full);
    const summary =
      "30 approvals settled in 30 days: 12 approved by people, 15 approved by rules, 3 rejected. Most on Saturday, 14 November 2026.";
    expect(await screen.findByRole("img", { name: summary })).toBeTruthy();
    const [first] = screen.getAllByRole("button", { name: "Table" });
    if (first) fireEvent.click(first);
    expect(screen.queryByRole("img", { name: summary })).toBeNull();
    const row = screen.getByRole("row", { name: /14 Nov/ });
    expect([...row.querySelectorAll("td")].map((td) => td.textContent)).toEqual(["12", "0", "3"]);
  });

  it("a day can be read by pointing at it", async () => {
    page(() => full);
    const [chart] = await screen.findAllByRole("img");
    vi.spyOn(chart as Element, "getBoundingClientRect").mockReturnValue({ left: 0, width: 300 } as DOMRect);
    fireEvent.pointerMove(chart as Element, { clientX: 150 });
    expect(screen.getByText("Saturday, 14 November 2026: 12 approved by people, 3 rejected")).toBeTruthy();
    fireEvent.pointerLeave(chart as Element);
    expect(screen.queryByText(/^Saturday.*3 rejected$/)).toBeNull();
  });

  it("nothing is said in words, not as empty charts", async () => {
    page(() => figures());
    expect(await panel("Waiting now")).toContain("No approvals are pending.");
    expect(await panel("Time to decide")).toContain("No decisions by people");
    expect(await panel("Approved by rules")).toContain("No decisions in this period");
    expect(await panel("Outcomes, day by day")).toContain("Nothing was settled in the last 30 days.");
    expect(await panel("Failures")).toContain("No steps failed");
    expect(await panel("Runs")).toContain("No runs started");
    expect(screen.queryByRole("img")).toBeNull();
  });

  it("range and workflow are in the address", async () => {
    const { sent, address } = page(() => full, "/insights?workflow=refund-email");
    await panel("Runs");
    const asked = () => sent.filter((s) => s.path.endsWith("/insights") && !s.query.get("until"));
    expect(asked()[0]?.query.toString()).toBe("since=30d&workflow=refund-email");
    fireEvent.click(screen.getByRole("button", { name: "90 days" }));
    await waitFor(() => expect(address()).toBe("/insights?workflow=refund-email&days=90"));
    await waitFor(() => expect(asked().at(-1)?.query.get("since")).toBe("90d"));
    fireEvent.click(screen.getByRole("button", { name: "30 days" }));
    await waitFor(() => expect(address()).toBe("/insights?workflow=refund-email"));
  });

  it("says what went wrong, and tries again", async () => {
    let down = true;
    page(() => (down ? problem(503, "unavailable", { title: "Try later" }) : full));
    await screen.findByText("Try later");
    down = false;
    fireEvent.click(screen.getByText("Try again"));
    expect(await panel("Runs")).toContain("40");
  });
});

describe("comparison with the time before", () => {
  it("is there where there was something before", async () => {
    const sent = page(({ query }) =>
      query.get("until") ? figures({ runs: { total: 20, by_status: { completed: 20 }, cost_usd: "0" } }) : full,
    ).sent;
    await waitFor(async () => expect(await panel("Runs")).toContain("100 % more than in the 30 days before (20)"));
    expect(await panel("Cost")).not.toContain("before");
    expect(await panel("Failures")).not.toContain("before");
    const spans = sent.filter((s) => s.path.endsWith("/insights")).map((s) => s.query.toString());
    expect(spans.sort()).toEqual(["since=30d", "since=60d&until=30d"]);
  });

  it("is in words", () => {
    expect([changeText(30, 20), changeText(10, 20), changeText(5, 5), changeText(300, 2)].map(plain)).toEqual([
      "50 % more than in",
      "50 % less than in",
      "The same as in",
      "150 times that of",
    ]);
  });
});

describe("days of a chart", () => {
  const days = (...settled: number[]) =>
    settled.map((n, i) => ({ day: `2026-11-${i + 1}`, settled: { approved: n }, runs: {}, cost_usd: "0" }));
  it("begin with the first on which something happened, and are a week at least", () => {
    expect(sinceTheFirst(days(0, 0, 0, 4, 0, 0, 0, 0, 0, 1))).toHaveLength(7);
    expect(sinceTheFirst(days(0, 0, 0, 0, 0, 0, 0, 0, 0, 1))).toHaveLength(7);
    expect(sinceTheFirst(days(1, 0, 0, 0, 0, 0, 0, 0, 0, 1))).toHaveLength(10);
    expect(sinceTheFirst(days(0, 0, 0))).toHaveLength(3);
  });
});

describe("the figures", () => {
  it("every way to end an approval has a colour", () => {
    const all = outcomes.flatMap((o) => o.statuses).sort();
    const settled = (Object.keys(approvalStatus) as ApprovalStatus[]).filter((s) => s !== "pending").sort();
    expect(all).toEqual(settled);
  });

  it("every status of a run has a row, and none is there for nothing", () => {
    const counts = Object.fromEntries(Object.keys(runStatus).map((s) => [s, 1]));
    expect(runRows(counts)).toHaveLength(Object.keys(runStatus).length);
    expect(runRows({ failed: 0 })).toEqual([]);
  });

  it("waits are spans in words", () => {
    expect(waitRows(full.decided.waits).map((r) => plain(r.label))).toEqual([
      "under 1 min",
      "1 min to 5 min",
      "5 min to 15 min",
      "15 min to 1 h",
      "1 h to 4 h",
      "4 h to 1 d",
      "1 d to 3 d",
      "3 d or longer",
    ]);
  });

  it("axes end at round numbers", () => {
    expect([0, 1, 3, 12, 24, 26, 99, 0.04].map(roundUp)).toEqual([1, 1, 5, 20, 25, 50, 100, 0.05]);
  });

  it("unknown ranges and codes are made readable", () => {
    expect([rangeOf("7"), rangeOf("8"), rangeOf(undefined), rangeOf("toString")]).toEqual(["7", "30", "30", "30"]);
    expect(failureWord("")).toBe("Not told");
  });
});
