import type { Approval, Event, Run, Step } from "../api/types";
import { plain } from "../json";
import { format } from "../words";
import { settledBy, waitedFor } from "./plan";

/** A span of time in a row: an agent working, or a wait for people. */
export interface Span {
  kind: "work" | "wait";
  from: number;
  to: number;
  /** For work: how the attempt ended. */
  end?: "done" | "failed" | "running" | "cancelled";
  /** For waits: the people waited for. */
  who?: string;
  /** Full details, for tooltips. */
  title: string;
}

/** Its duration and, for waits, the people. */
export function nameOf(span: Span): string {
  const long = format.duration(span.to - span.from);
  return span.who ? `${span.who}, ${long}` : long;
}

export interface Row {
  id: string;
  label: string;
  /** The step; undefined for approvals before the start or at the end. */
  step?: Step;
  /** Whether it is waiting for people now. */
  waits: boolean;
  spans: Span[];
  /** Its position in a chain of steps that lead only to each other, as in a parallel branch. */
  branch?: "first" | "inner" | "last";
}

export interface Spans {
  from: number;
  to: number;
  rows: Row[];
}

/** The rows of the timeline by start time, with branches kept together. */
export function spansOf(run: Run, approvals: Approval[], events: Event[] | undefined, now: number): Spans {
  const from = Date.parse(run.started_at);
  const to = Math.max(from + 1, run.ended_at ? Date.parse(run.ended_at) : now);
  const tries = triesOf(events ?? []);
  const within = childWaits(events ?? [], run, to);
  const asked = approvals.filter((a) => a.status !== "auto_approved");
  const rows: Row[] = [];
  for (const step of run.steps) {
    const own = asked.filter((a) => a.step === step.id);
    const waits = [...waitsOf(own, to), ...(within.get(step.id) ?? [])];
    const work = step.kind === "human" ? [] : workOf(step, tries.get(step.id) ?? [], waits, to);
    const now = run.ended_at === null && waits.some((wait) => isOn(wait, to));
    if (work.length + waits.length > 0)
      rows.push({ id: step.id, label: format.title(step.id), step, waits: now, spans: [...work, ...waits] });
  }
  for (const approval of asked.filter((a) => !run.steps.some((s) => s.id === a.step)))
    rows.push({ id: `gate ${approval.id}`, label: approval.title, waits: false, spans: waitsOf([approval], to) });
  rows.sort((a, b) => begin(a) - begin(b));
  return { from, to, rows: byBranch(rows) };
}

/** Each row followed by its only successor, as long as there is exactly one. */
function byBranch(rows: Row[]): Row[] {
  const shown = new Map(rows.map((row) => [row.id, row]));
  const needs = (row: Row) => row.step?.needs.filter((need) => shown.has(need)) ?? [];
  const followers = new Map<string, Row[]>();
  for (const row of rows) for (const need of needs(row)) followers.set(need, [...(followers.get(need) ?? []), row]);
  const next = (row: Row) => {
    const [only, ...others] = followers.get(row.id) ?? [];
    return only && others.length === 0 && needs(only).length === 1 ? only : undefined;
  };
  const parallel = rows.some((row) => (followers.get(row.id) ?? []).length > 1 || needs(row).length > 1);
  if (!parallel) return rows;
  const led = new Set(rows.flatMap((row) => next(row)?.id ?? []));
  return rows
    .filter((row) => !led.has(row.id))
    .flatMap((first) => {
      const chain = [first];
      for (let row = next(first); row; row = next(row)) chain.push(row);
      const place = (i: number) => (i === 0 ? "first" : i === chain.length - 1 ? "last" : "inner");
      return chain.map((row, i) => (chain.length > 1 ? { ...row, branch: place(i) } : row));
    });
}

function begin(row: Row): number {
  return Math.min(...row.spans.map((s) => s.from));
}

interface Attempt {
  try: number;
  from: number;
  to?: number;
  failed?: string;
}

/** The attempts of each step, from the events. Elements of a map overlap, so a map has none. */
function triesOf(events: Event[]): Map<string, Attempt[]> {
  const out = new Map<string, Attempt[]>();
  const maps = new Set<string>();
  for (const event of events) {
    if (!event.type.startsWith("step.")) continue;
    const data = plain<{ step?: string; index?: number; try?: number; error?: { message?: string } }>(event.data);
    const step = data?.step;
    if (!step) continue;
    if (data.index !== undefined || event.type === "step.expanded") maps.add(step);
    const list = out.get(step) ?? [];
    out.set(step, list);
    const at = Date.parse(event.at);
    const last = list.at(-1);
    if (event.type === "step.started") list.push({ try: data.try ?? list.length + 1, from: at });
    else if (last && last.to === undefined && endings.has(event.type)) {
      last.to = at;
      if (data.error) last.failed = data.error.message ?? "failed";
    }
  }
  for (const step of maps) out.delete(step);
  return out;
}

