import { expect, test } from "vitest";
import type { Event } from "../api/types";
import { raw } from "../json";
import { addedWhy } from "./added";

const changed = (data: object) => ({ type: "plan.changed", data: raw(JSON.stringify(data)) }) as unknown as Event;

test("a step that was searched for says what for and why its tool fits", () => {
  const found = (because: object) => [
    changed({ why: "replan: parse files", steps: [{ id: "parse" }], because: [{ step: "parse", ...because }] }),
  ];
  const events = found({
    wanted: "parse XML files",
    because: "matches “parse” and “XML”; served 2 similar requests",
    unset: ["path"],
  });
  expect(addedWhy(events, "parse")).toEqual([
    "The run needed a step for “parse XML files”.",
    "Its tool matches “parse” and “XML”.",
    "Its tool served 2 similar requests.",
    "The search found no value for path.",
  ]);
  expect(addedWhy(events, "other")).toEqual([]);
  // Events of earlier releases.
  expect(addedWhy(found({ because: "wanted: parse XML files; matches parse, XML" }), "parse")).toEqual([
    "The run needed a step for “parse XML files”.",
    "Its tool matches parse, XML.",
  ]);
  expect(addedWhy(found({}), "parse")).toEqual(["The run needed a step for “parse files”."]);
});

test("a step that a person added has that person's reason, if there is one", () => {
  expect(addedWhy([changed({ why: "asked by ann", steps: [{ id: "more" }] })], "more")).toEqual(["Asked by ann"]);
  expect(addedWhy([changed({ steps: [{ id: "more" }] })], "more")).toEqual([]);
});
