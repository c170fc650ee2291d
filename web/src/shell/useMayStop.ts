import { useMe } from "../api/documents";

/** Whether the user is known to be allowed to use the emergency stop. */
export function useMayStop(): boolean {
  return useMe().data?.permissions.includes("admin") ?? false;
}
