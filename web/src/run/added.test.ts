import { expect, test } from "vitest";
import type { Event } from "../api/types";
import { raw } from "../json";
import { addedWhy } from "./added";

const changed = (data: object) => ({ type: "plan.changed", data: raw(JSON.stringify(data)) }) as unknown as Event;

test("a step that was searched for says what was wanted and why its tool fits", () => {
  const events = [
    changed({
      why: "replan: parse XML files",
      steps: [{ id: "parse" }],
      because: [{ step: "parse", because: "wanted: parse XML files; matches parse, XML", unset: ["path"] }],
    }),
  ];
  expect(addedWhy(events, "parse")).toEqual(["Wanted: parse XML files", "Matches parse, XML", "Nothing provided path"]);
  expect(addedWhy(events, "other")).toEqual([]);
});

test("a step that a person added has that person's reason, if there is one", () => {
  expect(addedWhy([changed({ why: "asked by ann", steps: [{ id: "more" }] })], "more")).toEqual(["Asked by ann"]);
  expect(addedWhy([changed({ steps: [{ id: "more" }] })], "more")).toEqual([]);
});
