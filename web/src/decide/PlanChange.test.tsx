import { screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rawOf } from "../json";
import { Server, show, someApproval } from "./testing";

afterEach(() => void vi.unstubAllGlobals());

const list = { id: "list", layer: 0, needs: [], by: "files" };
const analyze = { id: "analyze", layer: 1, needs: ["list"], by: "analyst" };
const replan = (data: unknown) =>
  someApproval({ reason: "loop", action: { ...someApproval().action, type: "replan" }, show: rawOf(data) });

const layersOf = (title: string) =>
  within(screen.getByRole("list", { name: title }))
    .getAllByRole("listitem")
    .filter((item) => within(item).queryByRole("list"))
    .map((item) => item.textContent);

it("draws the plan before and after, with the steps that were found", async () => {
  // One step was added earlier: it is not new.
  const early = { id: "count", layer: 0, needs: [], by: "counter", added: true };
  const parse = { id: "parse_xml", layer: 1, needs: ["list"], by: "mcp:xml/parse", added: true, risk: "high" };
  const after = [list, early, parse, { ...analyze, layer: 2, needs: ["list", "parse_xml"] }];
  await show(new Server(replan({ before: [list, early, analyze], after })));
  expect(layersOf("Now")).toEqual(["1List FilesCount Counter", "2Analyze Analyst"]);
  expect(layersOf("With these steps")).toEqual([
    "1List FilesCount Counter",
    "2Parse xml New High riskParse of Xml",
    "3Analyze Analyst · now also waits for Parse xml",
  ]);
  expect(screen.getByText(/^These steps are added to the plan/)).toBeTruthy();
  expect(screen.getByText(/^Steps were found for a new requirement/)).toBeTruthy();
});

it("says which step waits for another one instead, after a failure", async () => {
  const mirror = { id: "mirror", layer: 0, needs: [], by: "mirror", added: true };
  const after = [list, mirror, { ...analyze, needs: ["mirror"] }];
  await show(new Server(replan({ before: [list, analyze], after })));
  expect(layersOf("With these steps")[1]).toBe("2Analyze Analyst · now waits for Mirror instead of List");
});

it("shows data of another shape as it is", async () => {
  await show(new Server(replan({ before: "a sentence" })));
  expect(screen.getByText("Supporting data")).toBeTruthy();
  expect(screen.getByText("a sentence")).toBeTruthy();
});
