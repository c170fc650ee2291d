import { NotEditable, type Order, parsed, setAt } from "../yaml/splice";

/** A document as plain values; undefined if the text cannot be read. */
export function readText(text: string): Record<string, unknown> | undefined {
  const doc = parsed(text);
  if (doc.errors.length > 0) return undefined;
  const value: unknown = doc.toJS();
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The text with another value; empty removes it. The rest stays as written, with comments and order. */
export function setText(text: string, path: string[], value: unknown, order: Order): string {
  const isName = path.length === 1 && path[0] === order.keys?.[0];
  const empty = value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  try {
    return setAt(text, path, empty && !isName ? undefined : value, order);
  } catch (error) {
    if (error instanceof NotEditable) return text;
    throw error;
  }
}

/** A number if it is exactly that one; what is being typed stays a text, which the server refuses. */
export const numeric = (written: string): string | number =>
  written.trim() !== "" && String(Number(written)) === written.trim() ? Number(written) : written;

/** "a, b" → the names in it. */
export const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
