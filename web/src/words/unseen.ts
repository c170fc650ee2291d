// Characters that are invisible or reorder the text around them: content shown for a decision must not hide any. They
// are found here; ui/Visible draws them.

/** A stretch of plain text, or of invisible characters. */
export type Stretch = { kind: "text" | "unseen"; text: string };

// Everything drawn as nothing, controls, line separators other than a line feed, and blanks other than a space. A
// carriage return before a line feed is a line end on other systems.
const suspect = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|(?![\n\t])(?!\r\n)\p{Cc}/u;

// Scripts with joined or stacked letters, where joiners control the shape.
const joining =
  "[\\p{Script=Arab}\\p{Script=Syrc}\\p{Script=Mong}\\p{Script=Nkoo}\\p{Script=Deva}\\p{Script=Beng}\\p{Script=Guru}\\p{Script=Gujr}\\p{Script=Orya}\\p{Script=Taml}\\p{Script=Telu}\\p{Script=Knda}\\p{Script=Mlym}\\p{Script=Sinh}\\p{Script=Khmr}\\p{Script=Mymr}\\p{Script=Tibt}\\u064b-\\u0655\\u0670]";
const virama =
  "[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u1039\\u103a\\u17d2]";
const tagged = (letters: string) =>
  [...letters, "\x7f"].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("");

/** Where such characters belong: once, right after the character they modify. A second one is marked. */
const ordinary = [
  `(?<=${virama})[\\u200c\\u200d]`,
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
  // 👩‍💻, 🏳️‍🌈, ❤️, 1️⃣
  "(?<=\\p{ExtPict}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{ExtPict})",
  "(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]",
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
  // The flags of England, Scotland and Wales.
  `(?<=\\u{1f3f4})(?:${["gbeng", "gbsct", "gbwls"].map(tagged).join("|")})`,
  // Variants of a Han character in a name, and of a Mongolian letter.
  "(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
  "(?<=\\p{Script=Mong})[\\u180b-\\u180f]",
].join("|");

let found: RegExp | undefined;
/** Compiled on the first suspect: most pages never need it. */
const either = () => {
  found ??= new RegExp(`(${ordinary})|((?:(?!${ordinary})(?:${suspect.source}))+)`, "gu");
  return found;
};

/** The text in stretches, in order. Most texts have only one. */
export function stretches(text: string): Stretch[] {
  if (!suspect.test(text)) return text === "" ? [] : [{ kind: "text", text }];
  const out: Stretch[] = [];
  let from = 0;
  for (const match of text.matchAll(either())) {
    if (match[2] === undefined) continue;
    if (match.index > from) out.push({ kind: "text", text: text.slice(from, match.index) });
    out.push({ kind: "unseen", text: match[2] });
    from = match.index + match[2].length;
  }
  if (from < text.length) out.push({ kind: "text", text: text.slice(from) });
  return out;
}

/** Whether a text contains invisible characters. */
export function hasUnseen(text: string): boolean {
  return suspect.test(text) && stretches(text).some((s) => s.kind === "unseen");
}

const escaped = /\\(?:u([0-9a-f]{4})|(.))/gi;
const short: Record<string, string> = { b: "\b", f: "\f", r: "\r", n: "\n", t: "\t" };

/** The same for JSON text, in which characters may be escaped. */
export function hasUnseenInside(json: string): boolean {
  if (!json.includes("\\")) return hasUnseen(json);
  return hasUnseen(
    json.replaceAll(escaped, (_, hex?: string, letter = "") =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (short[letter] ?? letter),
    ),
  );
}

/** For editors, which mark characters one by one. */
export const unseenInEditors = () => new RegExp(`(?!${ordinary})(?:${suspect.source})`, "gu");

const names: Record<number, string> = {
  0: "null",
  7: "bell",
  8: "backspace",
  11: "vertical tab",
  12: "form feed",
  13: "carriage return",
  27: "escape",
  127: "delete",
  133: "next line",
  173: "soft hyphen",
  847: "combining grapheme joiner",
  1564: "Arabic letter mark",
  4447: "Hangul filler",
  4448: "Hangul filler",
  6158: "Mongolian vowel separator",
  8203: "zero-width space",
  8204: "zero-width non-joiner",
  8205: "zero-width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "end of a turn of direction",
  8237: "left-to-right override",
  8238: "right-to-left override, which turns text around",
  8288: "word joiner",
  8294: "left-to-right isolation",
  8295: "right-to-left isolation",
  8296: "isolation by the first letter",
  8297: "end of isolation",
  10240: "blank Braille pattern",
  12644: "Hangul filler",
  65279: "byte order mark",
  65440: "Hangul filler",
};

/** "U+202E" */
export function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** "right-to-left override": the name of an invisible character. */
export function unseenName(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const known = names[code];
  if (known) return known;
  if (code >= 0xe0020 && code < 0xe007f) return `hidden letter “${String.fromCharCode(code - 0xe0000)}”`;
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return "variation selector";
  if (code < 0xa0) return "control character";
  return "unseen character";
}

/** Each kind that occurs, with its code and name: for places where the text itself cannot be marked. */
export function unseenKinds(text: string): string[] {
  const chars = stretches(text).flatMap((s) => (s.kind === "unseen" ? [...s.text] : []));
  return [...new Set(chars)].map((char) => `${codeOf(char)} (${unseenName(char)})`);
}

/** The text with codes in place of invisible characters, for plain-text places such as a title. */
export function spelled(text: string): string {
  return stretches(text)
    .map((s) => (s.kind === "text" ? s.text : [...s.text].map((char) => `⟨${codeOf(char)}⟩`).join("")))
    .join("");
}