const endings = new Set(["step.retrying", "step.failed", "step.completed", "step.returned", "step.skipped"]);

/** Work is the attempts minus the waits. Elements of a list work while others wait, so a list keeps its bar. */
function workOf(step: Step, tries: Attempt[], waits: Span[], end: number): Span[] {
  if (!step.started_at) return [];
  const stop = step.ended_at ? Date.parse(step.ended_at) : end;
  const list: Attempt[] = tries.length > 0 ? tries : [{ try: step.try, from: Date.parse(step.started_at) }];
  return list.flatMap((attempt, i): Span[] => {
    const to = Math.max(attempt.from, attempt.to ?? stop);
    const last = i === list.length - 1;
    const how = attempt.failed || (last && step.status === "failed") ? "failed" : last ? ending(step) : "done";
    const parts = step.elements ? [{ from: attempt.from, to }] : without({ from: attempt.from, to }, waits);
    const worked = parts.reduce((sum, part) => sum + part.to - part.from, 0);
    const which = list.length > 1 ? `Try ${attempt.try}: ` : "";
    const why = attempt.failed ? ` It failed: ${attempt.failed}` : "";
    const title = `${format.title(step.id)}. ${which}${format.duration(worked)} of work.${why}`;
    return parts.map((part) => ({
      kind: "work",
      ...part,
      // Work before a wait is no longer running.
      end: how === "running" && (part.to < to || waits.some((wait) => isOn(wait, to))) ? "done" : how,
      title,
    }));
  });
}

interface Stretch {
  from: number;
  to: number;
}

function isOn({ from, to }: Stretch, at: number): boolean {
  return from <= at && at <= to;
}

/** The parts of a span outside of others. One that ended at once is left unchanged. */
function without(whole: Stretch, others: Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  let at = whole.from;
  for (const { from, to } of [...others].sort((a, b) => a.from - b.from)) {
    if (from > at && at < whole.to) out.push({ from: at, to: Math.min(from, whole.to) });
    at = Math.max(at, to);
  }
  if (at < whole.to || (at === whole.to && out.length === 0 && whole.from === whole.to))
    out.push({ from: at, to: whole.to });
  return out;
}

/** When the sub-run of a step waited for people. */
function childWaits(events: Event[], run: Run, end: number): Map<string, Span[]> {
  const out = new Map<string, Span[]>();
  for (const event of events) {
    const about = event.type === "child.waiting" || event.type === "child.ended" || ends.has(event.type);
    const data = about ? plain<{ step?: string; waiting?: boolean }>(event.data) : undefined;
    if (!data?.step) continue;
    const list = out.get(data.step) ?? [];
    out.set(data.step, list);
    const at = Date.parse(event.at);
    const open = list.find((span) => span.to === Number.POSITIVE_INFINITY);
    if (event.type === "child.waiting" && data.waiting) {
      if (!open) list.push({ kind: "wait", from: at, to: Number.POSITIVE_INFINITY, who: "its sub-run", title: "" });
    } else if (open) open.to = at;
  }
  for (const [id, list] of out) {
    const over = Date.parse(run.steps.find((step) => step.id === id)?.ended_at ?? "") || end;
    for (const span of list) {
      span.to = Math.min(span.to, Math.max(span.from, over));
      span.title = `Its sub-run waited ${format.duration(span.to - span.from)} for people.`;
    }
  }
  return out;
}

const ends = new Set(["step.completed", "step.failed", "step.skipped", "step.retrying"]);

function ending(step: Step): NonNullable<Span["end"]> {
  if (step.status === "cancelled") return "cancelled";
  return step.ended_at || step.status === "done" || step.status === "waiting" ? "done" : "running";
}

