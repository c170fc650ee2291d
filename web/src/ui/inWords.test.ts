import { expect, it } from "vitest";
import { ApiError, unreachable } from "../api/error";
import { inWords } from "./inWords";

it("says why something failed, and what to do", () => {
  expect(
    inWords(new ApiError({ code: "forbidden", detail: "your roles do not cover it", hint: "ask an approver" })),
  ).toBe("Your roles do not cover it. Ask an approver.");
  expect(inWords(unreachable())).toMatch(/^The server did not answer\. Check that it runs/);
  const errors = ["a", "b", "c"].map((path) => ({ path, message: "must be a number" }));
  expect(inWords(new ApiError({ code: "invalid", detail: "the changes are not valid", hint: "", errors }))).toBe(
    "The changes are not valid. A: must be a number. B: must be a number.",
  );
  expect(inWords(new Error("it broke"))).toBe("It broke.");
});
