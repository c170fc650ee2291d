import { describe, expect, it } from "vitest";
import { compact, raw, treeOf } from "../json";
import { blobOf } from "./blob";
import { check, faultsOf } from "./check";
import { diffOf, wordsDiff } from "./diff";
import { applyPatch, badNumbers, isNumber, number, pointerOf, setAt, text } from "./edit";
import { readSoFar, readTalk } from "./readSoFar";
import { emptyOf, kindOf, labelOf, memberSchema, placeOf, resolve, type Schema } from "./schema";

describe("edits", () => {
  it("leave what they do not touch as it was written", () => {
    const tree = treeOf('{"a":1.50,"b":{"c":[9007199254740993,2]},"d":"\\u00e9"}');
    expect(compact(setAt(tree, ["b", "c", 1], number("7.10")))).toBe(
      '{"a":1.50,"b":{"c":[9007199254740993,7.10]},"d":"\\u00e9"}',
    );
    expect(compact(setAt(tree, ["b", "new"], text("x")))).toContain('"c":[9007199254740993,2],"new":"x"');
    expect(compact(setAt(tree, ["a"], undefined))).not.toContain("1.50");
    expect(compact(setAt(tree, ["b", "c", 0], undefined))).toContain('"c":[2]');
    expect(compact(setAt(tree, ["x", "y"], text("z")))).toContain('"x":{"y":"z"}');
  });

  it("know what is no number yet", () => {
    expect(["1", "-0.5", "1e3", "12.10"].every(isNumber)).toBe(true);
    expect(["", "1.", ".5", "01", "1,5", "NaN", "0x1"].some(isNumber)).toBe(false);
    const typed = setAt(treeOf('{"a/b":[1]}'), ["a/b", 0], number("12,"));
    expect(badNumbers(typed)).toEqual(["/a~1b/0"]);
    expect(pointerOf(["~", "a/b", 0])).toBe("/~0/a~1b/0");
  });

  it("can be put on another version", () => {
    const now = treeOf('{"amount":80.00,"to":"x","note":{"a":1,"b":2}}');
    expect(compact(applyPatch(now, treeOf('{"to":"y","note":{"a":null,"c":3}}')))).toBe(
      '{"amount":80.00,"to":"y","note":{"b":2,"c":3}}',
    );
  });
});

describe("differences", () => {
  it("are told place by place", () => {
    const found = diffOf(
      treeOf('{"a":1.0,"b":[1,{"c":2}],"d":1,"s":[1]}'),
      treeOf('{"a":1.00,"b":[1,{"c":3}],"e":2,"s":[1,2]}'),
    );
    expect(found.map((c) => [c.op, c.path, c.from?.$json, c.to?.$json])).toEqual([
      ["replace", "/a", "1.0", "1.00"],
      ["replace", "/b/1/c", "2", "3"],
      ["remove", "/d", "1", undefined],
      ["replace", "/s", "[1]", "[1,2]"],
      ["add", "/e", undefined, "2"],
    ]);
    expect(diffOf(treeOf('{"a":1,"b":2}'), treeOf('{"b":2,"a":1}'))).toEqual([]);
  });

  it("in texts are told by words", () => {
    const pieces = wordsDiff("please pay the whole sum today", "please pay half the sum");
    expect(
      pieces
        ?.filter((p) => p.kind !== "out")
        .map((p) => p.text)
        .join(""),
    ).toBe("please pay half the sum");
    expect(
      pieces
        ?.filter((p) => p.kind !== "in")
        .map((p) => p.text)
        .join(""),
    ).toBe("please pay the whole sum today");
    expect(wordsDiff("completely other words here", "nothing alike at all")).toBeUndefined();
    expect(wordsDiff("a ".repeat(20_000), "b ".repeat(20_000))).toBeUndefined();
  });
});

const schema: Schema = {
  type: "object",
  required: ["to", "n"],
  additionalProperties: false,
  $defs: { money: { type: "number", title: "Money", exclusiveMinimum: 0 } },
  properties: {
    to: { type: "string", format: "email", title: "To whom" },
    n: { type: "integer", minimum: 1, maximum: 9 },
    sum: { $ref: "#/$defs/money", description: "in EUR" },
    kind: { enum: ["a", "b"] },
    note: { anyOf: [{ type: "string", minLength: 2 }, { type: "null" }] },
    list: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", pattern: "^[a-z]+$" } },
    loop: { $ref: "#/properties/loop" },
  },
};

