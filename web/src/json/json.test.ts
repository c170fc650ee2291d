import { describe, expect, it } from "vitest";
import { envelop } from "./envelop";
import { CannotPatch, countChanges, mergePatch } from "./patch";
import { plain, type Raw, raw, stringify } from "./raw";
import { at, compact, plainText, pretty, treeOf } from "./tree";

const payload =
  '{"id":9007199254740993,"amount":0.10,"10":1,"2":2,"t":"a\\u0041\\"é","n":null,"e":1E+2,"l":[1.0,{"x":[]}],"o":{}}';

describe("payloads keep their text", () => {
  it("in an answer", () => {
    const answer = JSON.parse(
      envelop(
        `{ "id":"apr_1","proposed": ${payload} ,"action":{"args":[1.50],"digest":"d"},"show":null,"version":3}`,
        "Approval",
      ),
    );
    expect(answer).toEqual({
      id: "apr_1",
      proposed: { $json: payload },
      action: { args: { $json: "[1.50]" }, digest: "d" },
      show: null,
      version: 3,
    });
  });

  it("in lists and maps", () => {
    expect(JSON.parse(envelop('{"items":[{"proposed":1.0},{"proposed":"]}"}],"total":2}', "ApprovalList"))).toEqual({
      items: [{ proposed: { $json: "1.0" } }, { proposed: { $json: '"]}"' } }],
      total: 2,
    });
    expect(JSON.parse(envelop('{"items":[]}', "ApprovalList"))).toEqual({ items: [] });
    expect(JSON.parse(envelop('{"outputs":{"a":1.10}}', "Edits"))).toEqual({ outputs: { a: { $json: "1.10" } } });
  });

  it("in a request", () => {
    expect(stringify({ act: "modify", changes: raw('{"amount": 0.10}'), version: 3, comment: undefined })).toBe(
      '{"act":"modify","changes":{"amount": 0.10},"version":3}',
    );
  });

  it("when shown", () => {
    expect(compact(treeOf(payload))).toBe(payload);
    expect(pretty(treeOf('{"b":9007199254740993,"a":[0.10]}'))).toBe(
      '{\n  "b": 9007199254740993,\n  "a": [\n    0.10\n  ]\n}',
    );
  });

  it("refuses what is no JSON", () => {
    expect(() => raw("{a:1}")).toThrow(SyntaxError);
    expect(() => treeOf("1 2")).toThrow(SyntaxError);
    expect(() => treeOf('{"a"}')).toThrow(SyntaxError);
  });
});

describe("pointers", () => {
  it("lead to values", () => {
    const tree = treeOf('{"a/b":[{"~":1.0}],"s":"x"}');
    expect(compact(at(tree, "/a~1b/0/~0") ?? tree)).toBe("1.0");
    expect(plainText(at(tree, "/s") ?? tree)).toBe("x");
    expect(at(tree, "/nothing/here")).toBeUndefined();
    expect(at(tree, "")).toBe(tree);
  });
});

// merge is RFC 7396, on plain values.
function merge(target: unknown, change: unknown): unknown {
  if (typeof change !== "object" || change === null || Array.isArray(change)) return change;
  const out = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete (out as Record<string, unknown>)[key];
    else (out as Record<string, unknown>)[key] = merge((out as Record<string, unknown>)[key], value);
  }
  return out;
}

describe("merge patches", () => {
  it.each([
    ['{"a":1,"b":2}', '{"a":1,"b":3}', '{"b":3}'],
    ['{"a":0.10}', '{"a":0.1}', '{"a":0.1}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}', '{"a":9007199254740992}'],
    ['{"a":1,"b":2}', '{"a":1}', '{"b":null}'],
    ['{"a":{"x":1,"y":[1,2]}}', '{"a":{"x":1,"y":[1]}}', '{"a":{"y":[1]}}'],
    ['{"a":[1]}', '{"a":{"b":2}}', '{"a":{"b":2}}'],
    ["[1]", "[2]", "[2]"],
  ])("%s → %s", (before, after, want) => {
    const change = mergePatch(raw(before), raw(after)) as Raw;
    expect(change.$json).toBe(want);
    expect(merge(JSON.parse(before), plain(change))).toEqual(JSON.parse(after));
  });

  it("are not there when nothing changed", () => {
    expect(mergePatch(raw(payload), raw(pretty(treeOf(payload))))).toBeUndefined();
    expect(mergePatch(raw('{"a":1,"b":"\\u0041"}'), raw('{"b":"A","a":1}'))).toBeUndefined();
  });

  it("say so when null cannot be said", () => {
    expect(() => mergePatch(raw('{"a":1}'), raw('{"a":null}'))).toThrow(CannotPatch);
    expect(mergePatch(raw('{"a":[1]}'), raw('{"a":[null]}'))).toEqual({ $json: '{"a":[null]}' });
  });

  it("are counted by place", () => {
    expect(countChanges(raw('{"a":1,"b":{"c":1,"d":2}}'), raw('{"a":1.0,"b":{"c":1,"d":3},"e":1}'))).toBe(3);
    expect(countChanges(raw(payload), raw(payload))).toBe(0);
  });
});
