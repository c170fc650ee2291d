import type { Approval } from "../api/types";
import { Scanner } from "../json/scan";
import { format } from "../words";
import { spelled } from "../words/unseen";

/** A value that tells a row from others of the same title. */
export interface Gist {
  label: string;
  /** All of it. */
  text: string;
  /** As much as a row has room for. */
  short: string;
}

/** Longer titles need a third line on a phone, which leaves none for who asks. */
export const longTitle = 70;

const valuesMax = 2;
const shortMax = 32;
const jsonMax = 4000; // longer ones take time to read, and there are many rows

/** The subject; else the first texts and numbers of what the workflow shows or what is proposed, digits as they came. */
export function gistOf({ title, subject, show, proposed, action, kind }: Approval): Gist[] {
  if (subject) return title.includes(subject) ? [] : [{ label: "About", text: subject, short: shorten(subject, 64) }];
  // Calls of tools and questions say it in their titles.
  const json = (show ?? (kind === "approval" && action.type !== "tool_call" ? proposed : null))?.$json ?? "";
  // A stand-in for something large ({"$blob": …}) has nothing to tell.
  if (!json.startsWith("{") || json.startsWith('{"$') || json.length > jsonMax) return [];
  const found: Gist[] = [];
  // Not as a tree (json/tree.ts): the inbox would have to load it before its first row.
  const scanner = new Scanner(json);
  scanner.object((keyText) => {
    const value = scanner.skip();
    const text = /^-?\d/.test(value) ? value : value.startsWith('"') ? (JSON.parse(value) as string).trim() : "";
    if (text === "" || found.length === valuesMax) return;
    found.push({ label: format.title(JSON.parse(keyText)), text, short: shorten(text) });
  });
  return found;
}

/** The title and what tells it from others, where there is only room for words. */
export function titleText(a: Approval): string {
  return spelled(
    [a.alike ? `${a.alike.count} × ${a.title}` : a.title, ...gistOf(a).map(({ short }) => short)].join(" · "),
  );
}

function shorten(text: string, max = shortMax): string {
  const signs = [...text.slice(0, 4 * max).replaceAll(/\s+/g, " ")];
  return signs.length > max ? `${signs.slice(0, max).join("").trimEnd()}…` : signs.join("");
}