/** Waits of a step; overlapping ones for the same people are merged. */
function waitsOf(approvals: Approval[], end: number): Span[] {
  const waits = approvals
    .map((a) => ({
      from: Date.parse(a.requested_at),
      to: Math.max(Date.parse(a.requested_at), a.outcome ? Date.parse(a.outcome.at) : end),
      who: waitedFor(a),
      what: [a.title, settledBy(a)].filter(Boolean).join(", "),
      count: 1,
    }))
    .sort((a, b) => a.from - b.from);
  const merged: typeof waits = [];
  for (const wait of waits) {
    const last = merged.findLast((m) => m.who === wait.who);
    if (last && wait.from <= last.to) {
      last.to = Math.max(last.to, wait.to);
      last.count++;
    } else merged.push({ ...wait });
  }
  return merged.map(({ from, to, who, what, count }) => ({
    kind: "wait",
    from,
    to,
    who,
    title: `Waited ${format.duration(to - from)} for ${who}: ${count > 1 ? format.plural(count, "decision") : what}.`,
  }));
}

/** Spans of the run in which something worked, or nothing did. */
function stretchesOf({ from, to, rows }: Spans): (Stretch & { idle: boolean })[] {
  const work = rows
    .flatMap((row) => row.spans)
    .filter((span) => span.kind === "work")
    .sort((a, b) => a.from - b.from);
  const out: (Stretch & { idle: boolean })[] = [];
  let at = from;
  for (const span of work) {
    if (span.from > at) out.push({ from: at, to: Math.min(span.from, to), idle: true });
    const start = Math.max(at, span.from);
    const end = Math.min(span.to, to);
    if (end > start) out.push({ from: start, to: end, idle: false });
    at = Math.max(at, end);
  }
  if (at < to) out.push({ from: at, to, idle: true });
  return out;
}

/** The time with work and the time without, in milliseconds. */
export function timesOf(spans: Spans): { worked: number; waited: number } {
  const worked = stretchesOf(spans).reduce((sum, s) => sum + (s.idle ? 0 : s.to - s.from), 0);
  return { worked, waited: spans.to - spans.from - worked };
}

export interface Scale {
  /** The position of a time, from 0 to 1. */
  place: (at: number) => number;
  /** Whether any time is drawn compressed. */
  squeezed: boolean;
  /** Times to label where the scale is uneven. */
  corners: number[];
}

/** Whether most of the time was idle: then the work would be too small to see. */
export function mostlyIdle(spans: Spans): boolean {
  const idle = stretchesOf(spans).reduce((sum, s) => sum + (s.idle ? s.to - s.from : 0), 0);
  return idle > 0.6 * (spans.to - spans.from) && idle < spans.to - spans.from;
}

/** Maps times to positions. With squeeze, idle time takes little space. */
export function scaleOf(spans: Spans, squeeze: boolean): Scale {
  const { from, to } = spans;
  const even = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)));
  if (!squeeze) return { place: even, squeezed: false, corners: [] };
  const stretches = stretchesOf(spans);
  const work = stretches.reduce((sum, s) => sum + (s.idle ? 0 : s.to - s.from), 0);
  const most = Math.max(work * 0.2, 1);
  const weights = stretches.map((s) => (s.idle ? Math.min(s.to - s.from, most) : s.to - s.from));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const place = (at: number) => {
    let done = 0;
    for (const [i, s] of stretches.entries()) {
      const weight = weights[i] ?? 0;
      if (at < s.to) return Math.max(0, (done + (weight * Math.max(0, at - s.from)) / (s.to - s.from)) / total);
      done += weight;
    }
    return 1;
  };
  return { place, squeezed: true, corners: stretches.map((s) => s.from) };
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
];

export interface Mark {
  at: number;
  label: string;
}

/**
 * The ruler's marks, at least gap pixels apart: round times since the start, or the corners of the scale. The last is
 * the end, with its label before it.
 */
export function marks({ from, to }: Spans, scale: Scale, width: number, gap = 88): Mark[] {
  const told = (at: number): Mark => ({ at, label: at === from ? "0" : format.duration(at - from) });
  let last = Number.NEGATIVE_INFINITY;
  const inner = (scale.squeezed ? scale.corners : roundTimes(from, to, Math.max(1, Math.floor(width / gap)))).filter(
    (at) => {
      const x = scale.place(at) * width;
      // Labels come after their marks, except the last, which comes before it: leave space for both.
      if (at !== from && (x - last < gap || x > width - 1.5 * gap)) return false;
      last = x;
      return true;
    },
  );
  return [...inner, to].map(told);
}

function roundTimes(from: number, to: number, most: number): number[] {
  const span = to - from;
  const step = steps.find((s) => Math.floor(span / s) <= most) ?? Math.ceil(span / most);
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, i) => from + i * step);
}
