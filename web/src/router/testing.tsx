import type { ComponentType } from "react";
import type { Place } from "./address";
import { memoryHistory } from "./history";
import { type Page, Router } from "./router";

/** A router without a browser: components by place. Other URLs exist and show their name. */
export function routerAt(href: string, pages: Partial<Record<Place, ComponentType>>, others: Place[] = []) {
  const all: Partial<Record<Place, Page>> = {};
  for (const place of others) all[place] = { load: async () => () => <h1>{place}</h1> };
  for (const [place, Shown] of Object.entries(pages)) all[place as Place] = { load: async () => Shown };
  const history = memoryHistory(href);
  const router = new Router(all, history, {
    Missing: () => <p>elsewhere</p>,
    Broken: ({ error }) => <p role="alert">{String(error)}</p>,
    Pending: () => null,
  });
  void router.load();
  return { router, history };
}
