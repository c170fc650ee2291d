// Payloads (proposals, tool arguments, approved values) are kept as the received text, never as JavaScript numbers:
// 9007199254740993 and 0.10 must be shown and sent back unchanged.

/** A JSON value as its text. A plain object, so that the query cache and other tabs can copy and compare it. */
export type Raw = { readonly $json: string };

/** A payload with this text. Throws a SyntaxError if the text is not JSON. */
export function raw(text: string): Raw {
  JSON.parse(text);
  return { $json: text.trim() };
}

/** A payload from a JavaScript value, for values that we create ourselves. */
export function rawOf(value: unknown): Raw {
  return { $json: stringify(value) };
}

export function isRaw(value: unknown): value is Raw {
  return (
    typeof value === "object" &&
    value !== null &&
    "$json" in value &&
    typeof value.$json === "string" &&
    Object.keys(value).length === 1
  );
}

/** Whether a payload is only a placeholder for a value over 64 KiB, with its size and its beginning. */
export function isStandIn(value: Raw | null | undefined): boolean {
  const text = value?.$json ?? "";
  return text.startsWith('{"$blob"') && text.length <= 20_000;
}

/** The value for logic (schemas, event data). Numbers may lose digits: never show or send it. */
export function plain<T = unknown>(value: Raw | null | undefined): T | null {
  return value ? (JSON.parse(value.$json) as T) : null;
}

/** The text of a payload; JSON null is "null". */
export function textOf(value: Raw | null | undefined): string {
  return value ? value.$json : "null";
}

/** JSON.stringify that inserts payloads verbatim. */
export function stringify(value: unknown): string {
  if (isRaw(value)) return value.$json;
  if (Array.isArray(value)) return `[${value.map((v) => stringify(v ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, v]) => v !== undefined);
    return `{${members.map(([k, v]) => `${JSON.stringify(k)}:${stringify(v)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
