import type { ComponentType } from "react";
import { type Address, addressOf, hrefOf, type Place, placeOf, type Target } from "./address";
import type { History } from "./history";
import { keepScroll, restoreScroll, scrollToTop } from "./scroll";

/** A page, loaded on demand, or a redirect. */
export type Page = { load: () => Promise<ComponentType> } | { leadsTo: (search: Address["search"]) => Target };

/** Shown when there is no page to show. */
export interface Trouble {
  Missing: ComponentType;
  Broken: ComponentType<{ error: unknown; reset: () => void }>;
  Pending: ComponentType;
}

export interface View {
  address: Address;
  /** The id of the page's subject. */
  id: string;
  Shown: ComponentType | undefined;
  error?: unknown;
  /** How to scroll once it is drawn. */
  scroll: "top" | "restore" | "stay";
}

export interface How {
  replace?: boolean;
  /** Keep the scroll position. */
  still?: boolean;
}

/** A page is shown once its code is loaded. One that takes longer than this shows a loading state. */
const patienceMs = 1000;

/** Tracks the current page. It changes once the next one can be drawn, so that no empty page is ever shown. */
export class Router {
  readonly trouble: Trouble;
  view: View;
  readonly #pages: Partial<Record<Place, Page>>;
  readonly #history: History;
  readonly #loaded = new Map<Place, ComponentType>();
  readonly #listeners = new Set<(view: View) => void>();
  #key: string;
  #turn = 0;

  constructor(pages: Partial<Record<Place, Page>>, history: History, trouble: Trouble) {
    this.#pages = pages;
    this.#history = history;
    this.#key = history.key();
    this.trouble = trouble;
    this.view = { address: addressOf(history.href()), id: "", Shown: trouble.Pending, scroll: "restore" };
  }

  /** Notifies of every new view, and follows the browser's back and forward buttons while listening. */
  listen(told: (view: View) => void): () => void {
    const leave = () => keepScroll(this.#key);
    const stop = this.#history.listen(() => void this.#go("restore"));
    addEventListener("pagehide", leave);
    this.#listeners.add(told);
    return () => {
      this.#listeners.delete(told);
      removeEventListener("pagehide", leave);
      stop();
    };
  }

  /** Loads the page at the current URL. */
  load(): Promise<void> {
    return this.#go("restore");
  }

  href(target: Target): string {
    return hrefOf(target, addressOf(this.#history.href()));
  }

  readonly navigate = (target: Target, how?: How): Promise<void> => this.follow(this.href(target), how);

  /** Goes to a URL of the application. */
  follow(href: string, { replace, still }: How = {}): Promise<void> {
    keepScroll(this.#key);
    if (replace || href === this.#history.href()) this.#history.replace(href);
    else this.#history.push(href);
    return this.#go(still ? "stay" : "top");
  }

  /** Prefetches the code of a page that the user is about to open. */
  preload(place: Place): void {
    this.#component(place).catch(() => {}); // opening it retries and reports the error
  }

  /** Called once a view is drawn. */
  drawn({ scroll }: View): void {
    if (scroll === "top") scrollToTop();
    if (scroll === "restore") restoreScroll(this.#key);
  }

  async #go(scroll: View["scroll"]): Promise<void> {
    const turn = ++this.#turn;
    const current = () => turn === this.#turn;
    if (this.#history.key() !== this.#key && scroll === "restore") keepScroll(this.#key);
    this.#key = this.#history.key();
    const address = addressOf(this.#history.href());
    const found = placeOf(address.path, Object.keys(this.#pages) as Place[]);
    const view: View = { address, id: found?.id ?? "", Shown: this.trouble.Missing, scroll };
    if (!found) return this.#show(view);
    const page = this.#pages[found.place];
    if (page && "leadsTo" in page) return this.follow(hrefOf(page.leadsTo(address.search), address), { replace: true });
    const ready = this.#loaded.get(found.place);
    if (ready) return this.#show({ ...view, Shown: ready });
    const slow = setTimeout(() => current() && this.#show({ ...view, Shown: this.trouble.Pending }), patienceMs);
    try {
      const Shown = await this.#component(found.place);
      if (current()) this.#show({ ...view, Shown });
    } catch (error) {
      if (current() && !this.#history.refresh()) this.#show({ ...view, Shown: undefined, error });
    } finally {
      clearTimeout(slow);
    }
  }

  async #component(place: Place): Promise<ComponentType> {
    const page = this.#pages[place];
    if (!page || !("load" in page)) return this.trouble.Missing;
    const known = this.#loaded.get(place);
    if (known) return known;
    const component = await page.load();
    this.#loaded.set(place, component);
    return component;
  }

  #show(view: View): void {
    this.view = view;
    for (const told of this.#listeners) told(view);
  }
}
