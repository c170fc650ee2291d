import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Disposable,
  type Page,
} from "playwright-core";
import { inject } from "vitest";
import { addAxe } from "./axe";
import { chromiumSwitches } from "./chromium";
import { patienceMs } from "./person";
import { type View, views } from "./views";

const browsers = new Map<string, Promise<Browser>>();
const profiles: Profile[] = [];

/** The Chromium of this worker. It ends when the worker does, and with it the pipe between them. */
function launched(whole: boolean): Promise<Browser> {
  const executablePath = inject(whole ? "wholeBrowser" : "browser");
  const running = browsers.get(executablePath);
  if (running) return running;
  const started = chromium.launch({
    executablePath,
    timeout: patienceMs,
    // The guard reports every request to another host; this keeps it from getting there.
    args: [...chromiumSwitches, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
  });
  browsers.set(executablePath, started);
  return started;
}

/** What the profile of a story is like. */
export interface Wish {
  view: View;
  motion: boolean;
  /** With what only a browser with windows has, such as notifications of the system. */
  whole: boolean;
}

/** Calls that outlast a story: there is no way back from them. */
const lasting = ["addInitScript", "exposeFunction", "exposeBinding", "setExtraHTTPHeaders"];
const lastingInContext = [...lasting, "grantPermissions", "newCDPSession", "setGeolocation", "setOffline", "route"];

/** Events that stories listen to. Playwright listens to others, so those keep their listeners. */
const heard = [
  "console",
  "dialog",
  "domcontentloaded",
  "download",
  "filechooser",
  "framenavigated",
  "load",
  "pageerror",
].concat(["popup", "request", "requestfailed", "requestfinished", "response", "websocket", "worker"]);

/** Reports when one of these methods is called. */
function watch(target: object, names: string[], called: () => void): void {
  const methods = target as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const real = methods[name]?.bind(target);
    if (!real) throw new Error(`There is no ${name} to watch.`);
    methods[name] = (...args) => {
      called();
      return real(...args);
    };
  }
}

/**
 * A browser profile. It has one user in a story and is emptied for the next one, which finds a tab there whose process
 * has compiled the program: that is most of the work of opening a page.
 */
export class Profile {
  private readonly tabs: Tab[] = [];
  private kept: Tab | undefined;
  private user = "";
  private busy = true;
  private unchanged = true;

  private constructor(
    readonly context: BrowserContext,
    private readonly kind: string,
    private readonly motion: boolean,
    private readonly session: (page: Page) => Promise<CDPSession>,
    private readonly setHeaders: (headers: Record<string, string>) => Promise<void>,
  ) {
    watch(context, lastingInContext, () => {
      this.unchanged = false;
    });
  }

  /** An unused, empty profile: the one this user had last, or else any other. */
  static async take(wish: Wish, user: string, headers: Record<string, string>): Promise<Profile> {
    const kind = JSON.stringify(wish);
    const free = profiles.filter((p) => p.kind === kind && !p.busy);
    const profile = free.find((p) => p.user === user) ?? free[0] ?? (await Profile.create(wish, kind));
    Object.assign(profile, { user, busy: true });
    await profile.setHeaders(headers);
    return profile;
  }

  /** The profile of a page. */
  static of(page: Page): Profile {
    const found = profiles.find((p) => p.context === page.context());
    if (!found) throw new Error("This page has no profile.");
    return found;
  }

  private static async create({ view, motion, whole }: Wish, kind: string): Promise<Profile> {
    const context = await (await launched(whole)).newContext({
      ...views[view],
      reducedMotion: motion ? "no-preference" : "reduce",
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      acceptDownloads: true,
    });
    context.setDefaultTimeout(patienceMs);
    const session = context.newCDPSession.bind(context);
    const profile = new Profile(context, kind, motion, session, context.setExtraHTTPHeaders.bind(context));
    profiles.push(profile);
    return profile;
  }

  /** A tab for a story: the one that was kept, with nothing of what earlier stories stored, or another one. */
  async tab(origin: string): Promise<Tab> {
    const { kept } = this;
    this.kept = undefined;
    const tab = kept ?? (await this.newTab());
    if (this.tabs.push(tab) === 1) await tab.forget(origin);
    return tab;
  }

  private async newTab(): Promise<Tab> {
    const page = await this.context.newPage();
    const cdp = await this.session(page);
    await addAxe(cdp);
    return new Tab(page, cdp, this.motion);
  }

  /** Ends the story: keeps its first tab, or nothing at all. */
  async release(origin: string, keep: boolean): Promise<void> {
    const tabs = this.tabs.splice(0).filter(({ page }) => !page.isClosed());
    const [first] = tabs;
    const undone = this.unchanged && tabs.every((tab) => tab.unchanged) && this.context.serviceWorkers().length === 0;
    if (!keep || !undone || !first || !(await first.leave(origin))) {
      profiles.splice(profiles.indexOf(this), 1);
      await this.context.close();
      return;
    }
    await Promise.all(this.context.pages().map((page) => page === first.page || page.close()));
    this.kept = first;
    this.busy = false;
  }
}

/** A page that one story after the other can use. */
export class Tab {
  /** Whether everything that the story did to it can be undone. */
  unchanged = true;
  private readonly size: { width: number; height: number } | null;
  private script: Disposable | undefined;

  constructor(
    readonly page: Page,
    readonly cdp: CDPSession,
    private readonly motion: boolean,
  ) {
    this.size = page.viewportSize();
    watch(page, lasting, () => {
      this.unchanged = false;
    });
  }

  /** Prepares it for a story. */
  async begin(theme: "light" | "dark", settings: { undo: boolean; tour: boolean }): Promise<void> {
    const reducedMotion = this.motion ? "no-preference" : "reduce";
    const asIs = { media: null, forcedColors: null, contrast: null };
    await this.page.emulateMedia({ ...asIs, reducedMotion, colorScheme: theme });
    this.script = await this.page.addInitScript(beforeTheProgram, settings);
    this.unchanged = true;
  }

  /** Clears the data that earlier tests stored in this profile; the program's files stay cached. */
  async forget(origin: string): Promise<void> {
    await this.cdp.send("Storage.clearDataForOrigin", { origin, storageTypes: "cookies,local_storage,indexeddb" });
  }

  /** Undoes what the story did; false if that is impossible, as when the server is down. */
  async leave(origin: string): Promise<boolean> {
    const { page, cdp, size } = this;
    try {
      for (const event of heard) page.removeAllListeners(event);
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await this.script?.dispose();
      await page.goto(`${origin}/icon.svg`); // of the same site, so it stays in its process
      await page.evaluate(() => sessionStorage.clear());
      const { width, height } = page.viewportSize() ?? {};
      if (size && (width !== size.width || height !== size.height)) await page.setViewportSize(size);
      await page.mouse.move(-1, -1);
      await cdp.send("Page.resetNavigationHistory");
      return true;
    } catch {
      return false;
    }
  }
}

/** Runs in the page, before the program. Lets five seconds be minutes while the page is patient. */
function beforeTheProgram({ undo, tour }: { undo: boolean; tour: boolean }): void {
  if (!undo) localStorage.setItem("assent.inbox.undo", "off");
  if (!tour) localStorage.setItem("assent.tour", '["*"]');
  const real = window.setTimeout;
  const patient = (run: TimerHandler, ms?: number, ...rest: unknown[]) =>
    real(run, ms === 5000 && (window as { patient?: boolean }).patient ? 600_000 : ms, ...rest);
  window.setTimeout = patient as typeof real;
}
