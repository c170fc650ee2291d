import type { ConsoleMessage, Page, Request, Response } from "playwright-core";
import { withAxe } from "./axe";
import type { Tab } from "./browser";
import { smallTargets } from "./targets";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** The rules that depend on colours, and so on the theme; the others depend on the markup and its layout. */
const colours = ["color-contrast", "link-in-text-block"];

interface Expected {
  what: string;
  fits: (problem: Problem) => boolean;
  happened: boolean;
}

interface Problem {
  kind: "console" | "page" | "answer" | "request" | "host";
  text: string;
  url: string;
  status?: number;
}

/** Waits for animations to finish: half faded in, nothing has its final contrast. Runs in the page. */
export async function atRest(): Promise<void> {
  const longMs = 1000; // a bar that follows the time never stops
  for (const end = performance.now() + longMs; performance.now() < end; ) {
    const moving = document.getAnimations().filter((a) => a.playState === "running" && short(a));
    if (moving.length === 0) return;
    await Promise.allSettled(moving.map((a) => a.finished));
  }
  function short(a: Animation): boolean {
    return Number(a.effect?.getComputedTiming().endTime ?? 0) < longMs;
  }
}

/** What is to be checked. */
interface Task {
  rules: string[];
  /** Whether sizes and places can differ from those that were checked last. */
  layout: boolean;
}

/**
 * The rules to check: none if the same markup, in a window of the same size, was checked last in this theme, those
 * about colours if it was checked in the other one. Numbers may differ: clocks run. Sizes and places are those that were
 * checked last if the markup is the same to the letter, and scrolled to the same place. Runs in the world of axe, which
 * ends with the document.
 */
function tasks(all: string[], colours: string[]): Task {
  const world = globalThis as { checked?: Record<"light" | "dark", string>; laidOut?: string };
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const { outerHTML } = document.documentElement;
  const size = `${innerWidth} ${innerHeight} ${location.href}`;
  const markup = `${size} ${outerHTML.replaceAll(/\d+/g, "0")}`;
  const { light, dark } = world.checked ?? { light: "", dark: "" };
  const others = theme === "light" ? dark : light;
  const own = theme === "light" ? light : dark;
  world.checked = { light: others === markup ? markup : "", dark: others === markup ? markup : "", [theme]: markup };
  const scrolled = [...document.querySelectorAll("*")].map((e) => `${e.scrollLeft} ${e.scrollTop}`);
  const laidOut = `${size} ${scrolled.join()} ${outerHTML}`;
  const layout = laidOut !== world.laidOut;
  world.laidOut = laidOut;
  return { rules: own === markup ? [] : others === markup ? colours : all, layout };
}

/** Watches a page from its first byte, and fails the test on any violation. */
export class Guard {
  private readonly problems: Problem[] = [];
  private readonly expected: Expected[] = [];
  /** Requests may fail: the server is down on purpose. */
  private dark = false;
  private readonly seen = new Set<string>();
  readonly page: Page;

  constructor(
    private readonly tab: Tab,
    private readonly home: string,
    readonly width: number,
    private readonly touch: boolean,
  ) {
    const { page } = tab;
    this.page = page;
    page.on("console", (message) => this.onConsole(message));
    page.on("pageerror", (error) => this.add({ kind: "page", text: error.stack ?? error.message, url: page.url() }));
    page.on("crash", () => this.add({ kind: "page", text: "The page crashed", url: page.url() }));
    page.on("request", (request) => this.onRequest(request));
    page.on("requestfailed", (request) => this.onFailed(request));
    page.on("response", (response) => this.onResponse(response));
  }

  /** This response is required; the test fails without it. */
  expectAnswer(status: number, path: RegExp): void {
    this.expect(`${status} from ${path}`, (p) => p.kind === "answer" && p.status === status && path.test(p.url));
  }

  /** This response is allowed but not required: it depends on a race. */
  mayAnswer(status: number, path: RegExp): void {
    this.expectAnswer(status, path);
    for (const e of this.expected.slice(-1)) e.happened = true;
  }

  /** This message is required. */
  expectConsole(text: RegExp): void {
    this.expect(`${text} in the console`, (p) => p.kind === "console" && text.test(p.text));
  }

  /** While during runs, requests may fail because the server is down. */
  async inTheDark(during: () => Promise<void>): Promise<void> {
    this.dark = true;
    try {
      await during();
    } finally {
      this.dark = false;
    }
  }

  /** Checks the page as it is now: axe, horizontal scrolling, touch targets. */
  async look(): Promise<void> {
    // A page that is just being left for another one has nothing to look at; the next one has.
    for (let tries = 0; ; tries++) {
      try {
        await this.lookOnce();
        return;
      } catch (error) {
        if (tries === 5 || !/context was destroyed|Cannot find context/i.test(String(error))) throw error;
        await this.page.waitForLoadState();
      }
    }
  }

