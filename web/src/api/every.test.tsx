import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { problem, serve } from "../../test/page";
import { useMcpServers } from "./agents";
import { useSchedules, useTriggers } from "./automation";
import { useAgents, useTools, useWorkflows } from "./documents";
import { useChannels } from "./notifications";
import { usePolicyVersions } from "./policyEdit";
import { keys, newQueryClient } from "./queries";
import { everyVersion, useAllWorkflows, useTemplates, useWorkingCopies } from "./workflows";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const total = 450;
/** A list of the server with more entries than a page has; which of its pages fails. */
const list = (failing = -1) => {
  let failed = false;
  return ({ query }: { query: URLSearchParams }) => {
    const from = Number(query.get("cursor") ?? 0);
    const to = Math.min(total, from + Number(query.get("limit") ?? 50));
    if (from === failing && !failed) {
      failed = true;
      return problem(503, "unavailable");
    }
    const items = Array.from({ length: to - from }, (_, i) => ({ name: `n${from + i}`, version: total - from - i }));
    return { items, total, next_cursor: to < total ? String(to) : "" };
  };
};

function shown<T>(hook: () => T) {
  const client = newQueryClient();
  client.setQueryData(keys.me, { name: "ann", roles: ["admin"], permissions: ["view", "admin"] });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(hook, { wrapper }).result;
}

const hooks: [string, string, () => { data?: { items: readonly unknown[] } }][] = [
  ["agents", "agents", useAgents],
  ["tools", "tools", useTools],
  ["tools that are searched for", "tools", () => useTools("pay")],
  ["published workflows", "workflows", useWorkflows],
  ["workflows", "workflows", useAllWorkflows],
  ["drafts", "working_copies", useWorkingCopies],
  ["templates", "templates", useTemplates],
  ["MCP servers", "mcp_servers", useMcpServers],
  ["schedules", "schedules", useSchedules],
  ["triggers", "triggers", useTriggers],
  ["channels", "channels", useChannels],
  ["versions of the policy", "policy/versions", usePolicyVersions],
];

for (const [what, path, hook] of hooks)
  it(`reads all ${what}, beyond a page`, async () => {
    const log = serve({ [`GET /api/v1/${path}`]: list() });
    const result = shown(hook);
    await waitFor(() => expect(result.current.data?.items.length).toBe(total));
    expect(new Set(result.current.data?.items.map((one) => (one as { name: string }).name)).size).toBe(total);
    expect(log.length).toBe(3);
  });

it("reads all versions of a workflow", async () => {
  serve({ "GET /api/v1/workflows/pay/versions": list() });
  expect((await everyVersion("pay")).length).toBe(total);
});

it("shows no part of a list when a page of it fails, and reads it again", async () => {
  serve({ "GET /api/v1/agents": list(200) });
  const result = shown(useAgents);
  await waitFor(() => expect(result.current.data?.items.length).toBe(total), { timeout: 5000 });
});
