// Numbers with units. The interface is in English, so the formats are fixed and do not follow the machine's locale.

const thin = "\u00a0"; // a number and its unit stay on one line

let counted: Intl.NumberFormat | undefined;

/** 1234567 → "1,234,567" */
export function count(n: number): string {
  // Integers without locale tables: loading those is a tenth of the time to the first view.
  if (Number.isSafeInteger(n)) return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  counted ??= new Intl.NumberFormat("en-US");
  return counted.format(n);
}

/** plural(2, "change") → "2 changes" */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const units: [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** 93_784_000 → "1 d 2 h"; the two largest units. Under a second "12 ms". */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)}${thin}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1).replace(/\.0$/, "")}${thin}s`;
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of units) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n}${thin}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** Decimal text "0.0375" → "$0.0375"; small sums keep their digits, others get cents. Never through a float. */
export function money(usd: string | null | undefined): string {
  if (usd === null || usd === undefined || usd === "") return "–";
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(usd);
  if (!match) return `$${usd}`;
  const [, sign, whole = "0", fraction = ""] = match;
  const digits = fraction.replace(/0+$/, "");
  const cents = digits.length <= 2 ? digits.padEnd(2, "0") : digits;
  return `${sign ? "−" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}

/** 1536 → "1.5 kB" (1,000 bytes each) */
export function bytes(n: number): string {
  if (n < 1000) return `${n}${thin}B`;
  const names = ["kB", "MB", "GB", "TB"];
  let value = n;
  let i = -1;
  do {
    value /= 1000;
    i++;
  } while (value >= 999.5 && i < names.length - 1);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${thin}${names[i]}`;
}

/** 0.875 → "88 %" */
export function percent(share: number): string {
  return `${Math.round(share * 100)}${thin}%`;
}

/** "2 min ago", "in 2 d 23 h"; "now" within five seconds. Past times are rough, future ones more precise. */
export function relative(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < 5000) return "now";
  return ms > 0 ? `${coarse(ms)} ago` : `in ${ahead(-ms)}`;
}

/** The two largest units of a future time; one if the second does not matter. */
function ahead(ms: number): string {
  return ms < 60_000 || ms >= 10 * 86_400_000 ? coarse(ms) : duration(ms);
}

/** The largest unit alone. */
function coarse(ms: number): string {
  const [unit, size] = units.find(([, s]) => ms >= s) ?? ["s", 1000];
  return `${Math.floor(ms / size)}${thin}${unit}`;
}

/** Creating a formatter takes longer than a hundred uses of it: it is created once, on first use. */
function form(options: Intl.DateTimeFormatOptions): (at: number) => string {
  let made: Intl.DateTimeFormat | undefined;
  return (at) => {
    made ??= new Intl.DateTimeFormat("en-GB", options);
    return made.format(at);
  };
}

/** The exact time, for tooltips. */
export const exact = form({ dateStyle: "full", timeStyle: "long" });

/** "14:02" */
export const clock = form({ hour: "2-digit", minute: "2-digit" });

/** "18 Nov 2026, 14:02" */
export const day = form({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

const initials = /\b(ai|api|crm|csv|hr|html|http|id|ip|it|json|kyc|llm|mcp|pdf|pr|qa|sla|sms|sql|ui|url|vat|vip)\b/g;

/** "send_refund-email" → "Send refund email", "it_lead" → "IT lead": names of steps, roles, operations and tools. */
export function title(name: string): string {
  const text = name
    .replaceAll(/[._-]+/g, " ")
    .replaceAll(/^ +| +$/g, "") // not trim: it would remove more, and make different names look the same
    .replaceAll(initials, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The last characters of an id, for when its name is unknown. */
export function shortId(id: string): string {
  const [, rest = id] = id.split(/_(.*)/s);
  return rest.length > 10 ? `…${rest.slice(-8)}` : rest;
}
