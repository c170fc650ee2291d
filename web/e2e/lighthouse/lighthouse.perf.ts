import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg } from "node:os";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumOrReason, chromiumSwitches } from "../harness/chromium";
import { Person } from "../harness/person";
import { Server } from "../harness/server";

// Lighthouse is heavy and is needed here alone, so it has a package of its own: `make lighthouse` installs it.
const installed = existsSync(new URL("node_modules/lighthouse", import.meta.url));
const found = chromiumOrReason();
const least = 95;
/** The median of so many counts: one run may meet other work on the machine. */
const runs = 3;

interface Report {
  lhr: {
    categories: Record<string, { score: number }>;
    audits: Record<string, { numericValue?: number }>;
    environment: { benchmarkIndex: number };
  };
  report: string[];
}

const audits = {
  fcp: "first-contentful-paint",
  lcp: "largest-contentful-paint",
  si: "speed-index",
  tbt: "total-blocking-time",
  cls: "cumulative-layout-shift",
} as const;

/** Scores of 100, times in milliseconds; machine is Lighthouse's own measure of the processor. */
type Figures = Record<"performance" | "accessibility" | keyof typeof audits | "machine", number>;

describe.skipIf(!installed || !("path" in found))("Lighthouse", () => {
  let server: Server;
  let browser: Browser;
  let port = 0;
  const paths: Record<string, string> = {};
  const table: Record<string, Figures> = {};

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
      args: [...chromiumSwitches, `--remote-debugging-port=${port}`],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    process.stdout.write(rowsOf(table));
  });

  for (const page of ["inbox", "approval"]) {
    for (const device of ["desktop", "mobile"] as const) {
      it(`${page} on a ${device}`, async () => {
        const reports: Report[] = [];
        for (let tries = 0; reports.length < runs && tries < 2 * runs; tries++) {
          const report = await measure(server.url + paths[page], port, device);
          if (figures(report).performance > 0) reports.push(report); // else Lighthouse lost sight of the page
        }
        const sorted = reports.sort((a, b) => figures(a).performance - figures(b).performance);
        const median = sorted[Math.floor(sorted.length / 2)];
        if (!median) throw new Error("nothing was measured");
        const [html = "", json = ""] = median.report;
        const shots = new URL("../shots/", import.meta.url);
        mkdirSync(shots, { recursive: true });
        writeFileSync(new URL(`lighthouse-${page}-${device}.html`, shots), html);
        writeFileSync(new URL(`lighthouse-${page}-${device}.json`, shots), json);
        const all = sorted.map(figures);
        table[`${page} ${device}`] = figures(median);
        writeFileSync(new URL("lighthouse.json", shots), `${JSON.stringify(table, undefined, 2)}\n`);
        expect(Math.min(...all.map((f) => f.accessibility)), "accessibility").toBeGreaterThanOrEqual(least);
        const how = `performance, of ${all.map((f) => f.performance)}; load of the machine ${loadavg()[0]?.toFixed(1)}`;
        expect(figures(median).performance, how).toBeGreaterThanOrEqual(least);
      });
    }
  }
});

function figures({ lhr }: Report): Figures {
  const score = (category: string) => Math.round((lhr.categories[category]?.score ?? 0) * 100);
  const value = (audit: string) => lhr.audits[audit]?.numericValue ?? Number.NaN;
  return {
    performance: score("performance"),
    accessibility: score("accessibility"),
    fcp: Math.round(value(audits.fcp)),
    lcp: Math.round(value(audits.lcp)),
    si: Math.round(value(audits.si)),
    tbt: Math.round(value(audits.tbt)),
    cls: Math.round(value(audits.cls) * 1000) / 1000,
    machine: Math.round(lhr.environment.benchmarkIndex),
  };
}

/** A table for people, the medians. */
function rowsOf(table: Record<string, Figures>): string {
  const [first] = Object.values(table);
  if (!first) return "";
  const cells = [["lighthouse", ...Object.keys(first)]];
  for (const [name, figures] of Object.entries(table)) cells.push([name, ...Object.values(figures).map(String)]);
  const wide = Math.max(...cells.map(([name = ""]) => name.length));
  return cells
    .map(([name = "", ...rest]) => `${name.padEnd(wide)}${rest.map((c) => c.padStart(14)).join("")}\n`)
    .join("");
}

async function measure(url: string, port: number, device: "desktop" | "mobile"): Promise<Report> {
  const name = "lighthouse"; // not among the packages of the pages
  const { default: lighthouse, desktopConfig } = await import(/* @vite-ignore */ name);
  // The stream of events never ends, so the network never rests: waiting longer changes nothing.
  const flags = {
    port,
    output: ["html", "json"],
    logLevel: "error",
    maxWaitForLoad: 10_000,
    throttlingMethod: "simulate",
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
