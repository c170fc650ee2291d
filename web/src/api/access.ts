import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, attempt, data, replaces } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Account = Schemas["Account"];
export type AccountChange = Schemas["AccountChange"];
export type Role = Schemas["Role"];
export type Token = Schemas["Token"];
export type NewToken = Schemas["NewToken"];
export type StandIn = Schemas["StandIn"];
export type AccessAction = Schemas["AccessAction"];
export type Ability = Schemas["Ability"];
export type Finding = Schemas["Finding"];
export type RoleOrigin = Schemas["RoleOrigin"];

const accounts = ["access", "accounts"] as const;
const tokens = ["access", "tokens"] as const;
const standIns = ["access", "stand-ins"] as const;

/** The people who sign in with a password. */
export function useAccounts(enabled = true) {
  return useQuery({
    enabled,
    queryKey: accounts,
    queryFn: ({ signal }) => data(api.GET("/api/v1/accounts", { signal })),
  });
}

/** Creates or changes an account. What is left out stays as it is. */
export function usePutAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, only, change }: { name: string; only: "create" | "change"; change: AccountChange }) =>
      data(api.PUT("/api/v1/accounts/{name}", { params: { path: { name }, query: { only } }, body: change })),
    onSettled: () => client.invalidateQueries({ queryKey: accounts }),
  });
}

export function useRemoveAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { name: string }) =>
      data(api.DELETE("/api/v1/accounts/{name}", { params: { path: one, header: attempt(one) } })),
    onSettled: () => client.invalidateQueries({ queryKey: ["access"] }),
  });
}

/** The roles in force. */
export function useRoles(enabled = true) {
  return useQuery({
    enabled,
    queryKey: ["access", "roles"],
    queryFn: ({ signal }) => data(api.GET("/api/v1/roles", { signal })),
  });
}

export interface RoleChange {
  name: string;
  description: string;
  permissions: string[];
  /** Undefined: every workflow. */
  workflows?: string[];
  /** Undefined: every kind. */
  kinds?: Role["kinds"];
  canActAs: string[];
  /** Give it back to the holders of a withdrawn role. */
  restore?: boolean;
  /** The version that it replaces, 0 for none; the server refuses to replace another one. */
  over: number;
}

/** Saves a role and puts it in force. */
export function useSaveRole() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (role: RoleChange) =>
      data(
        api.PUT("/api/v1/roles/{name}", {
          params: { path: { name: role.name }, query: { restore: role.restore || undefined } },
          body: {
            role: role.name,
            ...(role.description ? { description: role.description } : {}),
            permissions: role.permissions,
            ...(role.workflows ? { workflows: role.workflows } : {}),
            ...(role.kinds ? { kinds: role.kinds } : {}),
            ...(role.canActAs.length > 0 ? { can_act_as: role.canActAs } : {}),
          } as never,
          headers: { ...attempt(role), ...replaces(role.over) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ["access"] }),
  });
}

/** Withdraws a role: its holders have no permissions from it. */
export function useWithdrawRole() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { name: string; force?: boolean }) =>
      data(
        api.DELETE("/api/v1/roles/{name}", {
          params: { path: { name: one.name }, query: { force: one.force || undefined }, header: attempt(one) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ["access"] }),
  });
}

/** All tokens, without their secrets. */
export function useTokens() {
  return useQuery({ queryKey: tokens, queryFn: ({ signal }) => data(api.GET("/api/v1/tokens", { signal })) });
}

/** Creates a token. The answer is the only one that contains its secret. */
export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: NewToken) => data(api.POST("/api/v1/tokens", { body: token, headers: attempt(token) })),
    onSettled: () => client.invalidateQueries({ queryKey: tokens }),
    gcTime: 0, // the secret is not kept
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { id: string }) =>
      data(api.DELETE("/api/v1/tokens/{id}", { params: { path: one, header: attempt(one) } })),
    onSettled: () => client.invalidateQueries({ queryKey: tokens }),
  });
}

export function useStandIns() {
  return useQuery({
    queryKey: standIns,
    queryFn: ({ signal }) => data(api.GET("/api/v1/people/stand_ins", { signal })),
  });
}

export function useSetStandIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { name: string; to: string; from?: string; until: string }) =>
      data(
        api.PUT("/api/v1/people/{name}/stand_in", {
          params: { path: { name: one.name } },
          body: { to: one.to, from: one.from, until: one.until },
          headers: attempt(one),
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: standIns }),
  });
}

export function useRemoveStandIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { name: string }) =>
      data(api.DELETE("/api/v1/people/{name}/stand_in", { params: { path: one, header: attempt(one) } })),
    onSettled: () => client.invalidateQueries({ queryKey: standIns }),
  });
}

/** Why a person may or may not act on an approval. */
export function useWhy(approval: string, user: string, roles: string[]) {
  return useQuery({
    enabled: approval !== "" && user !== "",
    queryKey: ["access", "why", approval, user, roles],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/approvals/{id}/access", {
          params: { path: { id: approval }, query: { user, roles: roles.length > 0 ? roles : undefined } },
          signal,
        }),
      ),
    retry: false,
  });
}

export interface PermissionsQuery {
  user: string;
  as: Token["kind"];
  roles: string[];
  workflow: string;
  kind: Role["kinds"][number];
  asks: string;
}

/** What a person or program may do in general or in a workflow, and why. */
export function usePermissions(q: PermissionsQuery, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["access", "permissions", q],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/people/{name}/access", {
          params: {
            path: { name: q.user },
            query: {
              as: q.as === "person" ? undefined : q.as,
              roles: q.roles.length > 0 ? q.roles : undefined,
              workflow: q.workflow || undefined,
              kind: q.kind,
              role: q.asks || undefined,
            },
          },
          signal,
        }),
      ),
    retry: false,
  });
}
