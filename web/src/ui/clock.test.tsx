import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { setClock, useClock } from "./clock";

let drawn = 0;
function Seconds() {
  drawn++;
  return <p>{useClock((now) => Math.floor(now / 1000))}</p>;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 900 });
  setClock();
  drawn = 0;
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("the first view goes on with the next tick, and is not drawn again at once", () => {
  vi.setSystemTime(1100); // drawing took that long
  const { container } = render(<Seconds />);
  expect([container.textContent, drawn]).toEqual(["0", 1]);
  act(() => vi.advanceTimersByTime(1000));
  expect(container.textContent).toBe("2");
  cleanup();
  vi.setSystemTime(3100);
  expect(render(<Seconds />).container.textContent).toBe("3"); // later views are exact
});

it("a clock that stood still is set before it is read", () => {
  vi.setSystemTime(60_000);
  const { container } = render(<Seconds />);
  expect(container.textContent).toBe("60");
});
