import { describe, expect, it } from "vitest";
import { rawOf } from "../json";
import { changeWords, fieldName, fieldValue, pathOf } from "./fields";

describe("the words of a document's fields", () => {
  it.each([
    ["gate", "/on_reject", "If rejected"],
    ["gate", "/timeout/then", "Deadline › Then"],
    ["gate", "/options/1/label", "Options › 2 › Label"],
    ["step", "/human/escalate/0/to", "Question › Escalation › 1 › To"],
    ["step", "/with/customer_id", "Input › customer_id"],
    ["step", "/retry/max_backoff", "After failures › Longest pause"],
    ["workflow", "/loops/human/quorum", "Between layers › People › Approvals needed"],
    ["workflow", "/input/properties/on_reject/type", "Input of a run › properties › on_reject › type"],
    ["agent", "/limits/cost_usd", "Limits of one run › Cost, US dollars"],
    ["agent", "/unheard_of", "Unheard of"],
    ["rule", "/action/timeout_seconds", "Deadline"],
    ["rule", "", "Everything"],
  ] as const)("%s %s: %s", (kind, pointer, name) => {
    expect(fieldName(kind, pathOf(pointer))).toBe(name);
  });

  it.each([
    ["gate", ["on_reject"], "cancel", "The run is cancelled"],
    ["gate", ["on_reject"], undefined, "not set"],
    ["gate", ["on_reject"], "toString", "toString"],
    ["gate", ["at"], "before send_mail", "Before Send mail"],
    ["gate", ["at"], "call mcp:shop/pay_out", "Before each call of Pay out of Shop"],
    ["gate", ["escalate"], [{ after: "4h", to: "role:manager" }], "After: 4h, To: Manager"],
    ["gate", ["assignees"], ["ann", "role:press"], "ann, Press"],
    ["gate", ["auto_approvable"], true, "yes"],
    ["step", ["needs"], ["read_mail"], "Read mail"],
    ["step", ["with"], { sum: "read.amount" }, "sum: read.amount"],
    ["step", ["with"], { at: { x: 1 } }, '{"at":{"x":1}}'],
    ["agent", ["autonomy"], "full", "Works alone"],
    ["agent", ["tools"], [], "none"],
    ["rule", ["action", "timeout_seconds"], 3600, "1\u00a0h"],
    ["rule", ["when", "risk_level"], ["high", "critical"], "High, Critical"],
  ] as const)("%s %s: the value %o is %s", (kind, path, value, words) => {
    expect(fieldValue(kind, path, value)).toBe(words);
  });

  it("keeps differences that read alike apart, and every digit", () => {
    const of = (path: string, from: unknown, to: unknown) =>
      changeWords("step", { path, from: rawOf(from), to: rawOf(to) });
    expect(of("/agent", "mail-reader", "mail_reader")).toEqual(["mail-reader", "mail_reader"]);
    expect(of("/agent", "reader", "mail_reader")).toEqual(["Reader", "Mail reader"]);
    expect(
      changeWords("step", {
        path: "/sample/n",
        from: { $json: "9007199254740992" },
        to: { $json: "9007199254740993" },
      }),
    ).toEqual(["9007199254740992", "9007199254740993"]);
  });
});
