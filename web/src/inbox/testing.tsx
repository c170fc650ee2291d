import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import type { Approval } from "../api/types";
import { LiveProvider } from "../live";
import { Outlet, RouterProvider } from "../router";
import { routerAt } from "../router/testing";
import { useKeyboard } from "../shell/shortcuts";
import { Toasts } from "../ui/Toasts";

/** A pending approval for tests; the given members replace the defaults. */
export function someApproval(part: Partial<Approval> = {}): Approval {
  return {
    id: "apr_1",
    run: "run_1",
    workflow: "refund-email",
    step: "send",
    gate: "refund_review",
    agent: "mailer",
    kind: "approval",
    reason: "gate",
    status: "pending",
    version: 1,
    title: "Send refund confirmation",
    description: "",
    action: { type: "step", digest: "sha256:1" },
    proposed: { $json: "{}" },
    reasoning: "",
    confidence_source: null,
    confidence: null,
    risk: { level: "medium", reasons: [] },
    estimated_cost_usd: null,
    show: null,
    so_far: "",
    if_denied: "",
    options: [],
    input_schema: null,
    role: "",
    assignees: [],
    quorum: { needed: 1, given: 0 },
    decisions: [],
    comments: [],
    acts: ["approve", "modify", "reject", "delegate"],
    requested_at: "2026-11-15T09:00:00Z",
    requester: "ann",
    deadline_at: null,
    pause_at: null,
    remind_at: null,
    rule: null,
    outcome: null,
    ...part,
  };
}

type Answer = { status: number; body: unknown };

/** An in-memory server: lists, single approvals, decisions, batches and the event stream. */
export class FakeServer {
  asked: string[] = [];
  sent: { path: string; body: Record<string, unknown>; key: string | null; keepalive: boolean }[] = [];
  /** Responds to decisions instead of accepting them. */
  refuse: ((id: string) => Answer | undefined) | undefined;
  /** Totals are counted up to this number. */
  countMax = 10_000;
  down = false;
  private streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  private feed = 1;

  constructor(public approvals: Approval[] = []) {}

  fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(new URL(String(input), location.origin), init);
    const url = new URL(request.url);
    if (this.down) throw new TypeError("no connection");
    if (url.pathname === "/api/v1/events") return this.stream(init?.signal ?? request.signal);
    const { status, body } = await this.answer(request, url);
    return new Response(JSON.stringify(body), {
      status,
      headers: { "Content-Type": status < 400 ? "application/json" : "application/problem+json" },
    });
  };

  /** Notifies all pages of an event on an approval. */
  tell(type: string, approval: Approval): void {
    const event = {
      feed: ++this.feed,
      run: approval.run,
      seq: this.feed,
      at: approval.requested_at,
      type,
      actor: { kind: "person", name: "maria" },
      data: { id: approval.id },
    };
    const text = `id: ${event.feed}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    for (const stream of this.streams) stream.enqueue(new TextEncoder().encode(text));
  }

  /** Breaks the connection. */
  breakStreams(): void {
    for (const stream of this.streams) stream.error(new TypeError("broken"));
    this.streams = [];
  }

  /** Another user decides. */
  settle(id: string, by: string, status: Approval["status"] = "approved"): void {
    this.change(id, {
      status,
      acts: [],
      outcome: { status, act: status === "rejected" ? "reject" : "approve", by, at: new Date().toISOString() },
    } as Partial<Approval>);
    this.tell("approval.resolved", this.find(id) as Approval);
  }

  change(id: string, part: Partial<Approval>): void {
    this.approvals = this.approvals.map((a) => (a.id === id ? { ...a, version: a.version + 1, ...part } : a));
  }

  find(id: string): Approval | undefined {
    return this.approvals.find((a) => a.id === id);
  }

  private async answer(request: Request, url: URL): Promise<Answer> {
    const path = url.pathname.replace("/api/v1", "");
    this.asked.push(`${request.method} ${path}${url.search}`);
    if (request.method === "POST") return this.post(path, request);
    if (path === "/deliverables") return { status: 200, body: this.draftsOf(url.searchParams.get("run")) };
    if (path === "/approvals") return { status: 200, body: this.list(url.searchParams) };
    if (path === "/me")
      return {
        status: 200,
        body: {
          name: "ann",
          kind: "person",
          local: true,
          roles: ["finance"],
          permissions: ["comment", "start", "view"],
        },
      };
    if (path.startsWith("/approvals/")) return { status: 200, body: plainOf(this.find(path.split("/")[2] ?? "")) };
    if (path === "/policy") return { status: 200, body: { emergency_stop: { on: false } } };
    const names = path === "/workflows" ? ["refund-email", "payments"] : path === "/agents" ? ["mailer"] : [];
    return { status: 200, body: { items: names.map((name) => ({ name })), next_cursor: "", total: names.length } };
  }

  /** As many drafts as the approvals of a run claim. Their contents never arrive. */
  private draftsOf(run: string | null) {
    const count = this.approvals.find((a) => a.run === run)?.drafts ?? 0;
    const items = Array.from({ length: count }, (_, i) => ({
      id: `dlv_${i}`,
      run,
      name: `report-${i}.txt`,
      type: "document",
      mime_type: "text/plain",
      status: "draft",
      newest: true,
      version: 1,
      size: 10,
    }));
    return { items, total: count, next_cursor: "" };
  }

  private list(query: URLSearchParams) {
    const statuses = query.get("status")?.split(",");
    const fits = (a: Approval) =>
      (!statuses || statuses.includes(a.status)) &&
      (!query.get("risk") || a.risk.level === query.get("risk")) &&
      (!query.get("workflow") || a.workflow === query.get("workflow"));
    let all = this.approvals.filter(fits);
    if (query.get("sort") === "newest") all = [...all].sort((a, b) => b.requested_at.localeCompare(a.requested_at));
    if (query.get("run")) all = all.filter((a) => a.run === query.get("run"));
    if (query.get("group")) all = this.grouped(all.filter((a) => a.status === "pending"));
    const cursor = query.get("cursor");
    const from = cursor ? all.findIndex((a) => a.id === cursor) + 1 : 0;
    const to = from + (query.get("group") ? 1000 : Number(query.get("limit") ?? 50));
    return {
      items: all.slice(from, to).map(plainOf),
      next_cursor: to < all.length ? (all[to - 1]?.id ?? "") : "",
      total: Math.min(all.length, this.countMax),
      total_is_lower_bound: all.length > this.countMax,
    };
  }

  /** One row for approvals of a run with similar names; the number at the end distinguishes them. */
  private grouped(all: Approval[]): Approval[] {
    const like = (a: Approval) => `${a.run} ${a.title.replace(/\d+$/, "")}`;
    return all.flatMap((a) => {
      const ids = all.filter((b) => like(b) === like(a)).map((b) => b.id);
      if (ids.length === 1) return [a];
      return ids[0] === a.id ? [{ ...a, alike: { count: ids.length, ids } }] : [];
    });
  }

  private async post(path: string, request: Request): Promise<Answer> {
    const body = (await request.json()) as Record<string, unknown>;
    this.sent.push({ path, body, key: request.headers.get("Idempotency-Key"), keepalive: request.keepalive });
    if (path === "/approvals/batch") {
      const results = (body.ids as string[]).map((id) => {
        const refused = this.refuse?.(id);
        if (!refused) this.settle(id, "ann", body.act === "reject" ? "rejected" : "approved");
        return refused ? { id, ok: false, error: refused.body } : { id, ok: true, status: "approved" };
      });
      return { status: 200, body: { results } };
    }
    if (path.endsWith("/preview")) return { status: 200, body: { valid: true, errors: [], changes: [] } };
    const id = path.split("/")[2] ?? "";
    const refused = this.refuse?.(id);
    if (refused) return refused;
    if (path.endsWith("/decisions")) this.settle(id, "ann", body.act === "reject" ? "rejected" : "approved");
    return { status: 200, body: plainOf(this.find(id)) };
  }

  private stream(signal: AbortSignal): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.streams.push(controller);
        controller.enqueue(new TextEncoder().encode(`id: ${this.feed}\n\n`));
        signal.addEventListener("abort", () => {
          this.streams = this.streams.filter((s) => s !== controller);
          controller.error(new DOMException("aborted", "AbortError"));
        });
      },
    });
    return new Response(body, { status: 200, headers: { "Content-Type": "text/event-stream" } });
  }
}

/** As the server writes it: payloads are plain JSON. */
const plainOf = (approval: Approval | undefined) => ({
  ...approval,
  proposed: {},
  show: approval?.show ? JSON.parse(approval.show.$json) : null,
});

export const problemAnswer = (code: string, status: number, more: object = {}): Answer => ({
  status,
  body: { code, status, title: code, detail: `told: ${code}`, hint: "", errors: [], type: "/problems", ...more },
});

/** Renders parts with everything around pages, starting at path. */
export function renderAt(path: string, parts: { inbox: () => ReactNode; approval?: () => ReactNode }) {
  const { router, history } = routerAt(path, {
    "/inbox": parts.inbox,
    "/approvals/$id": parts.approval ?? (() => <p>The approval</p>),
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
  const view = render(
    <QueryClientProvider client={client}>
      <LiveProvider>
        <Toasts>
          <RouterProvider router={router} frame={Keys} />
        </Toasts>
      </LiveProvider>
    </QueryClientProvider>,
  );
  return { ...view, router, history, client };
}

function Keys() {
  useKeyboard();
  return <Outlet />;
}
