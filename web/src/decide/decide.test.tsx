import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keys } from "../api/queries";
import type { Approval } from "../api/types";
import { grace, graceFor, graceMs, setUndo } from "../lib/undo";
import * as toasts from "../ui/Toasts";
import { button, press, Server, settled, show, someApproval, type } from "./testing";

beforeEach(() => sessionStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

describe("deciding", () => {
  it("approves the version that is shown, and tells it", async () => {
    const server = new Server(someApproval());
    const onDecided = vi.fn();
    await show(server, { onDecided });
    server.answer = () => {
      server.approval = settled({
        status: "approved",
        outcome: { status: "approved", by: "maria", at: "2026-11-15T09:05:00Z" },
      });
      return server.json(server.approval);
    };
    press("a");
    await screen.findByText("You approved this", { exact: false });
    expect(server.decisions[0]?.body).toMatchObject({ act: "approve", version: 3 });
    expect(server.decisions[0]?.key).toBeTruthy();
    expect(onDecided).toHaveBeenCalledWith(expect.objectContaining({ status: "approved" }), "approve");
    expect(screen.getByText("The run continues.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
  });

  it("sends an edit as the smallest change, every other digit untouched", async () => {
    const server = new Server(someApproval());
    await show(server);
    press("e");
    type("Amount", "45.00");
    expect(button(/Approve with 1 change/)).toBeTruthy();
    fireEvent.click(button(/Approve with 1 change/));
    await waitFor(() => expect(server.decisions).toHaveLength(1));
    expect(server.decisions[0]?.body.text).toBe('{"act":"modify","changes":{"amount":45.00},"version":3}');
  });

  it("votes as the role that is chosen, where several count", async () => {
    const server = new Server(someApproval({ vote_as: ["press", "legal"], quorum: { needed: 2, given: 0 } }));
    await show(server);
    expect(button(/^Approve as Press/)).toBeTruthy();
    type("Your vote counts as", "legal");
    fireEvent.click(button(/^Approve as Legal/));
    await waitFor(() => expect(server.decisions).toHaveLength(1));
    expect(server.decisions[0]?.body).toMatchObject({ act: "approve", role: "legal", version: 3 });
  });

  it("rejects without a role", async () => {
    const server = new Server(someApproval({ vote_as: ["press", "legal"] }));
    await show(server);
    press("r");
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.change(dialog.getByLabelText("Why"), { target: { value: "no" } });
    fireEvent.click(dialog.getByRole("button", { name: /Reject/ }));
    await waitFor(() => expect(server.decisions).toHaveLength(1));
    expect(server.decisions[0]?.body.role).toBeUndefined();
  });

  it("says at the field what is wrong, and does not send it", async () => {
    const server = new Server(someApproval());
    await show(server);
    press("e");
    type("Amount", "12,5");
    expect(screen.getByText("This is not a number. Write it like 1234.50.")).toBeTruthy();
    expect(button(/Approve with 1 change/).disabled).toBe(true);
    server.preview = () =>
      server.json({
        diff: [],
        valid: false,
        errors: [{ path: "/to", message: "nobody has this address" }],
        proposed: null,
      });
    type("Amount", "12.5");
    type("To", "ghost@example.com");
    await screen.findByText("Nobody has this address");
    expect(button(/Approve with 2 changes/).disabled).toBe(true);
    press("a");
    expect(server.decisions).toHaveLength(0);
  });

  it("asks for the reason of a rejection and says what it does", async () => {
    const server = new Server(someApproval());
    await show(server);
    press("r");
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText("The run is cancelled.")).toBeTruthy();
    const send = dialog.getByRole("button", { name: /Reject/ }) as HTMLButtonElement;
    expect(send.disabled).toBe(true);
    fireEvent.change(dialog.getByLabelText("Why"), { target: { value: " too high " } });
    fireEvent.keyDown(dialog.getByLabelText("Why"), { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(server.decisions).toHaveLength(1));
    expect(server.decisions[0]?.body).toMatchObject({ act: "reject", comment: "too high", version: 3 });
  });

  it.each([
    ["the menu where there is no space for the button", 0, 1],
    ["its button alone where there is", 120, 0],
  ])("asks for a revision by %s", async (_, width, inMenu) => {
    const offset = vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(width);
    await show(new Server(someApproval({ acts: ["approve", "request_revision"] })));
    fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
    await screen.findByRole("menuitem", { name: /note/ });
    expect(screen.queryAllByRole("menuitem", { name: "Ask for a revision" })).toHaveLength(inMenu);
    offset.mockRestore();
  });

  it("hands over to a person or a role", async () => {
    const server = new Server(someApproval({ acts: ["approve", "delegate", "escalate"] }));
    await show(server);
    fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Hand over" }));
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(dialog.getByRole("radio", { name: "Everyone with a role" }));
    fireEvent.change(dialog.getByLabelText("Role"), { target: { value: "manager" } });
    fireEvent.click(dialog.getByRole("button", { name: /Hand over/ }));
    await waitFor(() => expect(server.decisions[0]?.body).toMatchObject({ act: "delegate", to: "role:manager" }));
  });

  it("offers those who could take it, by keys and by clicks; and shows what the server refuses", async () => {
    const server = new Server(someApproval({ acts: ["approve", "delegate"] }));
    const one = (kind: string, name: string, label = name) => ({
      to: kind === "role" ? `role:${name}` : name,
      kind,
      name,
      label,
      roles: kind === "role" ? [] : ["support_lead"],
    });
    server.recipients = [one("person", "carla", "Carla Nord"), one("person", "carl"), one("role", "legal_team")];
    server.answer = () =>
      server.problem(422, "invalid", { errors: [{ path: "to", message: 'did you mean "carla"?' }] });
    await show(server);
    fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Hand over" }));
    const dialog = within(await screen.findByRole("dialog"));
    const field = dialog.getByRole("combobox", { name: "Name" }) as HTMLInputElement;
    expect((await dialog.findAllByRole("option")).map((o) => o.textContent)).toEqual([
      expect.stringContaining("Carla NordcarlaSupport lead"),
      expect.stringContaining("carlSupport lead"),
    ]);
    fireEvent.keyDown(field, { key: "ArrowDown" });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(field.value).toBe("carla");
    expect(dialog.queryAllByRole("option")).toEqual([]);
    fireEvent.click(dialog.getByRole("button", { name: /Hand over/ }));
    expect(await dialog.findByText('did you mean "carla"?')).toBeTruthy();
    fireEvent.click(dialog.getByRole("radio", { name: "Everyone with a role" }));
    fireEvent.click(await dialog.findByRole("option", { name: "Legal team" }));
    expect((dialog.getByRole("combobox", { name: "Role" }) as HTMLInputElement).value).toBe("legal_team");
  });

  it("refuses a name that can be none, before anything is sent", async () => {
    const server = new Server(someApproval({ acts: ["approve", "delegate"] }));
    await show(server);
    fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Hand over" }));
    const dialog = within(await screen.findByRole("dialog"));
    const send = dialog.getByRole("button", { name: /Hand over/ }) as HTMLButtonElement;
    const field = dialog.getByLabelText("Name");
    for (const [name, why] of [
      ["", undefined],
      ["  ", undefined],
      ["bo\u0007b", /invisible/],
      ["bob\u200b", /invisible/],
      ["bob and carla", /one word/],
      ["é".repeat(128), /too long/],
      ["maria", /That's you/],
    ] as const) {
      fireEvent.change(field, { target: { value: name } });
      expect(send.disabled).toBe(true);
      if (why) expect(dialog.getByText(why)).toBeTruthy();
      fireEvent.keyDown(field, { key: "Enter", ctrlKey: true });
    }
    fireEvent.change(field, { target: { value: " bob@example.com " } });
    expect(send.disabled).toBe(false);
    fireEvent.click(send);
    await waitFor(() => expect(server.decisions.map((d) => d.body.to)).toEqual(["bob@example.com"]));
  });

  it("says to whom it was handed", async () => {
    const server = new Server(someApproval({ acts: ["delegate"] }));
    const shown = vi.spyOn(toasts, "toast");
    await show(server);
    fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: "Hand over" }));
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.change(dialog.getByLabelText("Name"), { target: { value: "carla" } });
    fireEvent.click(dialog.getByRole("button", { name: /Hand over/ }));
    await waitFor(() => expect(shown).toHaveBeenCalled());
    expect(shown.mock.calls[0]?.[0]).toMatchObject({ title: "Handed to carla", detail: "Pay this refund" });
  });

  it("wants the word typed before something critical", async () => {
    const server = new Server(
      someApproval({
        risk: { level: "critical" },
        action: { type: "tool_call", tool: "wire_transfer", digest: "d" },
      }),
    );
    await show(server);
    press("a");
    const dialog = within(await screen.findByRole("dialog"));
    const send = dialog.getByRole("button", { name: /Approve/ }) as HTMLButtonElement;
    expect(send.disabled).toBe(true);
    fireEvent.change(dialog.getByLabelText(/Type/), { target: { value: "wire" } });
    expect(send.disabled).toBe(true);
    expect(server.decisions).toHaveLength(0);
    fireEvent.change(dialog.getByLabelText(/Type/), { target: { value: "wire_transfer" } });
    fireEvent.click(send);
    await waitFor(() => expect(server.decisions[0]?.body).toMatchObject({ act: "approve", version: 3 }));
  });

  it("offers only what the server offers", async () => {
    await show(new Server(someApproval({ acts: ["approve", "reject"] })));
    expect(screen.queryByRole("button", { name: /Edit/ })).toBeNull();
    press("e");
    expect(screen.queryByLabelText("Amount")).toBeNull();
    fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
    expect(await screen.findByRole("menuitem", { name: /note/ })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Hand over" })).toBeNull();
  });

  it("takes an option by its number", async () => {
    const server = new Server(
      someApproval({
        kind: "choice",
        acts: ["choose", "reject"],
        options: [
          { value: "fraud", label: "Confirm fraud", description: "Stop the claim" },
          { value: "fine", label: "False alarm" },
        ],
      }),
    );
    await show(server);
    expect(button(/Choose an option/).disabled).toBe(true);
    press("2");
    expect((await screen.findByRole("radio", { name: /False alarm/ })).getAttribute("aria-checked")).toBe("true");
    press("a");
    await waitFor(() => expect(server.decisions[0]?.body).toMatchObject({ act: "choose", option: "fine", version: 3 }));
  });

  it("takes data by a form that begins with what is known", async () => {
    const server = new Server(
      someApproval({
        kind: "input",
        acts: ["submit", "reject"],
        action: { type: "result", digest: "d" },
        proposed: { $json: '{"claim_amount":24000.00,"policy_id":null,"other":1}' },
        input_schema: {
          $json:
            '{"type":"object","required":["policy_id"],"properties":{"claim_amount":{"type":"number"},"policy_id":{"type":"string","title":"Policy"}}}',
        },
      }),
    );
    await show(server);
    expect((screen.getByLabelText(/^Claim amount/) as HTMLInputElement).value).toBe("24000.00");
    expect(button(/Submit/).disabled).toBe(true);
    type("Policy", "POL-7");
    fireEvent.click(button(/Submit/));
    await waitFor(() => expect(server.decisions).toHaveLength(1));
    expect(server.decisions[0]?.body.text).toBe(
      '{"act":"submit","data":{"claim_amount":24000.00,"policy_id":"POL-7"},"version":3}',
    );
  });

  it("says what is needed before anything was done, and what is wrong only after", async () => {
    const server = new Server(
      someApproval({
        kind: "input",
        acts: ["submit"],
        proposed: { $json: "{}" },
        input_schema: {
          $json: '{"type":"object","required":["why"],"properties":{"why":{"type":"string","title":"Why"}}}',
        },
      }),
    );
    await show(server);
    const field = screen.getByLabelText("Why");
    expect(field.getAttribute("aria-invalid")).toBeNull();
    expect(screen.getByText("Required")).toBeTruthy();
    expect(screen.queryByText("This is needed.")).toBeNull();
    expect(button(/Submit/).disabled).toBe(true);
    fireEvent.click(button("1 field to fill in"));
    expect(document.activeElement).toBe(field);
    fireEvent.blur(field);
    expect(screen.getByText("This is needed.")).toBeTruthy();
    expect(field.getAttribute("aria-invalid")).toBe("true");
  });

  it.each([
    ["nothing", null, "tool_call", "It would be called without arguments."],
    ["an empty object", { $json: "{ }" }, "tool_call", "It would be called without arguments."],
    ["no input", { $json: "{}" }, "step", "The step gets no input."],
    ["no result", { $json: "{}" }, "result", "The result is empty."],
  ] as const)("says so when there is %s, and offers no change of it", async (_, proposed, type, text) => {
    const server = new Server(someApproval({ proposed, action: { type, tool: "drop", digest: "d" } }));
    await show(server);
    expect(screen.getByText(text)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Edit/ })).toBeNull();
    press("e");
    expect(screen.queryByRole("button", { name: "Discard" })).toBeNull();
    expect(button(/Approve/).disabled).toBe(false);
  });

  it("fills in what may be given where nothing is proposed", async () => {
    const server = new Server(someApproval({ proposed: { $json: "{}" } }));
    await show(server);
    press("e");
    type("To", "bob@example.com");
    type("Amount", "1");
    fireEvent.click(button(/Approve with 2 changes/));
    await waitFor(() => expect(server.decisions).toHaveLength(1));
  });

  it("whoever has voted may still change it, and sees what that would send", async () => {
    const vote = { by: "maria", act: "approve", at: "2026-11-15T09:05:00Z" } as Approval["decisions"][0];
    const quorum = { needed: 2, given: 1 };
    const server = new Server(someApproval({ acts: ["modify", "reject"], decisions: [vote], quorum }));
    await show(server);
    press("e");
    expect(button(/Approve with changes/).disabled).toBe(true);
    type("Amount", "45.00");
    expect(button(/Approve with 1 change/).disabled).toBe(false);
  });

  it.each([
    ["has not the permission", { permissions: ["view"] }, {}, false],
    ["has the permission", {}, {}, true],
    ["is asked by name", { permissions: ["view"] }, { assignees: ["maria"] }, true],
  ] as const)("lets nobody write a comment in vain: who %s", async (_, me, part, may) => {
    const server = new Server(someApproval({ ...part, assignees: [...("assignees" in part ? part.assignees : [])] }));
    server.me = { ...server.me, ...me, permissions: [...("permissions" in me ? me.permissions : ["comment"])] };
    const { client } = await show(server);
    await waitFor(() => expect(client.getQueryData(keys.me)).toBeTruthy());
    await waitFor(() => expect(screen.queryAllByLabelText("Comment")).toHaveLength(may ? 1 : 0));
    expect(screen.queryAllByText("Discussion")).toHaveLength(may ? 1 : 0);
    press("c");
    expect(document.activeElement === screen.queryByLabelText("Comment")).toBe(may);
  });

  it("comments without deciding", async () => {
    const server = new Server(someApproval());
    await show(server);
    server.answer = () =>
      server.json(someApproval({ comments: [{ by: "maria", at: "2026-11-15T09:01:00Z", text: "Is it?" }] }));
    press("c");
    expect(document.activeElement).toBe(screen.getByLabelText("Comment"));
    type("Comment", "Is it?");
    fireEvent.keyDown(screen.getByLabelText("Comment"), { key: "Enter", ctrlKey: true });
    await screen.findByText("Is it?");
    expect(server.sent.map((s) => s.path)).toEqual(["/api/v1/approvals/apr_1/comments"]);
  });
});

