import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, vi } from "vitest";
import { useApproval } from "../api/approvals";
import { keys } from "../api/queries";
import type { Approval } from "../api/types";
import { stringify } from "../json";
import { setUndo } from "../lib/undo";
import { Outlet, RouterProvider } from "../router";
import { routerAt } from "../router/testing";
import { useKeyboard } from "../shell/shortcuts";
import { ApprovalDetail, type ApprovalDetailProps } from "./ApprovalDetail";

/** A pending approval for tests; the given members replace the defaults. */
export function someApproval(part: Partial<Approval> = {}): Approval {
  return {
    id: "apr_1",
    run: "run_1",
    workflow: "refund-email",
    step: "propose",
    gate: "refund_review",
    agent: "refund_writer",
    kind: "approval",
    reason: "gate",
    status: "pending",
    version: 3,
    title: "Pay this refund",
    description: "Compare the amount.",
    action: {
      type: "result",
      digest: "sha256:1",
      args_schema: {
        $json:
          '{"type":"object","required":["to","amount"],"properties":{"to":{"type":"string","title":"To"},"amount":{"type":"number","title":"Amount","exclusiveMinimum":0},"id":{"type":"number"}}}',
      },
    },
    proposed: { $json: '{"to":"ann@example.com","amount":89.50,"id":9007199254740993}' },
    reasoning: "A broken cable is a defect.",
    confidence_source: null,
    confidence: 0.87,
    risk: { level: "high", reasons: ["money leaves"] },
    estimated_cost_usd: null,
    show: { $json: '{"order.total":89.50}' },
    so_far: "",
    if_denied: "The run is cancelled.",
    options: [],
    input_schema: null,
    role: "support_lead",
    assignees: [],
    quorum: { needed: 1, given: 0 },
    decisions: [],
    comments: [],
    acts: ["approve", "modify", "reject", "request_revision", "escalate", "delegate"],
    requested_at: "2026-11-15T09:00:00Z",
    requester: "ann",
    deadline_at: null,
    pause_at: null,
    remind_at: null,
    on_reject: "cancel",
    rule: null,
    outcome: null,
    ...part,
  };
}

export interface Sent {
  path: string;
  body: Record<string, unknown> & { text: string };
  key: string | null;
}

/** A server with one approval. answer may change its response to decisions. */
export class Server {
  sent: Sent[] = [];
  answer: (sent: Sent) => Response | Promise<Response> = () => this.json(this.approval);
  preview: () => Response = () => this.json({ diff: [], valid: true, errors: [], proposed: null });
  whole: Approval | undefined;
  /** Other approvals of the same run. */
  list: Approval[] = [];
  recipients: object[] = [];
  /** Deliverables of the run. */
  made: object[] = [];
  me = {
    name: "maria",
    kind: "person",
    roles: ["support_lead"],
    permissions: ["comment", "decide", "view"],
    local: true,
  };
  constructor(public approval: Approval) {
    setUndo(false); // decisions are sent at once; tests of undo switch it on
    vi.stubGlobal("fetch", (request: Request) => this.fetch(request));
  }

  json(value: unknown, status = 200): Response {
    const type = status < 400 ? "application/json" : "application/problem+json";
    return new Response(stringify(value), { status, headers: { "Content-Type": type } });
  }

  problem(status: number, code: string, more: object = {}): Response {
    return this.json(
      { type: "x", title: code, status, code, detail: `${code}!`, hint: "", errors: [], ...more },
      status,
    );
  }

  /** The decisions that were sent. */
  get decisions(): Sent[] {
    return this.sent.filter((s) => s.path.endsWith("/decisions"));
  }

  private async fetch(request: Request): Promise<Response> {
    const { pathname: path, searchParams } = new URL(request.url);
    if (request.method === "POST") {
      const text = await request.text();
      const sent = { path, key: request.headers.get("Idempotency-Key"), body: { ...JSON.parse(text), text } };
      this.sent.push(sent);
      if (path.endsWith("/preview")) return this.preview();
      return this.answer(sent);
    }
    if (path.endsWith("/recipients")) return this.json({ items: this.recipients, next_cursor: "", total: 0 });
    if (path.endsWith("/deliverables"))
      return this.json({ items: this.made, total: this.made.length, next_cursor: "" });
    if (path.endsWith("/me")) return this.json(this.me);
    if (path.endsWith("/approvals")) return this.json({ items: this.list, total: this.list.length, next_cursor: "" });
    return this.json(searchParams.get("full") === "true" ? (this.whole ?? this.approval) : this.approval);
  }
}

/** Shows an approval as the pages do, with its data from the query cache. */
export async function show(
  server: Server,
  props: Partial<ApprovalDetailProps> = {},
  there: () => Promise<unknown> = () => screen.findByText(server.approval.title),
) {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false }, mutations: { networkMode: "always" } },
  });
  const view = renderAt(<Host id={server.approval.id} {...props} />, client);
  await there();
  // Approve waits for the run's deliverables.
  await waitFor(() => expect(client.isFetching({ queryKey: keys.deliverables })).toBe(0));
  return { ...view, client, refresh: () => client.invalidateQueries({ queryKey: ["approvals", "one"] }) };
}

function Host({ id, ...props }: { id: string } & Partial<ApprovalDetailProps>) {
  const { data } = useApproval(id);
  return data ? <ApprovalDetail {...props} approval={data} /> : null;
}

function Keys() {
  useKeyboard();
  return <Outlet />;
}

export function renderAt(page: ReactNode, client: QueryClient, path = "/") {
  const { router } = routerAt(path, { "/": () => page, "/approvals/$id": () => page }, ["/runs/$id", "/inbox"]);
  return render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} frame={Keys} />
    </QueryClientProvider>,
  );
}

export const button = (name: string | RegExp) => screen.getByRole("button", { name }) as HTMLButtonElement;
export const press = (key: string, more: object = {}) => fireEvent.keyDown(document.body, { key, ...more });
export const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
export const settled = (part: Partial<Approval>): Approval =>
  someApproval({
    acts: [],
    version: 4,
    outcome: { status: part.status ?? "approved", at: "2026-11-15T09:05:00Z" },
    ...part,
  });
