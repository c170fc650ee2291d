import { fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, it } from "vitest";
import { show } from "../graph/testing";
import { DisableRule } from "./DisableRule";
import { read } from "./model";
import type { Work } from "./useWork";

const policy = `policy: default
rules:
  - name: Others
    priority: 1
    trigger: { operation_type: [delete] }
    action: { auto_approve: false }
auto_approval:
  rules:
    - name: Small refunds
      conditions: { operation_type: refund }
      action: { auto_approve: true }
`;

let text = "";

function Page({ name, editable = true }: { name: string; editable?: boolean }) {
  const [now, set] = useState(policy);
  text = now;
  const work = { text: now, dirty: now !== policy, set } as unknown as Work;
  return <DisableRule name={name} model={read(now)} work={work} editable={editable} />;
}

it("changes nothing until asked to, and then the one rule in the draft", async () => {
  await show(<Page name="Small refunds" />);
  expect(screen.getByRole("heading", { name: "Disable “Small refunds”?" })).toBeTruthy();
  expect(text).toBe(policy);
  fireEvent.click(screen.getByRole("button", { name: "Disable rule" }));
  expect(read(text).automatic).toMatchObject([{ name: "Small refunds", enabled: false }]);
  expect(read(text).rules).toMatchObject([{ name: "Others", enabled: true }]);
  expect(screen.getByText(/disabled in your draft/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Disable rule" })).toBeNull();
});

it("offers nothing to people who may not change the policy, or about a rule that is gone", async () => {
  const { unmount } = await show(<Page name="Small refunds" editable={false} />);
  expect(screen.getByText(/don't have permission/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Disable rule" })).toBeNull();
  unmount();
  await show(<Page name="Gone" />);
  expect(screen.getByText(/no longer part/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Disable rule" })).toBeNull();
});