describe("when it does not go through", () => {
  it("sends the same attempt again after a lost connection", async () => {
    const server = new Server(someApproval());
    await show(server);
    server.answer = () => Promise.reject(new TypeError("failed to fetch"));
    press("a");
    await screen.findByText("No connection");
    server.answer = () => server.json(settled({ status: "approved" }));
    fireEvent.click(button("Try again"));
    await waitFor(() => expect(server.decisions).toHaveLength(2));
    expect(server.decisions[1]?.key).toBe(server.decisions[0]?.key);
    expect(server.decisions[1]?.body.text).toBe(server.decisions[0]?.body.text);
  });

  it("says who was faster, and why", async () => {
    const server = new Server(someApproval());
    await show(server);
    server.answer = () => {
      server.approval = settled({
        status: "rejected",
        outcome: { status: "rejected", by: "bob", at: new Date().toISOString(), comment: "too high" },
      });
      return server.problem(409, "already_decided", {
        decided_by: "bob",
        decided_at: new Date().toISOString(),
        act: "reject",
      });
    };
    press("a");
    await screen.findByText("“too high”");
    const told = screen.getByText("Your answer was no longer needed and was not sent.");
    expect(told.closest("[role=alert]")?.textContent).toMatch(/^bob rejected this .*too high/);
  });

  it("keeps the draft when the version has changed, and shows what changed", async () => {
    const server = new Server(someApproval());
    await show(server);
    press("e");
    type("To", "bob@example.com");
    server.answer = () => {
      server.approval = someApproval({
        version: 4,
        proposed: { $json: '{"to":"ann@example.com","amount":80.00,"id":9007199254740993}' },
        decisions: [{ by: "carl", act: "modify", at: "2026-11-15T09:04:00Z", version: 3 }],
      });
      return server.problem(409, "version_mismatch");
    };
    fireEvent.click(button(/Approve with 1 change/));
    await screen.findByText("carl changed what is proposed");
    expect(screen.getByText("It changed while you decided")).toBeTruthy();
    expect(button(/Approve/).disabled).toBe(true);
    fireEvent.click(button("Apply them to the new version"));
    server.answer = () => server.json(settled({ status: "modified" }));
    fireEvent.click(button(/Approve with 1 change/));
    await waitFor(() => expect(server.decisions).toHaveLength(2));
    expect(server.decisions[1]?.body.text).toBe('{"act":"modify","changes":{"to":"bob@example.com"},"version":4}');
    expect(server.decisions[1]?.key).not.toBe(server.decisions[0]?.key);
  });

  it("says a refusal in words", async () => {
    const server = new Server(someApproval());
    await show(server);
    server.answer = () =>
      server.problem(403, "forbidden", { title: "Not allowed", detail: "only finance may decide this" });
    press("a");
    await screen.findByText("only finance may decide this");
  });
});

