import { describe, expect, it } from "vitest";
import type { Approval } from "../api/types";
import { raw } from "../json";
import { atDeadline } from "./timeout";

const options = [{ value: "a", label: "By post" }, { value: "b" }];
const of = (part: object) => ({ kind: "approval", options: [], on_timeout: "default", ...part }) as unknown as Approval;

describe("what happens at the deadline", () => {
  it.each([
    [{ on_timeout: undefined }, ""],
    [{ on_timeout: "reject" }, "it is rejected"],
    [{ kind: "choice", options, default: raw('"a"') }, "“By post” is chosen"],
    [{ kind: "choice", options, default: raw('"b"') }, "“b” is chosen"],
    [
      { kind: "input", default: raw('{"amount":12345678901234567890}') },
      'this is answered: {"amount":12345678901234567890}',
    ],
    [{ default: raw('{"amount":3}') }, 'it is approved with {"amount":3}'],
    [{ default: raw(`{"text":"${"x".repeat(100)}"}`) }, `it is approved with {"text":"${"x".repeat(71)}…`],
    [{}, "the default answer is used"],
  ])("%j", (part, sentence) => {
    expect(atDeadline(of(part))).toBe(sentence);
  });
});
