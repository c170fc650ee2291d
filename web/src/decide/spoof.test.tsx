import { fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Approval } from "../api/types";
import { Server, show, someApproval } from "./testing";

beforeEach(() => sessionStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

const hidden = /[\u200b\u202a-\u202e]/;
const spoof = (text: string) => `${text} \u202egnp.0001\u202c to Bob\u200b`;
const seen = (text: string) => `${text} U+202Egnp.0001U+202C to BobU+200B`;
const press = (key: string) => fireEvent.keyDown(document.body, { key });

const spoofed = (part: Partial<Approval> = {}) =>
  someApproval({
    title: spoof("Title"),
    description: spoof("Description"),
    proposed: { $json: JSON.stringify({ to: spoof("Value"), amount: 1, [spoof("Key")]: [spoof("Entry")] }) },
    reasoning: `**${spoof("Reasoning")}**`,
    show: { $json: JSON.stringify({ [spoof("Shown")]: spoof("Supporting") }) },
    so_far: spoof("So far"),
    if_denied: spoof("Denied"),
    risk: { level: "high", reasons: [spoof("Risk")] },
    rule: { name: spoof("Rule"), policy: "pol_1", reason: spoof("Because") },
    comments: [{ by: spoof("Name"), at: "2026-11-15T09:01:00Z", text: spoof("Remark") }],
    decisions: [{ by: "bob", act: "escalate", at: "2026-11-15T09:02:00Z", version: 1, comment: spoof("Word") }],
    ...part,
  });

/** Shows it and waits for what was made visible of its title. */
async function open(approval: Approval) {
  const server = new Server(approval);
  // The title is not found as it was written.
  await show(server, {}, () => screen.findAllByText("U+202E"));
  return server;
}

describe("characters that cannot be seen", () => {
  it("are marked wherever text of others is shown, and told once", async () => {
    await open(spoofed());
    const page = document.body.textContent ?? "";
    for (const text of [
      "Title",
      "Description",
      "Value",
      "Entry",
      "Reasoning",
      "Supporting",
      "So far",
      "Denied",
      "Risk",
      "Rule",
      "Because",
      "Name",
      "Remark",
      "Word",
    ])
      expect(page).toContain(seen(text));
    for (const key of ["Key", "Shown"]) expect(page).toContain(`${key} U+202Egnp 0001U+202C to BobU+200B`);
    expect(page).not.toMatch(hidden);
    expect(screen.getAllByRole("note")).toHaveLength(1);
    expect(screen.getByRole("note").textContent).toContain("It contains invisible characters.");
  });

  it("are marked as JSON, in comparisons and in choices", async () => {
    await open(
      spoofed({
        kind: "choice",
        acts: ["choose", "reject"],
        options: [{ value: "x", label: spoof("Option"), description: spoof("More") }],
        original: { $json: JSON.stringify({ to: spoof("Before") }) },
      }),
    );
    await screen.findByRole("radio", { name: /Option/ });
    fireEvent.click(screen.getByRole("radio", { name: "JSON" }));
    expect(document.body.textContent).toContain(`"${seen("Value")}"`);
    fireEvent.click(screen.getByRole("radio", { name: "Compare" }));
    expect(document.body.textContent).toContain(seen("Before"));
    press("1");
    for (const text of ["Choose “Option", "Option", "More"]) expect(document.body.textContent).toContain(seen(text));
    expect(document.body.textContent).not.toMatch(hidden);
  });

  it("are told below a field that holds them", async () => {
    await open(spoofed());
    press("e");
    const field = screen.getByLabelText("To") as HTMLInputElement;
    expect(field.value).toBe(spoof("Value"));
    const note = document.getElementById(field.getAttribute("aria-describedby") ?? "");
    expect(note?.textContent).toContain("U+202E (right-to-left override, which turns text around)");
    expect(note?.textContent).toContain("U+200B (zero-width space)");
    expect(note?.textContent).toContain(seen("Value"));
    fireEvent.change(field, { target: { value: "Bob" } });
    expect(note?.textContent).toBe("");
  });

  it("tell names of fields apart that look alike", async () => {
    await show(new Server(someApproval({ proposed: { $json: '{"total":1,"total\ufeff":2}' } })));
    expect(screen.getByText("Total", { selector: "dt" })).toBeTruthy();
    expect(screen.getByText("U+FEFF").closest("dt")?.textContent).toBe("TotalU+FEFF");
  });

  it("are not spoken of where there are none", async () => {
    await show(new Server(someApproval({ reasoning: "Fine 👩‍💻", proposed: { $json: '{"to":"می‌خواهم\\r\\n"}' } })));
    expect(screen.queryByRole("note")).toBeNull();
  });

  it("are found behind the escapes of JSON", async () => {
    await show(new Server(someApproval({ proposed: { $json: '{"to":"a\\u202Eb"}' } })));
    expect(within(screen.getByRole("note")).getByText(/invisible/)).toBeTruthy();
    expect(screen.getAllByText("U+202E").length).toBeGreaterThan(0);
  });
});
