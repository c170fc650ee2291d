import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Raw } from "../json";
import { api, attempt, data, replaces } from "./client";
import { everyPage } from "./every";
import { keys } from "./queries";
import type { components } from "./schema";

export type Lesson = components["schemas"]["Lesson"];

/** Saves an agent and puts it in force. */
export function useSaveAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (saving: { name: string; text: string; over?: number }) =>
      data(
        api.PUT("/api/v1/agents/{name}", {
          params: { path: { name: saving.name } },
          body: saving.text as never,
          headers: { "Content-Type": "application/yaml", ...attempt(saving), ...replaces(saving.over) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.allDocuments }),
  });
}

export type McpServer = components["schemas"]["MCPServer"];

/** MCP servers with the state of their connections. */
export function useMcpServers() {
  return useQuery({
    queryKey: keys.mcpServers,
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/mcp_servers", { params: { query }, signal }))),
  });
}

/** Connects to a server and asks it for its tools. */
export function useCheckServer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => data(api.POST("/api/v1/mcp_servers/{name}/check", { params: { path: { name } } })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.allDocuments }),
  });
}

export type Trial = components["schemas"]["TrialReport"];
export type TrialAsk = components["schemas"]["TrialAsk"];

export interface Trying {
  name: string;
  input: Raw;
  /** A text that is not saved; without one, the agent in force is tried. */
  yaml?: string;
  workflow?: string;
}

/** Tries an agent: its model is called, its tools are not. */
export function useTryAgent() {
  return useMutation({
    mutationFn: ({ name, ...body }: Trying) =>
      data(api.POST("/api/v1/agents/{name}/try", { params: { path: { name } }, body })),
  });
}

/** Lessons, page by page, newest first. */
export function useLessonPages(filter: { agent?: string; workflow?: string; removed?: boolean }, enabled = true) {
  return useInfiniteQuery({
    enabled,
    queryKey: [...keys.lessons, "pages", filter],
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET("/api/v1/lessons", {
          params: { query: { ...filter, limit: 50, cursor: pageParam || undefined } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages[0]?.total ?? 0 }),
  });
}

export interface Correcting {
  id: string;
  /** What agents are told instead of the comment. */
  text?: string;
  removed?: boolean;
  reason?: string;
  /** Of the lesson as it was shown, so that a later correction by another person is not overwritten. */
  version: number;
}

/** Changes what agents are told about a decision. Without text and removal, the lesson is as it was. */
export function useCorrectLesson() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (correcting: Correcting) => {
      const { id, ...body } = correcting;
      return data(api.PUT("/api/v1/lessons/{id}", { params: { path: { id }, header: attempt(correcting) }, body }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.lessons }),
  });
}

export type AgentUsage = components["schemas"]["AgentUsage"];

/** Use and cost of all agents in the last 30 days. */
export function useAgentUsage() {
  return useQuery({
    queryKey: keys.agentUsage,
    queryFn: ({ signal }) => data(api.GET("/api/v1/agent_usage", { params: { query: { since: "30d" } }, signal })),
    refetchInterval: 60_000, // sums over weeks
  });
}

/** Use and cost of one agent in the last 30 days, by day. */
export function useUsageOfAgent(name: string) {
  return useQuery({
    queryKey: keys.usageOfAgent(name),
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/agents/{name}/usage", { params: { path: { name }, query: { since: "30d" } }, signal })),
    refetchInterval: 60_000,
  });
}
