import type { Approval } from "../api/types";
import { type Gist, gistOf, longTitle } from "../inbox/gist";
import { envelop } from "../json/envelop";
import { Scanner } from "../json/scan";
import { hasUnseen } from "../words/unseen";
import { element } from "./element";

/** The width that the program's rows leave for titles. */
const columns = "grid grid-cols-[minmax(0,1fr)_9.5rem] gap-x-3 @4xl:grid-cols-[minmax(0,1fr)_104px_140px_52px]";

/**
 * Draws the titles of pending approvals into the placeholders of the first rows: on slow networks they appear long
 * before the program. Looks like inbox/Row.tsx; e2e/first.e2e.ts compares them.
 */
export function drawRows(answer: string, places: NodeListOf<HTMLElement>): void {
  const card = matchMedia("(max-width: 640px)").matches;
  const items = firstItems(answer, places.length);
  for (const [i, text] of items.entries()) {
    const approval = JSON.parse(envelop(text, "Approval")) as Approval;
    const gist = gistOf(approval);
    const place = places[i];
    // Invisible characters have to be marked, which the program does.
    if (!place || hasUnseen(approval.title + gist.map(({ short }) => short).join(""))) continue;
    place.className = card ? "flex h-28" : "@container flex h-16 items-center";
    place.replaceChildren(
      element("span", card ? "w-12" : "w-11"),
      element("span", card ? "min-w-0 flex-1 py-3 pr-4" : `min-w-0 flex-1 pr-3 ${columns}`, [
        element("span", "min-w-0", [
          title(approval.title, gist, card),
          element("span", "block text-small text-muted", ["\u00a0"]),
        ]),
      ]),
    );
  }
  if (items.length > 0) for (const place of [...places].slice(items.length)) place.remove();
}

const enough = new Error("enough");

/** The texts of the first approvals of a list; the rest is not read, which takes a slow phone a while. */
function firstItems(answer: string, count: number): string[] {
  const items: string[] = [];
  const scanner = new Scanner(answer);
  try {
    scanner.object((key) => {
      if (key !== '"items"') return void scanner.skip();
      scanner.array(() => {
        items.push(scanner.skip());
        if (items.length === count) throw enough;
      });
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return items;
}

function title(text: string, gist: Gist[], card: boolean): HTMLElement {
  const lines = card && text.length > longTitle ? "line-clamp-3" : "line-clamp-2";
  return element("span", `${lines} break-words`, [
    element("span", "font-medium", [text]),
    ...gist.map(({ short }) =>
      element("span", "text-muted", [element("span", "", [" · "]), element("bdi", "", [short])]),
    ),
  ]);
}