  private async lookOnce(): Promise<void> {
    const where = new URL(this.page.url()).pathname;
    await this.page.evaluate(atRest);
    const { rules: runOnly, layout } = await withAxe<Task>(
      this.tab.cdp,
      `(${tasks})(${JSON.stringify(rules)}, ${JSON.stringify(colours)})`,
    );
    if (runOnly.length > 0) {
      for (const text of await this.violations(runOnly)) this.seen.add(`${where}: ${text}`);
    }
    if (!layout) return;
    const wide = await this.overflow();
    if (wide) this.seen.add(`${where}: ${wide}`);
    if (this.touch) for (const text of await this.page.evaluate(smallTargets)) this.seen.add(`${where}: ${text}`);
  }

  /** All violations since the page was opened. */
  verdict(): string[] {
    return [
      ...this.problems.map((p) => `${p.kind}: ${p.text} (${p.url})`),
      ...this.seen,
      ...this.expected.filter((e) => !e.happened).map((e) => `expected ${e.what}, and it did not come`),
    ];
  }

  /** Starts over, as if the page had just been opened. */
  forget(): void {
    this.problems.length = 0;
    this.expected.length = 0;
    this.seen.clear();
  }

  private expect(what: string, fits: Expected["fits"]): void {
    this.expected.push({ what, fits, happened: false });
  }

  private add(problem: Problem): void {
    const expected = this.expected.find((e) => e.fits(problem));
    if (expected) expected.happened = true;
    else if (!(this.dark && (problem.kind === "request" || problem.kind === "answer"))) this.problems.push(problem);
  }

  private onConsole(message: ConsoleMessage): void {
    const text = message.text();
    // Responses and failed requests are judged separately, in more detail.
    if (text.startsWith("Failed to load resource")) return;
    if (message.type() === "error" || /content.security.policy|csp:/i.test(text)) {
      this.add({ kind: "console", text, url: message.location().url || this.page.url() });
    }
  }

  private onRequest(request: Request): void {
    const url = request.url();
    if (!url.startsWith(`${this.home}/`) && !/^(data|blob|about):/.test(url)) {
      this.add({ kind: "host", text: "a request to another host", url });
    }
  }

  private onFailed(request: Request): void {
    const why = request.failure()?.errorText ?? "";
    // Aborted by the page itself, by leaving or by a new request.
    if (why !== "net::ERR_ABORTED") this.add({ kind: "request", text: why, url: request.url() });
  }

  private onResponse(response: Response): void {
    const status = response.status();
    if (status >= 400) {
      const request = response.request();
      this.add({ kind: "answer", text: `${status} to ${request.method()}`, url: response.url(), status });
    }
  }

  /** Phones widen their window rather than scroll, so measure against the requested width. */
  private async overflow(): Promise<string | undefined> {
    return this.page.evaluate((width) => {
      const name = (e: Element) => `${e.tagName.toLowerCase()} “${(e.textContent ?? "").trim().slice(0, 40)}”`;
      const beyond = (edge: number, inside: Element) =>
        [...inside.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > edge + 1).slice(0, 3);
      const root = document.documentElement;
      if (root.scrollWidth > width) {
        const who = beyond(width, document.body).map(name).join(", ");
        return `scrolls sideways: ${root.scrollWidth} px of content in ${width} px (${who})`;
      }
      // The shell fills the window, and pages scroll within it: below it would be a blank screen without navigation.
      if (root.scrollHeight > innerHeight + 1) {
        return `leads below the shell: ${root.scrollHeight} px of document in a window of ${innerHeight} px`;
      }
      // An element that scrolls down but hides its sides would cut content off unseen.
      for (const e of document.querySelectorAll("main, main *")) {
        const { overflowX, overflowY } = getComputedStyle(e);
        if (overflowX !== "hidden" || (overflowY !== "auto" && overflowY !== "scroll")) continue;
        if (e.scrollWidth <= e.clientWidth) continue;
        const who = beyond(e.getBoundingClientRect().right, e).map(name).join(", ");
        return `cuts content off at the right: ${e.scrollWidth} px in ${e.clientWidth} px (${who})`;
      }
      return undefined;
    }, this.width);
  }

  /** axe's violations of these rules. */
  private violations(runOnly: string[]): Promise<string[]> {
    return withAxe(
      this.tab.cdp,
      `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, iframes: false, resultTypes: ["violations"] })
        .then(({ violations }) => violations.flatMap((v) => v.nodes.map((n) =>
          "axe " + v.id + ": " + n.failureSummary.split("\\n").slice(1).join(" ").trim() + " at " + n.target.join(" ") + " " + n.html.slice(0, 160))))`,
    );
  }
}