describe("what happens meanwhile", () => {
  it("a vote is followed, a changed proposal has to be seen first", async () => {
    const server = new Server(someApproval({ quorum: { needed: 3, given: 0 } }));
    const { refresh } = await show(server);
    server.approval = someApproval({ version: 4, quorum: { needed: 3, given: 1, by_role: { finance: 1 } } });
    await act(refresh);
    await screen.findByText("1 of 3 approvals; Finance still needed");
    expect(button(/Approve/).disabled).toBe(false);

    server.approval = someApproval({ version: 5, proposed: { $json: '{"to":"eve@example.com","amount":89.50}' } });
    await act(refresh);
    await screen.findByText("Someone changed what is proposed");
    expect(button(/Approve/).disabled).toBe(true);
    press("a");
    expect(server.decisions).toHaveLength(0);
    fireEvent.click(button("I have seen it"));
    press("a");
    await waitFor(() => expect(server.decisions[0]?.body).toMatchObject({ act: "approve", version: 5 }));
  });

  it("one's own vote is told, with what is still needed", async () => {
    const vote = { by: "maria", act: "approve", at: "2026-11-15T09:05:00Z" } as Approval["decisions"][0];
    const server = new Server(someApproval({ acts: [], decisions: [vote], quorum: { needed: 3, given: 1 } }));
    const { refresh } = await show(server);
    await screen.findByText("You have already approved; 2 more needed.");
    // They may still change their mind.
    server.approval = someApproval({
      acts: ["modify", "reject"],
      version: 4,
      decisions: [vote],
      quorum: { needed: 3, given: 2, by_role: { finance: 1 } },
    });
    await act(refresh);
    await screen.findByText("You have already approved; Finance still needed.");
  });

  it("a draft outlives a reload, and somebody else's decision", async () => {
    const server = new Server(someApproval());
    const first = await show(server);
    press("e");
    type("Amount", "45.00");
    first.unmount();
    const { refresh } = await show(server);
    expect((screen.getByLabelText("Amount") as HTMLInputElement).value).toBe("45.00");
    server.approval = settled({
      status: "rejected",
      outcome: { status: "rejected", by: "bob", at: "2026-11-15T09:05:00Z" },
    });
    await act(refresh);
    const told = await screen.findByText("Your changes were not sent.", { exact: false });
    expect(told.closest("[role=alert]")?.textContent).toContain("bob rejected this.");
    expect((screen.getByLabelText("Amount") as HTMLInputElement).value).toBe("45.00");
    type("Amount", "46.00");
    expect((screen.getByLabelText("Amount") as HTMLInputElement).value).toBe("46.00");
    fireEvent.click(button("Discard"));
    expect(screen.queryByLabelText("Amount")).toBeNull();
    expect(sessionStorage.length).toBe(0);
  });

  it("what was changed before a reload, and settled meanwhile, is told", async () => {
    const server = new Server(someApproval());
    const first = await show(server);
    press("e");
    type("Amount", "45.00");
    first.unmount();
    server.approval = settled({
      status: "rejected",
      outcome: { status: "rejected", by: "bob", at: "2026-11-15T09:05:00Z" },
    });
    await show(server);
    await screen.findByText("Your changes were not sent");
    expect(screen.getByText("45.00")).toBeTruthy();
    expect(screen.queryByLabelText("Amount")).toBeNull();
    fireEvent.click(button("Discard them"));
    expect(sessionStorage.length).toBe(0);
  });

  it("a comment that somebody writes stays, and is not sent", async () => {
    const server = new Server(someApproval());
    const { refresh } = await show(server);
    type("Comment", "Why so");
    screen.getByLabelText("Comment").focus();
    server.approval = settled({
      status: "rejected",
      outcome: { status: "rejected", by: "bob", at: "2026-11-15T09:05:00Z" },
    });
    await act(refresh);
    await screen.findByText("It has been settled. Your comment was not sent.");
    expect((screen.getByLabelText("Comment") as HTMLTextAreaElement).value).toBe("Why so");
    expect(document.activeElement).toBe(screen.getByLabelText("Comment"));
    fireEvent.click(button("Discard"));
    expect(screen.queryByLabelText("Comment")).toBeNull();
  });

  it("a reason that somebody writes in a dialog stays, and is not sent", async () => {
    const server = new Server(someApproval());
    const { refresh } = await show(server);
    press("r");
    const why = await screen.findByLabelText("Why");
    fireEvent.change(why, { target: { value: "too high" } });
    server.approval = settled({
      status: "approved",
      outcome: { status: "approved", by: "bob", at: "2026-11-15T09:05:00Z" },
    });
    await act(refresh);
    const dialog = await screen.findByRole("dialog", { name: "Reject this?" });
    await waitFor(() => expect(dialog.textContent).toContain("bob approved this. What you wrote was not sent."));
    expect((screen.getByLabelText("Why") as HTMLTextAreaElement).value).toBe("too high");
    fireEvent.keyDown(screen.getByLabelText("Why"), { key: "Enter", ctrlKey: true });
    expect(server.decisions).toHaveLength(0);
  });

  it("a large value is read whole when asked for", async () => {
    const server = new Server(
      someApproval({ proposed: { $json: '{"$blob":"sha256:1","size":70000,"preview":"{\\"rows\\":"}' } }),
    );
    server.whole = someApproval({ proposed: { $json: '{"to":"all of it","amount":1.00}' } });
    await show(server);
    expect(button(/^Approve/).disabled).toBe(true);
    press("a");
    expect(server.decisions).toHaveLength(0);
    fireEvent.click(button(/Show all 70/));
    await screen.findAllByText("all of it");
    expect(screen.getAllByText("1.00").length).toBeGreaterThan(0);
    expect(button(/^Approve/).disabled).toBe(false);
  });
});

