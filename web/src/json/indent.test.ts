import { describe, expect, it } from "vitest";
import { indented } from "./indent";
import { pretty, treeOf } from "./tree";

describe("JSON in slices", () => {
  const awkward = [
    "{}",
    "[ ]",
    '{"a":{},"b":[ ],"c":[1,-2.50e+3,true,null]}',
    '{ "a\\"b" : "x,y:{z}\\\\" ,\n"c":[[1],[ {"d":"\\u202e"} ]] }',
    '"text"',
    "12345678901234567890",
  ];
  it.each(awkward)("is what pretty makes of %s", async (text) => {
    expect(await indented(text, new AbortController().signal)).toBe(pretty(treeOf(text)));
  });

  it("gives others their turn, and ends when it is not wanted", async () => {
    const text = JSON.stringify(Array.from({ length: 60_000 }, (_, i) => ({ i, name: `entry ${i}` })));
    let turns = 0;
    const timer = setInterval(() => turns++);
    expect(await indented(text, new AbortController().signal)).toBe(pretty(treeOf(text)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    expect(await indented(text, AbortSignal.abort())).toBeUndefined();
  });
});
