import { fireEvent, screen, act as settle, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeServer, problemAnswer } from "./testing";
import { many, onFakeScreen, onScreen, open, press, shown } from "./testingPage";

onFakeScreen();

describe("several at once", () => {
  it("are decided with the versions that were chosen, and each tells what became of it", async () => {
    const server = new FakeServer(many(4));
    server.refuse = (id) =>
      id === "apr_1"
        ? problemAnswer("already_decided", 409, { detail: "Maria approved this 2 s ago" })
        : id === "apr_2"
          ? problemAnswer("forbidden", 403, { detail: "not your role" })
          : undefined;
    await open(server);
    await shown("Row 1");
    await press("j");
    await press("x");
    for (let i = 0; i < 3; i++) await press("j");
    await press("X", { shiftKey: true });
    server.change("apr_3", { title: "Row 3 changed" }); // the chosen version is what is sent
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Approve 4" })));
    const dialog = await screen.findByRole("dialog", { name: "Approve 4" });
    await settle(async () => void fireEvent.click(within(dialog).getByRole("button", { name: /^Approve 4/ })));
    await screen.findByText("What became of them");
    expect(server.sent[0]).toMatchObject({
      path: "/approvals/batch",
      body: { act: "approve", versions: { apr_0: 1, apr_1: 1, apr_2: 1, apr_3: 1 } },
    });
    for (const text of ["2 approved", "1 skipped", "1 failed", "Maria approved this 2 s ago", "not your role"])
      await shown(text);
    expect(screen.getByRole("link", { name: "Row 1" }).getAttribute("href")).toBe("/approvals/apr_1");
  });

  it("need a reason to be rejected", async () => {
    const server = new FakeServer(many(2));
    await open(server);
    await shown("Row 1");
    await press("j");
    await press("x");
    await press("r");
    const dialog = await screen.findByRole("dialog", { name: "Reject 1" });
    await settle(async () => void fireEvent.click(within(dialog).getByRole("button", { name: /^Reject 1/ })));
    expect(within(dialog).getByText(/Enter a reason/)).toBeTruthy();
    expect(server.sent).toEqual([]);
  });

  it("must be alike, and the bar says why not", async () => {
    const server = new FakeServer(many(3, (i) => ({ risk: { level: i === 0 ? "low" : "high", reasons: [] } })));
    await open(server);
    await shown("Row 1");
    await press("j");
    await press("x");
    await press("j");
    await press("x");
    await shown("They differ in risk: Low risk, High risk");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Approve 2" }).disabled).toBe(true);
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Keep those like the first" })));
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Approve 1" }).disabled).toBe(false);
  });

  const notes = () => many(3, (i) => ({ title: "Keep this note?", show: { $json: `{"text":"Note ${i}"}` } }));
  const chooseAll = async () => {
    await shown("Note 1");
    await press("j");
    await press("x");
    await press("j");
    await press("j");
    await press("X", { shiftKey: true });
    await screen.findByText("3 selected");
  };

  it("are told apart as in the list, in the question and in what became of them", async () => {
    const server = new FakeServer(notes());
    server.refuse = (id) => (id === "apr_1" ? problemAnswer("forbidden", 403, { detail: "not your role" }) : undefined);
    await open(server);
    await chooseAll();
    await press("a");
    const dialog = await screen.findByRole("dialog", { name: "Approve 3" });
    const listed = within(within(dialog).getByRole("list", { name: "What is decided" })).getAllByRole("listitem");
    expect(listed.map((one) => one.textContent)).toEqual([0, 1, 2].map((i) => `Keep this note? · Note ${i}`));
    await press("Enter", { ctrlKey: true });
    expect(await screen.findByRole("link", { name: "Keep this note? · Note 1" })).toBeTruthy();
  });

  it("begin in the field, where no key decides by mistake", async () => {
    const server = new FakeServer(notes());
    await open(server);
    await chooseAll();
    await press("a");
    await screen.findByRole("dialog", { name: "Approve 3" });
    expect(document.activeElement).toBe(screen.getByLabelText("Comment (optional)"));
    for (const key of ["Enter", "a", " "]) await press(key);
    await press("Enter", { ctrlKey: true, repeat: true }); // held since before
    expect(server.sent).toEqual([]);
    await press("Enter", { ctrlKey: true });
    await waitFor(() => expect(server.sent).toHaveLength(1));
  });

  it("begin at the list for thumbs, so that no keyboard covers it", async () => {
    onScreen("phone");
    await open(new FakeServer(notes()));
    await chooseAll();
    await press("a");
    await screen.findByRole("dialog", { name: "Approve 3" });
    expect(document.activeElement).toBe(screen.getByRole("list", { name: "What is decided" }));
  });

  it("are fewer when somebody else settles one, with a word about it", async () => {
    const server = new FakeServer(notes());
    await open(server);
    await chooseAll();
    await settle(async () => server.settle("apr_1", "Maria", "rejected"));
    expect(await screen.findByText("2 selected")).toBeTruthy();
    await shown("1 is no longer selected");
    await shown("Maria rejected this: “Keep this note? · Note 1”.");
    await press("a");
    const dialog = await screen.findByRole("dialog", { name: "Approve 2" });
    await settle(async () => server.settle("apr_0", "Bob"));
    await screen.findByRole("dialog", { name: "Approve 1" });
    expect(dialog.textContent).toContain(
      "One was decided in the meantime and left out:Bob approved this: Keep this note? · Note 0",
    );
    await press("Enter", { ctrlKey: true });
    await shown("1 approved");
    expect(server.sent[0]?.body).toMatchObject({ ids: ["apr_2"] });
  });

  it("are none when others settle all of them, which closes nothing unread", async () => {
    const server = new FakeServer(notes());
    await open(server);
    await chooseAll();
    await press("r");
    await screen.findByRole("dialog", { name: "Reject 3" });
    await settle(async () => {
      for (const { id } of [...server.approvals]) server.settle(id, "Maria");
    });
    const dialog = await screen.findByRole("dialog", { name: "Nothing is left to decide" });
    expect(dialog.textContent).toContain("3 were decided in the meantime and left out");
    await settle(async () => void fireEvent.click(within(dialog).getByText("Close")));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("leave without a word where the person settled them", async () => {
    const server = new FakeServer(notes());
    await open(server);
    await chooseAll();
    await settle(async () => server.settle("apr_1", "ann"));
    expect(await screen.findByText("2 selected")).toBeTruthy();
    expect(document.body.textContent).not.toContain("You approved this: “"); // notices of other tests may still be there
  });
});
