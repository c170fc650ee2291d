import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { Profile, type Wish } from "./browser";
import { Guard } from "./guard";
import { Person, patienceMs, until } from "./person";
import { Server, type ServerOptions } from "./server";
import { type View, views } from "./views";

export const shots = fileURLToPath(new URL("../shots/", import.meta.url));
export interface Opening {
  as?: Person;
  view?: View;
  theme?: "light" | "dark";
  /** In the same browser profile as that page: another tab of the same user. */
  beside?: Page;
  /** Signed out, so the server responds with 401 until the user signs in. */
  unknown?: boolean;
  /** Enables animations; off by default, which is faster. */
  motion?: boolean;
  /** In a browser with windows, which alone shows notifications of the system; off by default, which is faster. */
  whole?: boolean;
  /** Whether decisions are held for five seconds, as they are for users; tests don't wait for that by default. */
  undo?: boolean;
  /** Whether new users are shown around, as they are outside of tests. */
  tour?: boolean;
}

/** A browser test; skipped if there is no browser. */
export const story = it.skipIf(inject("browser") === "");

/** A server for the tests of a file, and pages in the browser. Every page that a test opens is guarded until its end. */
export function stage(options: ServerOptions = {}) {
  let server: Server;
  const guards = new Map<Page, Guard>();
  /** The profiles of this story, by user, view and theme. */
  const profiles = new Map<string, Promise<Profile>>();
  const person = (name: string, ...roles: string[]) => new Person(() => server, name, roles);

  beforeAll(async () => {
    if (inject("browser") !== "") server = await Server.start(options);
  });
  afterAll(async () => {
    await server?.stop();
  });
  afterEach(async ({ task }) => {
    const failed = task.result?.state === "fail";
    const verdicts: string[] = [];
    for (const [page, guard] of guards) {
      if (page.isClosed()) continue;
      if (failed) {
        mkdirSync(`${shots}failed`, { recursive: true });
        const name = `${task.name} ${page.url()}`.replaceAll(/[^a-zA-Z0-9]+/g, "-").slice(0, 150);
        await page.screenshot({ path: `${shots}failed/${name}.png` }).catch(() => {});
      } else await guard.look();
      verdicts.push(...guard.verdict());
    }
    const used = await Promise.all(profiles.values());
    await Promise.all(used.map((profile) => profile.release(server.url, !failed && verdicts.length === 0)));
    guards.clear();
    profiles.clear();
    expect(verdicts, "what the guards saw").toEqual([]);
  });

  const open = async (
    path: string,
    { as, view = "desktop", theme = "light", beside, motion = false, whole = false, unknown, ...rest }: Opening = {},
  ) => {
    const profile = beside ? Profile.of(beside) : await profileOf({ view, motion, whole }, as, theme);
    const tab = await profile.tab(server.url);
    const { page } = tab;
    await tab.begin(theme, { undo: rest.undo ?? false, tour: rest.tour ?? false });
    const guard = new Guard(tab, server.url, views[view].viewport.width, view === "phone");
    if (unknown) guard.mayAnswer(401, /\/api\/v1\//);
    guards.set(page, guard);
    await page.goto(server.url + path);
    await settled(page);
    return page;
  };
  const profileOf = (wish: Wish, as: Person | undefined, theme: "light" | "dark") => {
    const user = JSON.stringify([as?.headers, wish, theme]);
    const found = profiles.get(user) ?? Profile.take(wish, user, as?.headers ?? {});
    profiles.set(user, found);
    return found;
  };
  const guard = (page: Page): Guard => {
    const found = guards.get(page);
    if (!found) throw new Error("This page was not opened by the stage.");
    return found;
  };

  return {
    get server() {
      return server;
    },
    person,
    /** The local administrator, as without a sign-in. */
    admin: person("admin", "admin"),
    open,
    guard,
    /** Checks the page now, in the middle of a test. */
    look: (page: Page) => guard(page).look(),
  };
}

/** Waits until the page has finished loading, as users do before they act. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector("h1") && !document.querySelector('[aria-label="Loading"], [aria-busy="true"]'),
  );
}

/**
 * What the page would show for five seconds stays: decisions that are held, and notices. A busy machine needs longer
 * than that to look at them and to press a button.
 */
export async function patiently(page: Page, during: () => Promise<void>): Promise<void> {
  const be = (patient: boolean) => page.evaluate((on) => void Object.assign(window, { patient: on }), patient);
  await be(true);
  await during();
  await be(false);
}

/** Presses a key by itself, as users do after a look at the content. It may be ignored. */
export async function pressAlone(page: Page, key = "a"): Promise<void> {
  await page.waitForTimeout(600);
  await page.keyboard.press(key);
}

/** Refusals of a page that has only just shown what is decided, on a busy machine: users press the key again. */
const tooEarly = /only just appeared|Something else appeared|at the same moment/;

/** Presses a deciding key, by itself, until the page takes it for a decision. */
export async function decideByKey(page: Page, press = () => page.keyboard.press("a")): Promise<void> {
  for (const end = Date.now() + patienceMs; ; ) {
    await page.waitForTimeout(600);
    const since = await page.evaluate(() => performance.now());
    await press();
    const answer = await page.waitForFunction((since) => {
      const marks = performance.getEntriesByName("assent.key") as PerformanceMark[];
      return marks.find((mark) => mark.startTime >= since)?.detail as string | undefined;
    }, since);
    const said = await answer.jsonValue();
    if (said === "decided") return;
    if (!tooEarly.test(said ?? "") || Date.now() > end) throw new Error(`The key decided nothing. ${said}`);
  }
}

/** Waits until it has the focus: what is typed before goes elsewhere. */
export const focused = (what: Locator) =>
  until(`${what} to have the focus`, () => what.first().evaluate((e) => e === document.activeElement));

/** Waits until it has stopped moving. */
export async function still(what: Locator): Promise<void> {
  const place = async () => JSON.stringify(await what.first().boundingBox());
  let last = "";
  await until(`${what} to stand still`, async () => {
    const before = last;
    last = await place();
    if (last !== before) await new Promise((resolve) => setTimeout(resolve, 200));
    return last === before;
  });
}

/** Waits until the answer is this one; fails with the last answer. */
export async function becomes<T>(ask: () => Promise<T>, wanted: T, what = "the answer"): Promise<void> {
  let last: T | undefined;
  await until(what, async () => {
    last = await ask();
    return isDeepStrictEqual(last, wanted);
  }).catch(() => {});
  expect(last, what).toEqual(wanted);
}

/** Waits until it is visible. */
export const see = (what: Locator) => what.first().waitFor({ state: "visible" });
/** Waits until it is gone. */
export const gone = (what: Locator) => what.first().waitFor({ state: "hidden" });

/** Waits until its text matches. */
export async function says(what: Locator, text: RegExp | string): Promise<void> {
  let last = "";
  await until(
    `“${text}”`,
    async () => {
      last = (await what.first().textContent()) ?? "";
      return typeof text === "string" ? last.includes(text) : text.test(last);
    },
    patienceMs,
  ).catch((error: Error) => {
    throw new Error(`${error.message} It says: ${last}`);
  });
}

/** Waits until the URL matches. The page of the URL before it may still be shown for a moment. */
export const leadsTo = (page: Page, address: RegExp) =>
  page.waitForURL((url) => address.test(url.pathname + url.search));
