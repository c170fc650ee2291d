/** All page URLs; `$id` is the id of the page's subject. `pages.tsx` maps them to pages. */
export type PlainPlace =
  | "/"
  | "/inbox"
  | "/approvals"
  | "/history"
  | "/runs"
  | "/workflows"
  | "/deliverables"
  | "/insights"
  | "/automation"
  | "/suggest"
  | "/agents"
  | "/policy"
  | "/audit"
  | "/people"
  | "/settings"
  | "/settings/notifications"
  | "/deliveries"
  | "/channels"
  | "/sign-in";
export type PlaceOfOne = "/workflows/$id" | "/approvals/$id" | "/runs/$id" | "/runs/$id/replay";
export type Place = PlainPlace | PlaceOfOne;

/** The query string of a URL, as text; pages read the parameters they know and ignore the rest. */
export type Search = Record<string, string | undefined>;

export interface Address {
  href: string;
  path: string;
  search: Search;
}

/** The target of a link. Without a place, another search on the same page. */
export type Target = { search?: Search | ((before: Search) => Search) } & (
  | { to?: PlainPlace }
  | { to: PlaceOfOne; params: { id: string } }
);

/** Parses a URL within the application, such as "/runs?status=failed". */
export function addressOf(href: string): Address {
  const { pathname, search, hash } = new URL(href, "http://here.invalid");
  return { href: pathname + search + hash, path: pathname, search: Object.fromEntries(new URLSearchParams(search)) };
}

/** The URL of a target, relative to another one. */
export function hrefOf(target: Target, here: Address): string {
  let path: string = target.to ?? here.path;
  if ("params" in target) path = path.replace("$id", encodeURIComponent(target.params.id));
  const search = typeof target.search === "function" ? target.search(here.search) : (target.search ?? {});
  const text = new URLSearchParams(
    Object.entries(search).filter((pair): pair is [string, string] => Boolean(pair[1])),
  ).toString();
  return text ? `${path}?${text}` : path;
}

/** The place that matches a path, and the id in it. */
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

/** People type URLs: invalid encodings are taken literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
