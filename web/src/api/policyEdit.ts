import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Raw } from "../json";
import { api, attempt, data, replaces } from "./client";
import { useSeesDefinitions } from "./documents";
import { everyPage } from "./every";
import { keys } from "./queries";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Backtest = Schemas["Backtest"];
export type PastCase = Schemas["Case"];
export type PassedCase = Schemas["Passed"];
export type PolicyRule = Schemas["Rule"];
export type RuleAccuracy = Schemas["Accuracy"];
export type RuleSample = Schemas["Sample"];
export type RuleSuggestion = Schemas["Suggestion"];
export type Verdict = Schemas["Verdict"];
export type ValidationFault = Schemas["ValidationFault"];
export type Version = Schemas["Version"];

/** A case to evaluate. Data is the text of a JSON value. */
export interface TriedCase {
  operation?: string;
  tool?: string;
  workflow?: string;
  agent?: string;
  risk?: Schemas["RiskLevel"];
  confidence?: number;
  data?: Raw;
}

const asYaml = { "Content-Type": "application/yaml" };

/** A value that follows another one once that has not changed for a moment. */
export function useSettledValue<T>(value: T, ms = 300): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** The problems of a policy's text, with their lines. */
export function usePolicyProblems(text: string) {
  return useQuery({
    enabled: useSeesDefinitions() && text.trim() !== "",
    queryKey: [...keys.policy, "problems", text],
    queryFn: ({ signal }) =>
      data(api.POST("/api/v1/policy/validate", { body: text as never, headers: asYaml, signal })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

/** The verdict of a policy on a case, rule by rule. Without a text: the policy in force. */
export function useVerdict(subject: TriedCase, text?: string, enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: [...keys.policy, "verdict", text ?? "", subject],
    queryFn: ({ signal }) =>
      data(
        api.POST("/api/v1/policy/test", {
          body: { subject: subject as never, ...(text === undefined ? {} : { policy: text as never }) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The effect that a policy would have had on past decisions. */
export function useBacktest(text: string, since: string, enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled && text.trim() !== "",
    queryKey: [...keys.policy, "backtest", text, since],
    queryFn: ({ signal }) =>
      data(api.POST("/api/v1/policy/backtest", { body: { policy: text as never, since }, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** All versions of the policy, newest first. */
export function usePolicyVersions(enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: [...keys.policy, "versions"],
    queryFn: ({ signal }) =>
      everyPage((query) => data(api.GET("/api/v1/policy/versions", { params: { query }, signal }))),
  });
}

/** One version; versions are immutable. */
export function usePolicyVersion(n: number | undefined) {
  return useQuery({
    enabled: useSeesDefinitions() && n !== undefined,
    queryKey: [...keys.policy, "version", n ?? 0],
    queryFn: ({ signal }) => data(api.GET("/api/v1/policy/versions/{n}", { params: { path: { n: n ?? 0 } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface Saving {
  text: string;
  draft: boolean;
  /** The reason to publish a policy that would have approved what people rejected. */
  acceptRisk?: string;
  /** The version in force that it replaces; the server refuses to replace another one. */
  over?: number;
}

/** Saves the policy as a draft, or puts it in force. */
export function useSavePolicy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (saving: Saving) =>
      data(
        api.PUT("/api/v1/policy", {
          params: { query: { draft: saving.draft, accept_risk: saving.acceptRisk || undefined } },
          body: saving.text as never,
          headers: {
            ...asYaml,
            ...attempt(saving),
            ...replaces(saving.over),
          },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.policy }),
  });
}

/** Records whether a rule was right. */
export function useReviewSample() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (review: { id: string; agree: boolean; comment?: string }) =>
      data(
        api.POST("/api/v1/policy/samples/{id}", {
          params: { path: { id: review.id }, header: attempt(review) },
          body: { agree: review.agree, comment: review.comment || undefined },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: [...keys.policy, "samples"] }),
  });
}
