import { isStandIn, plain, type Raw } from "../json";

/** The placeholder for a value over 64 KiB. */
export interface Blob {
  size: number;
  preview: string;
}

/** The description of a payload that is only a placeholder. */
export function blobOf(value: Raw | null | undefined): Blob | undefined {
  if (!value || !isStandIn(value)) return undefined;
  const { size, preview, $blob } = plain<{ $blob?: unknown; size?: unknown; preview?: unknown }>(value) ?? {};
  return typeof $blob === "string" && typeof size === "number" && typeof preview === "string"
    ? { size, preview }
    : undefined;
}
