import { useMutation, useQuery } from "@tanstack/react-query";
import { newKey } from "./client";
import { problemOf, unreachable } from "./error";
import { keys } from "./queries";
import type { components } from "./schema";
import type { Me } from "./types";

/** Sign-in methods of this server; needed is false in local mode. */
export type SignInWays = components["schemas"]["SignInWays"];

async function send<T>(method: "GET" | "POST", path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method,
    signal,
    ...(body === undefined
      ? {}
      : {
          headers: { "Content-Type": "application/json", "Idempotency-Key": newKey() },
          body: JSON.stringify(body),
        }),
  }).catch(() => Promise.reject(unreachable()));
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

export function useSignInWays() {
  return useQuery({
    queryKey: keys.signIn,
    queryFn: ({ signal }) => send<SignInWays>("GET", "/api/v1/sign-in", undefined, signal),
  });
}

/** Tries a name and a password. Never retried automatically, since attempts are counted. */
export function useSignIn() {
  return useMutation({
    mutationFn: (who: { name: string; password: string }) => send<Me>("POST", "/api/v1/sign-in", who),
    retry: false,
    gcTime: 0, // don't keep the password
  });
}

/** Signs out, here or everywhere. */
export function useSignOut() {
  return useMutation({
    mutationFn: (from: { everywhere: boolean }) =>
      send<components["schemas"]["SignedOut"]>("POST", "/api/v1/sign-out", from),
    retry: false,
  });
}
