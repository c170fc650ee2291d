import { expect, it } from "vitest";
import { activeOf, chosenOf, filterOf, matching, offersOf, searchOf, withOffer } from "./filter";

it("the address says what is shown, and unknown values say nothing", () => {
  const chosen = chosenOf({
    risk: "high",
    kind: "choice",
    mine: "true",
    role: "finance",
    agent: "mailer",
    sort: "age",
  });
  expect(filterOf(chosen)).toEqual({
    risk: "high",
    kind: "choice",
    mine: true,
    role: ["finance"],
    agent: "mailer",
    workflow: undefined,
    sort: "age",
    status: ["pending"],
  });
  expect(chosenOf(searchOf(chosen))).toEqual(chosen);
  expect(activeOf(chosen).map((a) => a.label)).toEqual([
    "Mine",
    "High risk",
    "Choice",
    "Agent: Mailer",
    "Role: Finance",
  ]);
  const odd = chosenOf({ risk: "toString", kind: "nonsense", sort: "constructor", mine: "1" });
  expect(activeOf(odd)).toEqual([]);
  expect(odd.sort).toBe("priority");
  expect(searchOf(odd).sort).toBeUndefined();
});

it("what is offered exists, and is found by all words typed", () => {
  const offers = offersOf({ workflows: ["refund-email"], agents: ["mailer"], roles: ["finance"] });
  expect(matching(offers, "refund work").map((o) => o.value)).toEqual(["refund-email", "refund work"]);
  expect(matching(offers, "crit").map((o) => o.value)).toEqual(["critical", "crit"]);
  expect(matching(offers, " ")).toEqual(offers);
  const [mailer] = matching(offers, "mailer");
  expect(mailer && withOffer({ sort: "age" }, mailer)).toEqual({ sort: "age", agent: "mailer" });
});

it("words that name no filter are searched for", () => {
  const [search] = matching(offersOf({ workflows: [], agents: [], roles: [] }), " order A-5501 ");
  expect(search).toMatchObject({ dimension: "q", value: "order A-5501", label: "Search for “order A-5501”" });
  const chosen = withOffer({ sort: "priority" }, search ?? { dimension: "q", value: "" });
  expect(filterOf(chosen)).toMatchObject({ q: "order A-5501", status: ["pending"] });
  expect(chosenOf(searchOf(chosen)).q).toBe("order A-5501");
  expect(activeOf(chosen).map((a) => a.label)).toEqual(["“order A-5501”"]);
  expect(chosenOf({ q: "  " }).q).toBeUndefined();
});
