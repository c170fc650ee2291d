import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { useWork } from "./useWork";

afterEach(() => sessionStorage.clear());

const work = () =>
  renderHook(({ inForce, version }) => useWork(inForce, version), { initialProps: { inForce: "a", version: 1 } });

it("is not overtaken by its own text, which is in force before the answer to its publication comes", () => {
  const { result, rerender } = work();
  act(() => result.current.set("b"));
  expect([result.current.dirty, result.current.overtaken]).toEqual([true, false]);
  rerender({ inForce: "b", version: 2 });
  expect([result.current.dirty, result.current.overtaken, result.current.version]).toEqual([false, false, 2]);
  act(() => result.current.published(2));
  expect([result.current.text, result.current.dirty, result.current.version]).toEqual(["b", false, 2]);
});

it("is overtaken by another text", () => {
  const { result, rerender } = work();
  act(() => result.current.set("b"));
  rerender({ inForce: "c", version: 2 });
  expect([result.current.text, result.current.overtaken, result.current.version]).toEqual(["b", true, 1]);
});
