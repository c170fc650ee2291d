import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumOrReason } from "../harness/chromium";
import { Person } from "../harness/person";
import { Server } from "../harness/server";

// Lighthouse is heavy and is needed here alone, so it has a package of its own: `make lighthouse` installs it.
const installed = existsSync(new URL("node_modules/lighthouse", import.meta.url));
const found = chromiumOrReason();
const least = 95;

interface Report {
  lhr: {
    categories: Record<string, { score: number }>;
    audits: Record<string, { score: number | null; displayValue?: string; title: string }>;
  };
  report: string;
}

describe.skipIf(!installed || !("path" in found))("Lighthouse", () => {
  let server: Server;
  let browser: Browser;
  let port = 0;
  const paths: Record<string, string> = {};

  beforeAll(async () => {
    server = await Server.start();
    const ann = new Person(() => server, "ann", ["approver"]);
    for (let i = 0; i < 50; i++)
      await ann.asked(
        i % 2 ? "refund" : "note",
        i % 2 ? { customer: `Customer ${i}`, amount: i } : { text: `Note ${i}` },
      );
    paths.inbox = "/inbox";
    paths.approval = `/approvals/${(await ann.asked("refund", { customer: "Iben Dahl", amount: 120 })).id}`;
    port = await freePort();
    browser = await chromium.launch({
      executablePath: "path" in found ? found.path : "",
      args: ["--no-sandbox", `--remote-debugging-port=${port}`],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  for (const page of ["inbox", "approval"]) {
    for (const device of ["desktop", "mobile"] as const) {
      it(`${page} on a ${device}`, async () => {
        // The best of three: other work on the machine can only make it slower. How fast it is on Lighthouse's phone
        // (a slow network, a fourth of this processor) is told, not asserted.
        const tries = device === "desktop" ? 3 : 1;
        let best: Report | undefined;
        for (let n = 0; n < tries && (!best || worst(best) < least); n++) {
          const next = await measure(server.url + paths[page], port, device);
          if (!best || worst(next) > worst(best)) best = next;
        }
        if (!best) throw new Error("nothing was measured");
        mkdirSync(new URL("../shots", import.meta.url), { recursive: true });
        writeFileSync(new URL(`../shots/lighthouse-${page}-${device}.html`, import.meta.url), best.report);
        process.stdout.write(`lighthouse ${page} ${device}: ${JSON.stringify(figures(best))}\n`);
        expect(score(best, "accessibility"), "accessibility").toBeGreaterThanOrEqual(least);
        if (device === "desktop") expect(score(best, "performance"), "performance").toBeGreaterThanOrEqual(least);
      });
    }
  }
});

const score = ({ lhr }: Report, category: string) => Math.round((lhr.categories[category]?.score ?? 0) * 100);
const worst = (report: Report) => Math.min(score(report, "performance"), score(report, "accessibility"));

function figures(report: Report) {
  const value = (audit: string) => report.lhr.audits[audit]?.displayValue?.replaceAll("\u00a0", " ");
  return {
    performance: score(report, "performance"),
    accessibility: score(report, "accessibility"),
    fcp: value("first-contentful-paint"),
    lcp: value("largest-contentful-paint"),
    tbt: value("total-blocking-time"),
    cls: value("cumulative-layout-shift"),
  };
}

async function measure(url: string, port: number, device: "desktop" | "mobile"): Promise<Report> {
  const name = "lighthouse"; // not among the packages of the pages
  const { default: lighthouse, desktopConfig } = await import(/* @vite-ignore */ name);
  // The stream of events never ends, so the network never rests: waiting longer changes nothing.
  const flags = {
    port,
    output: "html",
    logLevel: "error",
    maxWaitForLoad: 10_000,
    onlyCategories: ["performance", "accessibility"],
  };
  return lighthouse(url, flags, device === "desktop" ? desktopConfig : undefined);
}

/** A port that nobody listens on at the moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
