import type { CDPSession, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Time of the processor, in µs. */
  tdur?: number;
}

let last = 0;

/** What the main thread of a page does, from Chromium's own records. */
export class Work {
  private readonly events: TraceEvent[] = [];
  private constructor(
    private readonly cdp: CDPSession,
    private readonly page: Page,
  ) {
    cdp.on("Tracing.dataCollected", ({ value }) => void this.events.push(...(value as unknown as TraceEvent[])));
  }

  static async of(page: Page): Promise<Work> {
    const cdp = await page.context().browser()?.newBrowserCDPSession();
    if (!cdp) throw new Error("The page has no browser.");
    const work = new Work(cdp, page);
    await cdp.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: {
        includedCategories: ["disabled-by-default-devtools.timeline", "blink.user_timing"],
        excludedCategories: ["*"],
      },
    });
    return work;
  }

  /** Ends it; how long the longest task had the processor: what else the machine does does not count. */
  async longestTaskMs(): Promise<number> {
    // Other pages of the same browser are on record as well: a mark tells them apart.
    const mark = `work ${++last} ${process.pid}`;
    await this.page.evaluate((name) => void performance.mark(name), mark);
    const complete = new Promise((done) => this.cdp.once("Tracing.tracingComplete", done));
    await this.cdp.send("Tracing.end");
    await complete;
    await this.cdp.detach();
    const own = this.events.find((e) => e.name === mark);
    if (!own) throw new Error("The browser's record knows nothing of the page.");
    // The one that was at work when the record ended has no end.
    const tasks = this.events.flatMap((e) =>
      e.name === "RunTask" && e.pid === own.pid && e.tid === own.tid && e.tdur ? [e.tdur] : [],
    );
    if (tasks.length < 20) throw new Error(`The browser's record has only ${tasks.length} tasks.`);
    return Math.round(Math.max(...tasks) / 1000);
  }
}
