import type { Tree } from "../json";
import { format } from "../words";

// Values by type: money, dates, people's names. The received text stays exact: digits are grouped, never rounded.

const symbols: Record<string, string> = { EUR: "€", USD: "$", GBP: "£", JPY: "¥" };
const wholeOnly = new Set(["JPY", "KRW", "ISK", "CLP", "VND"]);

/** "2400.0" and "EUR" → "€2,400.00". Anything other than a plain decimal stays as written. */
export function moneyText(number: string, currency: string | undefined): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number);
  if (!match) return currency ? `${number} ${currency}` : number;
  const [, sign, whole = "", fraction = ""] = match;
  const cents = currency && !wholeOnly.has(currency) ? fraction.padEnd(2, "0") : fraction;
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (cents ? `.${cents}` : "");
  const symbol = currency && symbols[currency];
  const minus = sign ? "−" : "";
  return symbol ? `${minus}${symbol}${digits}` : `${minus}${digits}${currency ? ` ${currency}` : ""}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "2026-01-09" → "9 Jan 2026", with the time if there is one; undefined for anything else. */
export function dateText(text: string): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}.*)?$/.exec(text);
  const month = months[Number(match?.[2]) - 1];
  const at = Date.parse(text);
  if (!match || !month || Number.isNaN(at)) return undefined;
  return match[4] ? format.day(at) : `${Number(match[3])} ${month} ${match[1]}`;
}

/** The last part of a name, in plain words: "order.earlier_refunds" → "earlier refunds". */
export function wordsOf(key: string): string {
  const last = key.split(".").at(-1) ?? key;
  return last
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\s-]+/g, " ")
    .trim()
    .toLowerCase();
}

const money = /(^| )(amount|total|price|sum|cost|fee|refund|payout|payment|budget|salary|balance|usd|eur|gbp)$/;
const notMoney = /(^| )(id|count|number|no|quantity|units?|refunds|items|rate|percent|score|days)( |$)/;

/** Whether a number with that name is an amount of money. */
export function isMoney(key: string): boolean {
  const words = wordsOf(key);
  return money.test(words) && !notMoney.test(words);
}

const code = /^[A-Z]{3}$/;

/** The currency of a member: in its name ("fee_usd"), or beside it ("currency": "EUR"). */
export function currencyOf(key: string, beside: { key: string; value: Tree }[]): string | undefined {
  const named = /(?:^| )(usd|eur|gbp|chf|jpy)$/.exec(wordsOf(key))?.[1];
  if (named) return named.toUpperCase();
  const found = beside.filter((m) => wordsOf(m.key) === "currency" || wordsOf(m.key).endsWith(" currency"));
  const [one] = found;
  return found.length === 1 && one?.value.kind === "string" && code.test(one.value.value) ? one.value.value : undefined;
}
