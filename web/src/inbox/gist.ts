import type { Approval } from "../api/types";
import { Scanner } from "../json/scan";
import { format } from "../words";
import { spelled } from "../words/unseen";

/** A value that distinguishes a row from others with the same title. */
export interface Gist {
  label: string;
  /** In full. */
  text: string;
  /** As much as fits in a row. */
  short: string;
}

/** Longer titles need a third line on a phone, which leaves none for the requester. */
export const longTitle = 70;

const valuesMax = 2;
const shortMax = 32;
const jsonMax = 4000; // longer ones take time to parse, and there are many rows

/** The subject; else the first texts and numbers of the supporting data or the proposal, digits as received. */
export function gistOf({ title, subject, show, proposed, action, kind }: Approval): Gist[] {
  if (subject) {
    const rest = subject.split(" · ").filter((part) => !title.includes(part));
    return rest.length === 0 ? [] : [{ label: "About", text: subject, short: shorten(rest.join(" · "), 64) }];
  }
  // Tool calls and questions have it in their titles.
  const json = (show ?? (kind === "approval" && action.type !== "tool_call" ? proposed : null))?.$json ?? "";
  // A placeholder for a large value ({"$blob": …}) says nothing useful.
  if (!json.startsWith("{") || json.startsWith('{"$') || json.length > jsonMax) return [];
  const found: Gist[] = [];
  // Not as a tree (json/tree.ts): the inbox would have to load that before its first row.
  const scanner = new Scanner(json);
  scanner.object((keyText) => {
    const value = scanner.skip();
    const text = /^-?\d/.test(value) ? value : value.startsWith('"') ? (JSON.parse(value) as string).trim() : "";
    if (text === "" || found.length === valuesMax) return;
    found.push({ label: format.title(JSON.parse(keyText)), text, short: shorten(text) });
  });
  return found;
}

/** The title and its distinguishing values, for places with space for text only. */
export function titleText(a: Approval): string {
  return spelled(
    [a.alike ? `${a.alike.count} × ${a.title}` : a.title, ...gistOf(a).map(({ short }) => short)].join(" · "),
  );
}

/** As much as fits, cut between words unless the last one is long. */
function shorten(text: string, max = shortMax): string {
  const signs = [...text.slice(0, 4 * max).replaceAll(/\s+/g, " ")];
  if (signs.length <= max) return signs.join("");
  const space = signs.lastIndexOf(" ", max);
  return `${signs
    .slice(0, space > max / 2 ? space : max)
    .join("")
    .trimEnd()}…`;
}
