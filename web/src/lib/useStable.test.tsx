import { render } from "@testing-library/react";
import { useLayoutEffect } from "react";
import { expect, it } from "vitest";
import { useStable } from "./useStable";

it("calls the functions of what is shown as soon as that is in the document", () => {
  const said: string[] = [];
  const objects = new Set<object>();
  function Shown({ text }: { text: string }) {
    const on = useStable({ say: () => text });
    objects.add(on);
    useLayoutEffect(() => void said.push(on.say())); // before effects, as a click may come
    return <p>{text}</p>;
  }
  const { rerender } = render(<Shown text="one" />);
  rerender(<Shown text="two" />);
  expect(said).toEqual(["one", "two"]);
  expect(objects.size).toBe(1);
});
