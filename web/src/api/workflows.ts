import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Raw, raw } from "../json";
import { api, attempt, data } from "./client";
import { useSeesDefinitions } from "./documents";
import { ApiError } from "./error";
import { keys } from "./queries";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type WorkingCopy = Schemas["WorkingCopy"];
export type Template = Schemas["Template"];
export type WorkflowPreview = Schemas["WorkflowPreview"];
export type WorkflowDiff = Schemas["WorkflowDiff"];
export type SavedCopy = Schemas["SavedCopy"];

const pageMax = 200;
const asYaml = { "Content-Type": "application/yaml" };

/** Published workflows and drafts saved after them. */
export function useAllWorkflows() {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: [...keys.documents("workflows"), "all"],
    queryFn: ({ signal }) => data(api.GET("/api/v1/workflows", { params: { query: { limit: pageMax } }, signal })),
  });
}

/** The workflows that people are editing. */
export function useWorkingCopies() {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: keys.workingCopies,
    queryFn: ({ signal }) => data(api.GET("/api/v1/working_copies", { params: { query: { limit: pageMax } }, signal })),
    staleTime: 0,
  });
}

export function useTemplates(enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.templates,
    queryFn: ({ signal }) => data(api.GET("/api/v1/templates", { params: { query: { limit: pageMax } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const getWorkingCopy = (name: string) =>
  data(api.GET("/api/v1/workflows/{name}/working_copy", { params: { path: { name } } }));

/** The content of a working copy; inputs are JSON texts. */
export interface CopyContent {
  yaml: string;
  base: number;
  layout: Record<string, { x: number; y: number }>;
  samples: { name: string; input: string }[];
}

export const putWorkingCopy = (name: string, content: CopyContent, revision: number): Promise<SavedCopy> =>
  data(
    api.PUT("/api/v1/workflows/{name}/working_copy", {
      params: { path: { name } },
      body: {
        ...content,
        samples: content.samples.map((s) => ({ name: s.name, input: jsonOr(s.input) })),
        revision,
      },
    }),
  );

/** A text that is not JSON is kept as a string, so that nothing typed is lost. */
function jsonOr(text: string): Raw {
  try {
    return raw(text);
  } catch {
    return raw(JSON.stringify(text));
  }
}

export const deleteWorkingCopy = (name: string, revision: number) =>
  data(api.DELETE("/api/v1/workflows/{name}/working_copy", { params: { path: { name }, query: { revision } } }));

export function useWorkflowVersions(name: string) {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: [...keys.document("workflows", name), "versions"],
    queryFn: async ({ signal }) => {
      try {
        const found = await data(
          api.GET("/api/v1/workflows/{name}/versions", {
            params: { path: { name }, query: { limit: pageMax } },
            signal,
          }),
        );
        return found.items;
      } catch (error) {
        if (error instanceof ApiError && error.code === "not_found") return [];
        throw error;
      }
    },
  });
}

export const getWorkflowVersion = (name: string, n: number) =>
  data(api.GET("/api/v1/workflows/{name}/versions/{n}", { params: { path: { name, n } } }));

/** The problems of a text. */
export function useValidation(text: string, enabled: boolean) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.validation(text),
    queryFn: ({ signal }) =>
      data(api.POST("/api/v1/workflows/validate", { body: text as never, headers: asYaml, signal })),
    gcTime: 30_000,
    staleTime: 5_000,
  });
}

/** The data along each edge, for a text that is not saved. Nothing runs. */
export function useTextPreview(name: string, yaml: string, input: string, enabled: boolean) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.textPreview(name, yaml, input),
    queryFn: ({ signal }) =>
      data(
        api.POST("/api/v1/workflows/{name}/preview", {
          params: { path: { name } },
          body: { yaml, input: raw(input) },
          signal,
        }),
      ),
    retry: false,
    gcTime: 30_000,
    staleTime: 30_000,
  });
}

/** Saves a text as the next version, which is not published. */
export function useSaveVersion(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: { yaml: string }) =>
      data(
        api.PUT("/api/v1/workflows/{name}", {
          params: { path: { name }, header: attempt(text) },
          body: text.yaml as never,
          headers: asYaml,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.allDocuments }),
  });
}

export function usePublish(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { version: number; note?: string }) =>
      data(api.POST("/api/v1/workflows/{name}/publish", { params: { path: { name }, header: attempt(body) }, body })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.allDocuments }),
  });
}

/** What differs between two versions; null if nothing is published to compare with. */
export function useWorkflowDiff(name: string, from: number | undefined, to: number | undefined) {
  return useQuery({
    enabled: useSeesDefinitions() && to !== undefined,
    queryKey: [...keys.document("workflows", name), "diff", from ?? 0, to ?? 0],
    queryFn: async ({ signal }): Promise<WorkflowDiff | null> => {
      try {
        return await data(
          api.GET("/api/v1/workflows/{name}/diff", { params: { path: { name }, query: { from, to } }, signal }),
        );
      } catch (error) {
        if (error instanceof ApiError && error.code === "not_found") return null;
        throw error;
      }
    },
  });
}

/** Saves an agent, or a workflow that another one uses. */
export const putDocument = (kind: "agent" | "workflow", name: string, yaml: string) =>
  kind === "agent"
    ? data(api.PUT("/api/v1/agents/{name}", { params: { path: { name } }, body: yaml as never, headers: asYaml }))
    : data(
        api.PUT("/api/v1/workflows/{name}", {
          params: { path: { name }, query: { publish: true } },
          body: yaml as never,
          headers: asYaml,
        }),
      );
