import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import type { Approval, Event, Run, Step } from "../api/types";
import { rawOf } from "../json";
import { RouterProvider } from "../router";
import { routerAt } from "../router/testing";

// Test data for runs.

export const start = Date.parse("2026-11-15T10:00:00Z");
export const at = (s: number) => new Date(start + s * 1000).toISOString();

export function aStep(id: string, change: Partial<Step> = {}): Step {
  return {
    id,
    kind: "agent",
    agent: `${id}_agent`,
    needs: [],
    layer: 0,
    status: "pending",
    try: 0,
    started_at: null,
    ended_at: null,
    duration_ms: null,
    waited_ms: null,
    worked_ms: null,
    output: null,
    ...change,
  };
}

export function aDoneStep(id: string, from: number, to: number, change: Partial<Step> = {}): Step {
  return aStep(id, {
    status: "done",
    try: 1,
    started_at: at(from),
    ended_at: at(to),
    duration_ms: (to - from) * 1000,
    output: rawOf({ ok: true }),
    ...change,
  });
}

export function aRun(steps: Step[], change: Partial<Run> = {}): Run {
  return {
    id: "run_1",
    workflow: "month-end",
    version: 1,
    status: "running",
    owner: "ann",
    input: rawOf({ month: "2026-11" }),
    context: rawOf({}),
    output: null,
    steps,
    progress: { done: 1, total: steps.length, percent: 50, eta_s: null },
    pending_approvals: [],
    usage: {},
    warnings: [],
    error: null,
    thread: [],
    seq: 9,
    started_at: at(0),
    ended_at: null,
    parent: null,
    retry_of: null,
    forked_from: null,
    ...change,
  };
}

export function anApproval(change: Partial<Approval> = {}): Approval {
  return {
    id: "apr_1",
    run: "run_1",
    workflow: "month-end",
    step: "check",
    gate: "",
    kind: "approval",
    reason: "gate",
    status: "pending",
    version: 1,
    title: "Look at the figures",
    description: "",
    agent: "checker",
    action: { type: "step", digest: "" },
    proposed: rawOf({ sum: 1 }),
    reasoning: "",
    confidence: null,
    risk: {},
    estimated_cost_usd: null,
    show: null,
    so_far: "",
    if_denied: "",
    options: [],
    input_schema: null,
    role: "tax_team",
    assignees: [],
    quorum: { needed: 1, given: 0 },
    decisions: [],
    comments: [],
    acts: ["approve", "reject"],
    requested_at: at(10),
    deadline_at: null,
    remind_at: null,
    pause_at: null,
    requester: "ann",
    rule: null,
    outcome: null,
    ...change,
  } as Approval;
}

export function anEvent(seq: number, type: string, data: unknown, s = seq): Event {
  return { feed: seq, run: "run_1", seq, at: at(s), type, actor: { kind: "system" }, data: rawOf(data) } as Event;
}

/** Renders a component that links to pages and calls the server. */
export async function show(node: ReactNode) {
  const { router } = routerAt("/", { "/": () => <>{node}</> });
  await router.load();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
  return render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

/** Server responses, by "METHOD /path". Requests are recorded. */
export function serve(answers: Record<string, (body: unknown) => unknown>): {
  asked: { to: string; text: string; body: unknown }[];
} {
  const asked: { to: string; text: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (input: Request | string) => {
    const request = input instanceof Request ? input : new Request(new URL(input, "http://x"));
    const to = `${request.method} ${new URL(request.url).pathname}`;
    if (to === "GET /api/v1/deliverables" && !answers[to])
      return Response.json({ items: [], total: 0, next_cursor: "" });
    const text = request.method === "GET" ? "" : await request.text();
    const body: unknown = text ? JSON.parse(text) : undefined;
    asked.push({ to, text, body });
    const answer = answers[to]?.(body);
    if (answer instanceof Response) return answer;
    if (answer === undefined)
      return new Response(JSON.stringify({ code: "not_found", title: "Not found" }), { status: 404 });
    return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
  });
  return { asked };
}
