import { ApiError } from "../api/error";
import { hintOf } from "./ErrorNote";

const faultsMax = 2;

/** Why something failed, in sentences: what happened, in which fields, and what to do. */
export function inWords(error: unknown): string {
  if (!(error instanceof ApiError)) return sentence(error instanceof Error ? error.message : String(error));
  const faults = error.errors.slice(0, faultsMax).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return [error.message, ...faults, hintOf(error.hint)].filter(Boolean).map(sentence).join(" ");
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
