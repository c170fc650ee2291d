import { describe, expect, it } from "vitest";
import { indented } from "./indent";
import { rowAt, rowsOf } from "./rows";
import { pretty, treeOf } from "./tree";

describe("JSON without a tree", () => {
  const awkward = [
    "{}",
    "[ ]",
    '{"a":{},"b":[ ],"c":[1,-2.50e+3,true,null]}',
    '{ "a\\"b" : "x,y:{z}\\\\" ,\n"c":[[1],[ {"d":"\\u202e"} ]] }',
    '"text"',
    "12345678901234567890",
  ];
  it.each(awkward)("is what pretty makes of %s", (text) => {
    expect(indented(text)).toBe(pretty(treeOf(text)));
  });
});

describe("rows", () => {
  const all = (text: string) => {
    const rows = rowsOf(text);
    return Array.from({ length: rows.starts.length }, (_, i) => rowAt(rows, i));
  };

  it("are the lines of a text, also the empty ones", () => {
    for (const text of ["", "a", "a\n", "\n\na\nb\n\n"]) expect(all(text)).toEqual(text.split("\n"));
  });

  it("go on in the next where a line is long, and lose nothing", () => {
    const long = "0123456789".repeat(41);
    expect(all(`${long}\nend`)).toEqual([long.slice(0, 200), long.slice(200, 400), long.slice(400), "end"]);
    expect(all("x".repeat(400))).toEqual(["x".repeat(200), "x".repeat(200)]);
  });

  it("leave a sign of two code units together", () => {
    const text = `${"x".repeat(199)}😀${"y".repeat(300)}`;
    expect(all(text).join("")).toBe(text);
    expect(all(text).some((row) => /[\uD800-\uDBFF]$/.test(row))).toBe(false);
    expect(all(`${"x".repeat(199)}😀`)).toEqual([`${"x".repeat(199)}😀`]);
  });
});
