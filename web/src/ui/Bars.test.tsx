import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Bars } from "./Bars";

afterEach(cleanup);

it("draws a share as a part of the whole, and amounts beside the largest one", () => {
  const rows = [{ label: "Refunds", value: 0.5, text: "50 %" }];
  const width = (max?: number) => {
    const { container } = render(<Bars head="Rule" unit="Share" rows={rows} max={max} />);
    return container.querySelector<HTMLElement>("[style]")?.style.width;
  };
  expect(width(1)).toBe("50%");
  expect(width()).toBe("100%");
});
