/** All addresses of pages; `$id` stands for what the page is about. `pages.tsx` says what is there. */
export type PlainPlace =
  | "/"
  | "/inbox"
  | "/approvals"
  | "/history"
  | "/runs"
  | "/deliverables"
  | "/insights"
  | "/sign-in";
export type PlaceOfOne = "/approvals/$id" | "/runs/$id" | "/runs/$id/replay";
export type Place = PlainPlace | PlaceOfOne;

/** What stands behind "?" in an address, as text; pages read what they know and leave the rest. */
export type Search = Record<string, string | undefined>;

export interface Address {
  href: string;
  path: string;
  search: Search;
}

/** Where a link leads. Without a place, to other search on the same page. */
export type Target = { search?: Search | ((before: Search) => Search) } & (
  | { to?: PlainPlace }
  | { to: PlaceOfOne; params: { id: string } }
);

/** Reads an address within the application, such as "/runs?status=failed". */
export function addressOf(href: string): Address {
  const { pathname, search, hash } = new URL(href, "http://here.invalid");
  return { href: pathname + search + hash, path: pathname, search: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a target, seen from another one. */
export function hrefOf(target: Target, here: Address): string {
  let path: string = target.to ?? here.path;
  if ("params" in target) path = path.replace("$id", encodeURIComponent(target.params.id));
  const search = typeof target.search === "function" ? target.search(here.search) : (target.search ?? {});
  const text = new URLSearchParams(
    Object.entries(search).filter((pair): pair is [string, string] => Boolean(pair[1])),
  ).toString();
  return text ? `${path}?${text}` : path;
}

/** Which of the places a path is, and the id in it. */
export function placeOf(path: string, places: readonly Place[]): { place: Place; id: string } | undefined {
  const parts = path.replace(/(?!^)\/$/, "").split("/");
  for (const place of places) {
    const wanted = place.split("/");
    if (wanted.length !== parts.length) continue;
    const id = parts[wanted.indexOf("$id")] ?? "";
    if (wanted.every((part, i) => part === parts[i] || (part === "$id" && parts[i] !== "")))
      return { place, id: decoded(id) };
  }
  return undefined;
}

/** People type addresses: what is no encoding stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
