import { isStandIn, plain, type Raw } from "../json";

/** The stand-in for a value over 64 KiB. */
export interface Blob {
  size: number;
  preview: string;
}

/** What a payload says about itself, where it is only a stand-in. */
export function blobOf(value: Raw | null | undefined): Blob | undefined {
  if (!value || !isStandIn(value)) return undefined;
  const { size, preview, $blob } = plain<{ $blob?: unknown; size?: unknown; preview?: unknown }>(value) ?? {};
  return typeof $blob === "string" && typeof size === "number" && typeof preview === "string"
    ? { size, preview }
    : undefined;
}
