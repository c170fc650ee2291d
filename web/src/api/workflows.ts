import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { plain, type Raw, raw } from "../json";
import { api, attempt, data, replaces } from "./client";
import { useMay, useSeesDefinitions } from "./documents";
import { ApiError } from "./error";
import { everyPage } from "./every";
import { keys } from "./queries";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type WorkingCopy = Schemas["WorkingCopy"];
export type Template = Schemas["Template"];
export type WorkflowPreview = Schemas["WorkflowPreview"];
export type WorkflowDiff = Schemas["WorkflowDiff"];
export type SavedCopy = Schemas["SavedCopy"];

const asYaml = { "Content-Type": "application/yaml" };

/** Published workflows and drafts saved after them. */
export function useAllWorkflows() {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: [...keys.documents("workflows"), "all"],
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/workflows", { params: { query }, signal }))),
  });
}

/** The workflows that people are editing. */
export function useWorkingCopies() {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: keys.workingCopies,
    queryFn: ({ signal }) =>
      everyPage((query) => data(api.GET("/api/v1/working_copies", { params: { query }, signal }))),
    staleTime: 0,
  });
}

export function useTemplates(enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.templates,
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/templates", { params: { query }, signal }))),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The working copy of a workflow, if there is one. */
export async function findWorkingCopy(name: string): Promise<WorkingCopy | undefined> {
  const found = await data(api.GET("/api/v1/working_copies", { params: { query: { name, limit: 1 } } }));
  return found.items[0];
}

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

/** All versions of a workflow, newest first. */
export const everyVersion = async (name: string, signal?: AbortSignal) =>
  (
    await everyPage((query) =>
      data(api.GET("/api/v1/workflows/{name}/versions", { params: { path: { name }, query }, signal })),
    )
  ).items;

/** All versions, newest first; none of a workflow that was never saved as one. */
export function useWorkflowVersions(name: string) {
  const { data: all } = useAllWorkflows();
  const saved = all?.items.some((d) => d.name === name);
  return useQuery({
    enabled: all !== undefined,
    queryKey: [...keys.document("workflows", name), "versions", saved],
    queryFn: async ({ signal }) => (saved ? everyVersion(name, signal) : []),
  });
}

export const getWorkflowVersion = (name: string, n: number) =>
  data(api.GET("/api/v1/workflows/{name}/versions/{n}", { params: { path: { name, n } } }));

/** The problems of a text. */
export function useValidation(text: string, enabled: boolean) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.validation(text),
    queryFn: () => data(api.POST("/api/v1/workflows/validate", { body: text as never, headers: asYaml })),
    // Nothing can be published without its answer.
    refetchInterval: (query) => (query.state.status === "error" ? 5_000 : false),
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

/** The notes that versions were published with, for those who may read the audit log. The newest of each. */
export function usePublishNotes(name: string) {
  const may = useMay();
  return useQuery({
    enabled: may("audit"),
    queryKey: [...keys.document("workflows", name), "notes"],
    queryFn: async ({ signal }) => {
      const query = {
        action: "definition.published",
        target: `workflow/${name}`,
        outcome: "done" as const,
        limit: 100,
      };
      const found = await data(api.GET("/api/v1/audit", { params: { query }, signal }));
      const notes = new Map<number, string>();
      for (const entry of found.items) {
        const version = plain<{ version?: number }>(entry.detail)?.version;
        const note = entry.values?.note ? plain<unknown>(entry.values.note as Raw) : undefined;
        if (version !== undefined && typeof note === "string" && !notes.has(version)) notes.set(version, note);
      }
      return notes;
    },
    structuralSharing: false,
  });
}

/** What differs between two versions. */
export function useWorkflowDiff(name: string, from: number | undefined, to: number | undefined) {
  return useQuery({
    enabled: useSeesDefinitions() && from !== undefined && to !== undefined,
    queryKey: [...keys.document("workflows", name), "diff", from ?? 0, to ?? 0],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/workflows/{name}/diff", { params: { path: { name }, query: { from, to } }, signal })),
  });
}

/** Creates an agent, or a workflow that another one uses. One that exists already stays as it is. */
export async function putDocument(kind: "agent" | "workflow", name: string, yaml: string): Promise<void> {
  const options = { body: yaml as never, headers: { ...asYaml, ...replaces(0) } };
  try {
    if (kind === "agent") await data(api.PUT("/api/v1/agents/{name}", { params: { path: { name } }, ...options }));
    else
      await data(
        api.PUT("/api/v1/workflows/{name}", { params: { path: { name }, query: { publish: true } }, ...options }),
      );
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "version_mismatch")) throw error;
  }
}
