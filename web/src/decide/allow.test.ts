import { expect, it } from "vitest";
import type { Approval } from "../api/types";
import { rawOf } from "../json";
import { ruleFor } from "./allow";

const now = Date.parse("2026-11-17T10:00:00Z");
const approval = (more: object = {}) =>
  ({
    kind: "approval",
    reason: "rule",
    workflow: "refund",
    risk: { level: "medium" },
    action: { operation: "refund", type: "step", digest: "" },
    ...more,
  }) as Approval;

it("drafts a narrow rule from an approval", () => {
  expect(ruleFor(approval(), rawOf({ customer: "Iben", amount: 40.5 }), now)).toEqual({
    name: "Allow refund in refund, amount up to 40.5",
    trigger: {
      operation_type: ["refund"],
      workflow: ["refund"],
      risk_level: ["medium"],
      data_threshold: [{ field: "amount", operator: "<=", value: 40.5 }],
    },
    action: { auto_approve: true, sample_percentage: 20, max_uses: 50, expires_at: "2026-12-17" },
  });
  const call = approval({ reason: "call", action: { tool: "send_mail", operation: "send_email" } });
  expect(ruleFor(call, null, now)?.trigger).toMatchObject({ tool: ["send_mail"], operation_type: ["send_email"] });
});

it("drafts none where no rule can answer, or none should", () => {
  const none = [
    approval({ reason: "gate" }),
    approval({ reason: "low_confidence" }),
    approval({ kind: "choice" }),
    approval({ risk: { level: "critical" } }),
    approval({ action: { operation: "wipe", reversible: "no" } }),
    approval({ action: {} }),
  ];
  expect(none.map((one) => ruleFor(one, rawOf({}), now))).toEqual(none.map(() => undefined));
});

it("leaves out amounts that a number cannot represent", () => {
  const proposed = { $json: '{"amount":12345678901234567890,"total":1.10}' };
  expect(ruleFor(approval(), proposed, now)?.trigger).not.toHaveProperty("data_threshold");
});
