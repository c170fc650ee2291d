import { screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rawOf } from "../json";
import { Server, show, someApproval } from "./testing";

afterEach(() => void vi.unstubAllGlobals());

const list = { id: "list", layer: 0, needs: [], by: "files" };
const analyze = { id: "analyze", layer: 1, needs: ["list"], by: "analyst" };
const replan = (data: unknown) =>
  someApproval({ reason: "loop", action: { ...someApproval().action, type: "replan" }, show: rawOf(data) });

it("draws the plan with the steps that were found", async () => {
  const parse = { id: "parse_xml", layer: 1, needs: ["list"], by: "mcp:xml/parse", added: true };
  const after = [list, parse, { ...analyze, layer: 2, needs: ["list", "parse_xml"] }];
  await show(new Server(replan({ before: [list, analyze], after })));
  const plan = within(screen.getByText("The plan with these steps").closest("section") as HTMLElement);
  const layers = plan.getAllByRole("listitem").filter((item) => within(item).queryByRole("list"));
  expect(layers.map((item) => item.textContent)).toEqual([
    "1List files",
    "2Parse xml Newmcp:xml/parse",
    "3Analyze analyst · now also waits for Parse xml",
  ]);
  expect(screen.getByText(/^These steps are added to the plan/)).toBeTruthy();
  expect(screen.getByText(/^Steps were found for a new requirement/)).toBeTruthy();
});

it("shows data of another shape as it is", async () => {
  await show(new Server(replan({ before: "a sentence" })));
  expect(screen.getByText("Supporting data")).toBeTruthy();
  expect(screen.getByText("a sentence")).toBeTruthy();
});
