import { expect, it } from "vitest";
import { subjectBeside } from "./subject";

it.each([
  ["7001 · 120 · Iben Dahl", { customer: "Iben Dahl", amount: 120, reference: 7001 }, ""],
  ["€2,400.00 · Olav", { to: "Olav", amount: 2400 }, ""],
  ["T-512: I forgot my password", { user: "u-1377" }, "T-512: I forgot my password"],
  ["120 · Iben Dahl", { amount: 120 }, "120 · Iben Dahl"],
  ["120 · Iben Dahl", { customer: "Iben Dahl", amount: 1200 }, "120 · Iben Dahl"],
  ["· x", { zero: 0, empty: "" }, "· x"],
  ["Order 7", null, "Order 7"],
  [undefined, { amount: 1 }, ""],
])("beside the proposal, %j tells what that does not: %j", (subject, proposed, shown) => {
  expect(subjectBeside(subject, proposed)).toBe(shown);
});
