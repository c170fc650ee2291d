import { expect, it } from "vitest";
import { score } from "./Palette";

it("the palette prefers beginnings, and leaves out what does not fit", () => {
  expect(score("his", ["History"])).toBe(1);
  expect(score("theme", ["Light theme"])).toBe(0.8);
  expect(score("sto", ["History"])).toBe(0.5);
  expect(score("his", ["Theme like the system"])).toBe(0);
});