describe("schemas", () => {
  it("are followed through references, also in circles", () => {
    expect(memberSchema(schema, "sum", schema)).toMatchObject({
      title: "Money",
      description: "in EUR",
      type: "number",
    });
    expect(memberSchema(schema, "note", schema)).toMatchObject({ type: "string", minLength: 2 });
    expect(resolve(schema.properties?.loop, schema)).toEqual({});
    expect(labelOf("send_to", {})).toBe("Send to");
    expect(labelOf("claim.claim_id", {})).toBe("Claim ID");
    expect(labelOf("order.total", {})).toBe("Order total");
    expect(placeOf("/list/0", schema).labels).toEqual(["List", "no. 1"]);
  });

  it("choose the field", () => {
    const kinds = (key: string, value?: string) =>
      kindOf(memberSchema(schema, key, schema), value === undefined ? undefined : treeOf(value));
    expect(["to", "n", "sum", "kind", "note", "list"].map((key) => kinds(key))).toEqual([
      "text",
      "number",
      "number",
      "enum",
      "text",
      "array",
    ]);
    expect(kindOf({}, treeOf('"a\\nb"'))).toBe("longtext");
    expect(kindOf({}, treeOf("true"))).toBe("boolean");
    expect(kindOf({}, treeOf("null"))).toBe("json");
    expect(kindOf({ type: ["string", "number"] }, undefined)).toBe("json");
  });

  it("make a beginning", () => {
    expect(compact(emptyOf({ type: "object", required: ["a"], properties: { a: { default: 5 }, b: {} } }, {}))).toBe(
      '{"a":5}',
    );
    expect(compact(emptyOf({ type: "array" }, {}))).toBe("[]");
  });
});

describe("checking", () => {
  const faults = (json: string) => Object.fromEntries(check(treeOf(json), schema));
  it("says at once what is wrong, and where", () => {
    expect(faults('{"to":"a@b","n":3,"sum":0.10,"kind":"a","list":["x"],"note":"ok"}')).toEqual({});
    expect(faults('{"to":"nobody","n":10,"sum":0,"kind":"c","list":["X"],"note":"x","more":1}')).toEqual({
      "/to": "This is not an e-mail address.",
      "/n": "At most 9.",
      "/sum": "More than 0.",
      "/kind": "Choose one of the values.",
      "/list/0": "This has to match ^[a-z]+$.",
      "/note": "At least 2 characters.",
      "/more": "This field is not allowed here.",
    });
    expect(faults('{"n":1.5,"list":[]}')).toEqual({
      "/to": "This is needed.",
      "/n": "A whole number is needed.",
      "/list": "At least 1 entry.",
    });
    expect(check(number("12,"), { type: "number" }).get("")).toMatch("not a number");
  });

  it("puts what the server says at the fields", () => {
    const found = faultsOf([
      { path: "", message: 'the property "to" is missing' },
      { path: "/amount", message: "expected a number" },
    ]);
    expect([...found]).toEqual([
      ["/to", "This is needed."],
      ["/amount", "Expected a number"],
    ]);
  });
});

it("a stand-in for a large value is known, an ordinary object is not", () => {
  expect(blobOf(raw('{"$blob":"sha256:1","size":70000,"preview":"[1,"}'))).toEqual({ size: 70000, preview: "[1," });
  expect(blobOf(raw('{"$blob":1}'))).toBeUndefined();
  expect(blobOf(raw('{"a":1}'))).toBeUndefined();
  expect(blobOf(null)).toBeUndefined();
});

it("the account of a run is read step by step, other words stay as they are", () => {
  const read = readSoFar('Workflow x.\n- order: done → {"total":89.50}\n- plan: skipped\n- cut: done → {"a":"…');
  expect(read?.lines.map((l) => [l.name, l.status, l.tree && compact(l.tree), l.text])).toEqual([
    ["order", "done", '{"total":89.50}', undefined],
    ["plan", "skipped", undefined, undefined],
    ["cut", "done", undefined, '{"a":"…'],
  ]);
  expect(readSoFar("analyst: Before I begin, one question.")).toBeUndefined();
  expect(readSoFar("- order: exploded")).toBeUndefined();
});

it("the account of an agent is read turn by turn, other words stay as they are", () => {
  const text = 'analyst: I look.\nTwice.\nread_file → {"size":17}\nlist_files failed: no such folder: x';
  expect(readTalk(text)).toEqual([
    { name: "analyst", how: "said", text: "I look.\nTwice." },
    { name: "read_file", how: "gave", text: '{"size":17}' },
    { name: "list_files", how: "failed", text: "no such folder: x" },
  ]);
  expect(readTalk("What came before is not known.")).toBeUndefined();
  expect(readTalk("")).toBeUndefined();
});