describe("undo", () => {
  const shown = async (part: Partial<Approval> = {}) => {
    const server = new Server(someApproval(part));
    setUndo(true);
    const view = await show(server);
    return { server, ...view };
  };
  afterEach(() => {
    vi.useRealTimers();
    setUndo(false);
    grace.ms = graceMs;
  });

  it("takes a decision back before it is sent, and keeps what was written", async () => {
    const { server } = await shown();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    fireEvent.click(button(/^Approve/));
    expect(screen.getByRole("status").textContent).toContain("Approved");
    await vi.advanceTimersByTimeAsync(graceMs - 1000);
    fireEvent.click(screen.getByRole("button", { name: /Undo/ }));
    await vi.advanceTimersByTimeAsync(graceMs * 2);
    expect(server.decisions).toEqual([]);
    expect(button(/^Approve/)).toBeTruthy();
  });

  it("sends it when the time is over, once", async () => {
    const { server } = await shown();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    fireEvent.click(button(/^Approve/));
    await vi.advanceTimersByTimeAsync(graceMs - 1);
    expect(server.decisions).toEqual([]);
    await vi.advanceTimersByTimeAsync(graceMs);
    vi.useRealTimers();
    await waitFor(() => expect(server.decisions.map((d) => d.body.act)).toEqual(["approve"]));
  });

  it("sends it when the page is left", async () => {
    grace.ms = 3_600_000;
    const { server, unmount } = await shown();
    fireEvent.click(button(/^Approve/));
    unmount();
    await waitFor(() => expect(server.decisions).toHaveLength(1));
  });

  it("does not send what was decided about another version", async () => {
    grace.ms = 3_600_000;
    const { server, refresh } = await shown();
    const told = vi.spyOn(toasts, "toast");
    fireEvent.click(button(/^Approve/));
    server.approval = { ...server.approval, version: 4, proposed: { $json: '{"amount":1}' } };
    await refresh();
    await waitFor(() => expect(told).toHaveBeenCalledWith(expect.objectContaining({ title: "Not sent" })));
    expect(server.decisions).toEqual([]);
  });

  it("is not offered for what is critical, nor close to the deadline", async () => {
    expect(graceFor({ risk: { level: "critical", reasons: [] }, deadline_at: null }, 0)).toBe(0);
    expect(graceFor({ risk: { level: "high", reasons: [] }, deadline_at: new Date(9000).toISOString() }, 0)).toBe(0);
    setUndo(true);
    expect(graceFor({ risk: { level: "high", reasons: [] }, deadline_at: null }, 0)).toBe(graceMs);
  });
});
