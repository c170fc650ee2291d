import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./error";
import { noticeSignedOut } from "./signedOut";
import type { ApprovalFilter, DeliverableFilter, RunFilter } from "./types";

/** Keys of everything in the query cache. A prefix matches all keys that begin with it. */
/** The period of the figures, and its end unless that is now: durations such as "30d". */
export interface InsightSpan {
  since: string;
  until?: string;
}

export const keys = {
  me: ["me"] as const,
  approvals: ["approvals"] as const,
  approvalLists: ["approvals", "list"] as const,
  approvalList: (filter: ApprovalFilter) => ["approvals", "list", filter] as const,
  approvalPages: (filter: ApprovalFilter) => ["approvals", "list", "pages", filter] as const,
  approvalCount: (filter: ApprovalFilter) => ["approvals", "list", "count", filter] as const,
  approvalsBelow: (run: string) => ["approvals", "list", "below", run] as const,
  approvalOnes: ["approvals", "one"] as const,
  approval: (id: string) => ["approvals", "one", id] as const,
  wholeApproval: (id: string, version: number) => ["approvals", "whole", id, version] as const,
  preview: (id: string, changes: string) => ["approvals", "preview", id, changes] as const,
  runs: ["runs"] as const,
  runLists: ["runs", "list"] as const,
  runList: (filter: RunFilter) => ["runs", "list", filter] as const,
  runPages: (filter: RunFilter) => ["runs", "list", "pages", filter] as const,
  run: (id: string) => ["runs", "one", id] as const,
  runEvents: (id: string) => ["runs", "events", id] as const,
  runSteps: (id: string) => ["runs", "steps", id] as const,
  runStep: (id: string, step: string, atSeq?: number) => ["runs", "steps", id, step, atSeq ?? 0] as const,
  runSnapshots: (id: string) => ["runs", "snapshots", id] as const,
  runLog: (id: string) => ["run-logs", id] as const,
  runState: (id: string, atSeq: number) => ["runs", "state", id, atSeq] as const,
  deliverables: ["deliverables"] as const,
  deliverableList: (filter: DeliverableFilter) => ["deliverables", "list", filter] as const,
  deliverablePages: (filter: DeliverableFilter) => ["deliverables", "list", "pages", filter] as const,
  deliverable: (id: string) => ["deliverables", "one", id] as const,
  deliverableVersions: (id: string) => ["deliverables", "versions", id] as const,
  deliverablePreview: (id: string) => ["deliverable-previews", id] as const,
  allDocuments: ["documents"] as const,
  documents: (kind: "agents" | "workflows" | "tools") => ["documents", kind] as const,
  mcpServers: ["documents", "mcp_servers"] as const,
  document: (kind: "agents" | "workflows", name: string) => ["documents", kind, name] as const,
  workingCopies: ["documents", "working copies"] as const,
  templates: ["templates"] as const,
  validation: (text: string) => ["validation", text] as const,
  textPreview: (name: string, text: string, input: string) => ["text preview", name, text, input] as const,
  tools: (q: string) => ["tools", q] as const,
  suggestion: (intent: string, agent: string) => ["suggestion", intent, agent] as const,
  policy: ["policy"] as const,
  lessons: ["lessons"] as const,
  experience: ["experience"] as const,
  recipients: (id: string, q: string) => ["recipients", id, q] as const,
  search: (q: string) => ["search", q] as const,
  insights: (span: InsightSpan, workflow: string) => ["insights", span.since, span.until ?? "", workflow] as const,
  agentUsage: ["insights", "agents"] as const,
  usageOfAgent: (name: string) => ["insights", "agents", name] as const,
  automation: ["automation"] as const,
  schedules: ["automation", "schedules"] as const,
  triggers: ["automation", "triggers"] as const,
  trigger: (name: string) => ["automation", "triggers", name] as const,
  myPushes: ["my-pushes"] as const,
  preferences: ["preferences"] as const,
  channels: ["channels"] as const,
  channelDefaults: ["channels", "defaults"] as const,
  deliveries: ["deliveries"] as const,
  deliveryPages: (filter: object) => ["deliveries", "pages", filter] as const,
  deliveriesOf: (approval: string) => ["deliveries", "of", approval] as const,
  myLinks: ["my-links"] as const,
  signIn: ["sign-in"] as const,
};

const triesMax = 3;

/** Retries only transient errors. */
function again(count: number, error: Error): boolean {
  return count < triesMax && error instanceof ApiError && error.passing;
}

export function newQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: noticeSignedOut }),
    mutationCache: new MutationCache({ onError: noticeSignedOut }),
    defaultOptions: {
      queries: {
        retry: again,
        retryDelay: (n) => Math.min(1000 * 2 ** n, 8000),
        staleTime: 30_000, // the live stream reports changes
        refetchOnWindowFocus: false,
        networkMode: "always", // a server on this machine is reachable even offline
      },
      mutations: { retry: again, networkMode: "always" },
    },
  });
}
