import { describe, expect, it } from "vitest";
import { hasUnseen, hasUnseenInside, spelled, stretches, unseenInEditors, unseenKinds } from "./unseen";

const chars = (...codes: number[]) => String.fromCodePoint(...codes);

describe("what cannot be seen", () => {
  it.each([
    ["bidi embeddings", 0x202a, 0x202e],
    ["bidi isolates", 0x2066, 0x2069],
    ["zero-width and marks", 0x200b, 0x200f],
    ["word joiner and others", 0x2060, 0x2064],
    ["line and paragraph separators", 0x2028, 0x2029],
    ["controls", 0x00, 0x08],
    ["more controls", 0x0b, 0x0c],
    ["the other controls", 0x0e, 0x1f],
    ["delete and C1", 0x7f, 0x9f],
    ["tags", 0xe0000, 0xe007f],
    ["variation selectors", 0xfe00, 0xfe0f],
    ["more variation selectors", 0xe0100, 0xe01ef],
    ["annotations", 0xfff9, 0xfffb],
    ["Hangul fillers", 0x115f, 0x1160],
  ])("%s are found", (_, first, last) => {
    for (let code = first; code <= last; code++)
      expect([code, stretches(`a${chars(code)}b`).map((s) => s.kind)]).toEqual([code, ["text", "unseen", "text"]]);
  });

  it.each([0xad, 0x61c, 0x34f, 0x3164, 0xffa0, 0xfeff, 0x2800, 0x180e])("U+%s is found", (code) =>
    expect(hasUnseen(`a${chars(code)}`)).toBe(true),
  );

  it.each([
    ["plain text", "Pay 1000 EUR\n\tto Bob"],
    ["line ends of other systems", "one\r\ntwo\r\n"],
    ["letters of all kinds", "Ærø, naïve, Ελλάδα, Россия, 日本語, 한국어, עברית, العربية, ไทย, e\u0301"],
    ["spaces", "a\u00a0b\u2009c\u3000d"],
    ["emoji", "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 👩🏽‍🚀 1️⃣ 🇳🇴 ❤️‍🔥 🧔🏻‍♂️"],
    ["the flag of Scotland", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["Persian", "می‌خواهم"],
    ["Hindi", "क्‍ष and क्‌ष"],
    ["Malayalam at the end of a word", "അവന്‍ പറഞ്ഞു"],
    ["Arabic with vowel signs", "كِ\u200cت"],
    ["a Japanese name", "葛\u{e0100}城"],
  ])("%s stays as it is", (_, text) => expect(stretches(text)).toEqual([{ kind: "text", text }]));

  it.each([
    ["a joiner between Latin letters", "pay\u200dpal"],
    ["a joiner between accents", "e\u0301\u200d\u0301"],
    ["a second joiner", "👩\u200d\u200d💻"],
    ["a joiner after an emoji and before a word", "👍\u200dyes"],
    ["a second selector after an emoji", "😀\ufe0f\ufe01"],
    ["a selector after a digit", "1\ufe0f000"],
    ["tags after another flag", "🏴\u{e0061}\u{e0062}\u{e007f}"],
    ["a lone carriage return", "safe\rharm"],
    ["a mark among Arabic letters", "ع\u200fر"],
  ])("%s is marked", (_, text) => expect(hasUnseen(text)).toBe(true));

  it("one stretch for all that stand together, and every character is kept", () => {
    const text = "Pay \u202e\u200bgnp.0001\u202c x";
    expect(stretches(text)).toEqual([
      { kind: "text", text: "Pay " },
      { kind: "unseen", text: "\u202e\u200b" },
      { kind: "text", text: "gnp.0001" },
      { kind: "unseen", text: "\u202c" },
      { kind: "text", text: " x" },
    ]);
    expect(
      stretches(text)
        .map((s) => s.text)
        .join(""),
    ).toBe(text);
    expect(stretches("")).toEqual([]);
  });

  it("escapes of JSON count as what they stand for", () => {
    expect(hasUnseenInside('{"a":"\\u202E"}')).toBe(true);
    expect(hasUnseenInside('{"a":"\\udb40\\udc41"}')).toBe(true);
    expect(hasUnseenInside('{"a":"\\b"}')).toBe(true);
    expect(hasUnseenInside('{"a":"\u200b"}')).toBe(true);
    expect(hasUnseenInside('{"a":"one\\r\\ntwo\\t\\"x\\""}')).toBe(false);
    expect(hasUnseenInside('{"a":"C:\\\\u202E"}')).toBe(false);
  });

  it("is told in words", () => {
    expect(spelled("Bob\u200b\u{e0041}!")).toBe("Bob⟨U+200B⟩⟨U+E0041⟩!");
    expect(unseenKinds("a\u200bb\u200bc\u{e0041}")).toEqual([
      "U+200B (zero-width space)",
      "U+E0041 (hidden letter “A”)",
    ]);
  });

  it("editors find the same, one by one", () => {
    expect("می‌خواهم\n a\u202e\u200b".match(unseenInEditors())).toEqual(["\u202e", "\u200b"]);
  });

  it("is quick with long texts", () => {
    const began = performance.now();
    hasUnseen("Plain words and 1,000.00 numbers. ".repeat(30_000));
    stretches("\u200b".repeat(100_000));
    stretches("👩‍💻".repeat(20_000));
    expect(performance.now() - began).toBeLessThan(1500);
  });
});
