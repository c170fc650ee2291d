import type { CDPSession, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU time in µs. */
  tdur?: number;
}

let last = 0;

/** The work of a page's main thread, from Chromium's traces. */
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

  /** Stops, and returns the CPU time of the longest task: other load on the machine does not count. */
  async longestTaskMs(): Promise<number> {
    return (await this.tasks()).longestMs;
  }

  /** Stops, and returns the CPU time of the longest task and of all. */
  async tasks(): Promise<{ longestMs: number; allMs: number }> {
    // The trace also contains other pages of the same browser: a mark distinguishes them.
    const mark = `work ${++last} ${process.pid}`;
    await this.page.evaluate((name) => void performance.mark(name), mark);
    const complete = new Promise((done) => this.cdp.once("Tracing.tracingComplete", done));
    await this.cdp.send("Tracing.end");
    await complete;
    await this.cdp.detach();
    const own = this.events.find((e) => e.name === mark);
    if (!own) throw new Error("The browser's record knows nothing of the page.");
    // A task still running when the trace stopped has no end.
    const tasks = this.events.flatMap((e) =>
      e.name === "RunTask" && e.pid === own.pid && e.tid === own.tid && e.tdur ? [e.tdur] : [],
    );
    if (tasks.length < 20) throw new Error(`The browser's record has only ${tasks.length} tasks.`);
    const allMs = Math.round(tasks.reduce((sum, task) => sum + task, 0) / 1000);
    return { longestMs: Math.round(Math.max(...tasks) / 1000), allMs };
  }
}
