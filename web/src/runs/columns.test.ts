import { expect, it } from "vitest";
import type { Approval, RunSummary } from "../api/types";
import { someApproval } from "../decide/testing";
import { about } from "./columns";

const run = (part: Partial<RunSummary>) => ({ id: "run_1", labels: {}, ...part }) as RunSummary;
const asks = (title: string): Approval[] => [someApproval({ agent: "", title })];

it("says the subject of a run once, also where the title of its approval ends with it", () => {
  const claim = run({ subject: "Claim CLM-1" });
  expect(about(claim, asks("Review · Claim CLM-1")).text).toBe("Claim CLM-1 · Review");
  expect(about(claim, asks("Review of Claim CLM-1")).text).toBe("Claim CLM-1 · Review of Claim CLM-1");
  expect(about(run({}), asks("Review · Claim CLM-1")).text).toBe("Review · Claim CLM-1");
});
