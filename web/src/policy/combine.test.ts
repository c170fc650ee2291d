import { expect, test } from "vitest";
import { combine } from "./combine";
import { everyRule, read } from "./model";

const base = `policy: default # the only one
rules:
  - { name: A, priority: 10, trigger: { operation_type: a }, action: { role: x } }
  - name: B
    priority: 20
    trigger: { operation_type: b }
    action: { role: y } # ask y
auto_approval:
  enabled: true
  rules:
    - { name: C, conditions: { risk_level: [low] } }
`;

const names = (text: string) => everyRule(read(text)).map((card) => card.name);

test("changes to different rules are combined, and comments stay", () => {
  const mine = base.replace("role: x", "role: mine");
  const theirs = base.replace("role: y } # ask y", "role: theirs } # ask them");
  const both = combine(base, mine, theirs);
  expect(both?.clashes).toEqual([]);
  expect(both?.text).toContain("role: mine");
  expect(both?.text).toContain("role: theirs } # ask them");
  expect(both?.text).toContain("# the only one");
});

test("rules that are added and removed on both sides", () => {
  const rule = (name: string, priority: number) =>
    `  - { name: ${name}, priority: ${priority}, trigger: { operation_type: n }, action: { role: z } }\n`;
  const mine = base.replace(/ {2}- \{ name: A.*\n/, rule("Mine", 15));
  const theirs = base.replace("auto_approval:", `${rule("Theirs", 30)}auto_approval:`);
  const both = combine(base, mine, theirs);
  expect(both?.clashes).toEqual([]);
  expect(names(both?.text ?? "")).toEqual(["Mine", "B", "Theirs", "C"]);
});

test("what both changed is told, and is mine", () => {
  const mine = base.replace("role: x", "role: mine").replace("enabled: true", "enabled: false");
  const theirs = base.replace("role: x", "role: theirs").replace("enabled: true", "enabled: later");
  const both = combine(base, mine, theirs);
  expect(both?.clashes).toEqual(["A", "enabled"]);
  expect(both?.text).toContain("role: mine");
  expect(both?.text).toContain("enabled: false");
});

test("the same change on both sides is none; a rule that I changed and they removed is a clash", () => {
  const both = base.replace("role: x", "role: same");
  expect(combine(base, both, both)).toEqual({ text: both.replace("[low]", "[ low ]"), clashes: [] });
  const gone = base.replace(/ {2}- \{ name: A.*\n/, "");
  const clash = combine(base, base.replace("role: x", "role: mine"), gone);
  expect(clash?.clashes).toEqual(["A"]);
  expect(names(clash?.text ?? "")).toEqual(["A", "B", "C"]);
  const removed = combine(base, gone, base.replace("role: x", "role: theirs"));
  expect(removed?.clashes).toEqual(["A"]);
  expect(names(removed?.text ?? "")).toEqual(["B", "C"]);
});

test("texts that are no policy are not combined", () => {
  expect(combine(base, "rules: [", base)).toBeUndefined();
});
