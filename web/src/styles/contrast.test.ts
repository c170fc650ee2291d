import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

// Reads the tokens and computes WCAG contrast, so that a new colour cannot
// make text unreadable in one of the themes.

const css = readFileSync("src/styles/tokens.css", "utf8");

function block(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  const body = css.slice(css.indexOf("{", start) + 1, css.indexOf("}", start));
  return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(oklch\([^)]*\))/g)].map((m) => [m[1], m[2] as string]));
}

/** Relative luminance of oklch(L% C H). */
function luminance(colour: string): number {
  const [l = 0, c = 0, h = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const lms = [
    l / 100 + 0.3963377774 * a + 0.2158037573 * b,
    l / 100 - 0.1055613458 * a - 0.0638541728 * b,
    l / 100 - 0.0894841775 * a - 1.291485548 * b,
  ].map((x) => x ** 3) as [number, number, number];
  const clamp = (x: number) => Math.min(1, Math.max(0, x));
  const r = clamp(4.0767416621 * lms[0] - 3.3077115913 * lms[1] + 0.2309699292 * lms[2]);
  const g = clamp(-1.2684380046 * lms[0] + 2.6097574011 * lms[1] - 0.3413193965 * lms[2]);
  const bl = clamp(-0.0041960863 * lms[0] - 0.7034186147 * lms[1] + 1.707614701 * lms[2]);
  return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
}

function contrast(a: string, b: string): number {
  const [hi = 0, lo = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (hi + 0.05) / (lo + 0.05);
}

const grounds = ["bg", "surface", "raised", "sunken", "hover"];
const texts: [string, string][] = [
  ...grounds.flatMap((ground): [string, string][] => [
    ["text", ground],
    ["muted", ground],
  ]),
  ...["surface", "bg", "raised", "hover"].map((ground): [string, string] => ["accent-text", ground]),
  ...["ok", "warn", "bad", "info", "neutral", "accent"].map((tone): [string, string] => [`${tone}-text`, `${tone}-bg`]),
  ...["ok", "warn", "bad", "info", "accent"].map((tone): [string, string] => [`${tone}-text`, "sunken"]),
  ["on-accent", "accent"],
  ["on-accent", "accent-hover"],
  ["on-danger", "danger"],
];
const marks: [string, string][] = ["ok-fill", "warn-fill", "bad-fill", "accent"].map((mark) => [mark, "surface"]);

describe.each([
  ["light", ":root"],
  ["dark", ':root[data-theme="dark"]'],
])("%s", (_name, selector) => {
  const tokens = block(selector);
  const of = (name: string) => tokens[name] ?? `missing ${name}`;
  it.each(texts)("%s on %s can be read", (text, ground) => {
    expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(marks)("%s on %s can be seen", (mark, ground) => {
    expect(contrast(of(mark), of(ground))).toBeGreaterThanOrEqual(3);
  });
});

it("the chosen dark theme is the system's dark theme", () => {
  expect(block(':root[data-theme="dark"]')).toEqual(block(':root:not([data-theme="light"])'));
  expect(Object.keys(block(":root")).sort()).toEqual(Object.keys(block(':root[data-theme="dark"]')).sort());
});
