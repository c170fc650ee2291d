import { describe, expect, it } from "vitest";
import { addressOf, hrefOf, type Place, placeOf } from "./address";

const places: Place[] = ["/", "/inbox", "/runs", "/runs/$id", "/runs/$id/replay"];
const here = addressOf("/runs?status=failed&label=a");

describe("addresses", () => {
  it.each([
    [{ to: "/inbox" as const }, "/inbox"],
    [{ to: "/runs" as const, search: { label: "team:a b", status: undefined, q: "" } }, "/runs?label=team%3Aa+b"],
    [{ to: "/runs/$id" as const, params: { id: "a/b c" } }, "/runs/a%2Fb%20c"],
    [{ search: (before: object) => ({ ...before, status: undefined }) }, "/runs?label=a"],
    [{ search: {} }, "/runs"],
  ])("leads to %j", (target, href) => {
    expect(hrefOf(target, here)).toBe(href);
  });

  it("are read back as they were made", () => {
    const search = { q: "100 % & more", r: "a=b" };
    expect(addressOf(hrefOf({ to: "/runs", search }, here)).search).toEqual(search);
  });

  it.each([
    ["/", { place: "/", id: "" }],
    ["/inbox", { place: "/inbox", id: "" }],
    ["/inbox/", { place: "/inbox", id: "" }],
    ["/runs/run_1", { place: "/runs/$id", id: "run_1" }],
    ["/runs/a%2Fb", { place: "/runs/$id", id: "a/b" }],
    ["/runs/100%", { place: "/runs/$id", id: "100%" }],
    ["/runs/run_1/replay", { place: "/runs/$id/replay", id: "run_1" }],
    ["/runs/run_1/other", undefined],
    ["/runs//replay", undefined],
    ["/nowhere", undefined],
  ])("are recognised: %s", (path, found) => {
    expect(placeOf(path, places)).toEqual(found);
  });
});
