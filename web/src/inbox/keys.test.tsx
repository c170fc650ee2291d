import { fireEvent, render, screen, act as settle, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Approval } from "../api/types";
import { saveDraft } from "../decide/draft";
import { treeOf } from "../json";
import { setUndo, undoOn } from "../lib/undo";
import Help from "../shell/Help";
import Palette from "../shell/Palette";
import { FakeServer, someApproval } from "./testing";
import { approve, cursor, many, onFakeScreen, onScreen, open, pane, press, row, shown } from "./testingPage";

onFakeScreen();

const inPane = (text: string) => waitFor(() => expect(pane().textContent).toContain(text));

describe("opening", () => {
  it.each(["wide", "middle"] as const)("by Enter, where the row has the focus: %s", async (kind) => {
    onScreen(kind);
    const { router } = await open(new FakeServer(many(3)));
    await shown("Row 1");
    await press("j");
    await press("j");
    expect(document.activeElement?.tagName).toBe("A");
    await press("Enter");
    expect(router.view.address.path).toBe("/approvals/apr_1");
  });

  it("leaves Ctrl-Enter to the browser, which opens another tab", async () => {
    onScreen("wide");
    await open(new FakeServer(many(1)));
    await shown("Row 0");
    const link = row("apr_0")?.querySelector("a") as HTMLElement;
    expect(fireEvent.keyDown(link, { key: "Enter", ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(link, { key: "Enter" })).toBe(false);
  });

  it("by a double click, while a click only shows it in the pane", async () => {
    onScreen("wide");
    const { router } = await open(new FakeServer(many(3)));
    await shown("Row 1");
    const link = row("apr_1")?.querySelector("a") as HTMLElement;
    await settle(async () => void fireEvent.click(link));
    expect([router.view.address.path, cursor()]).toEqual(["/inbox", "apr_1"]);
    await settle(async () => void fireEvent.doubleClick(link));
    expect(router.view.address.path).toBe("/approvals/apr_1");
  });

  it("from the pane, and the way back leads to the same row", async () => {
    onScreen("wide");
    const { router, history } = await open(new FakeServer(many(3)));
    await shown("Row 1");
    await press("j");
    await press("j");
    await inPane("Row 1");
    const link = await within(pane()).findByRole("link", { name: /^Open/ });
    await settle(async () => void fireEvent.click(link));
    expect(router.view.address.path).toBe("/approvals/apr_1");
    await settle(async () => history.go(-1));
    await waitFor(() => expect(cursor()).toBe("apr_1"));
  });
});

describe("the keys that the pane shows", () => {
  const critical = () => someApproval({ id: "a", title: "Critical one", risk: { level: "critical" } });

  it("A asks for the typed word, as the button does", async () => {
    onScreen("wide");
    const server = new FakeServer([critical()]);
    const { router } = await open(server);
    await shown("Critical one");
    await press("j");
    await within(pane()).findByRole("button", { name: /^Approve/ });
    await press("a");
    const dialog = await screen.findByRole("dialog", { name: "This is critical" });
    expect(within(dialog).getByLabelText(/to confirm$/)).toBeTruthy();
    expect([server.sent, router.view.address.path]).toEqual([[], "/inbox"]);
  });

  it("R asks why, in the pane's dialog", async () => {
    onScreen("wide");
    await open(new FakeServer([critical()]));
    await shown("Critical one");
    await press("j");
    await within(pane()).findByRole("button", { name: /^Reject/ });
    await press("r");
    expect(await screen.findByRole("dialog", { name: "Reject this?" })).toBeTruthy();
  });

  it("digits choose, A takes what was chosen", async () => {
    onScreen("wide");
    setUndo(false);
    const options = ["by-rail", "by-road"].map((value) => ({ value, label: "", description: "" }));
    const server = new FakeServer([
      someApproval({ id: "b", title: "Which way?", kind: "choice", acts: ["choose", "delegate"], options }),
    ]);
    await open(server);
    await shown("Which way?");
    await press("j");
    await within(pane()).findByRole("radio", { name: /By road/ });
    await press("a");
    expect(server.sent).toEqual([]);
    await press("2");
    expect(
      within(pane())
        .getByRole("radio", { name: /By road/ })
        .getAttribute("aria-checked"),
    ).toBe("true");
    await press("a");
    await waitFor(() => expect(server.sent[0]?.body).toMatchObject({ act: "choose", option: "by-road", version: 1 }));
  });

  it("are those of the list for usual rows: what they decide can be taken back", async () => {
    onScreen("wide");
    const server = new FakeServer(many(2));
    await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    expect(row("apr_0")?.textContent).toMatch(/Approving in \d s/);
    expect(server.sent).toEqual([]);
  });

  it("decide the chosen together while some are, whatever the pane shows", async () => {
    onScreen("wide");
    await open(new FakeServer([someApproval({ id: "c", title: "Usual one" }), critical()]));
    await shown("Critical one");
    await press("j");
    await press("x");
    await press("j");
    await inPane("Critical one");
    await press("a");
    expect(await screen.findByRole("dialog", { name: "Approve 1" })).toBeTruthy();
  });

  it("never approve the original of what somebody has begun to change", async () => {
    onScreen("wide");
    saveDraft("apr_0", { version: 1, base: "{}", edited: treeOf('{"text":"Better"}') });
    const server = new FakeServer(many(2));
    await open(server);
    await shown("Row 1");
    await press("j");
    await inPane("Better");
    row("apr_0")?.querySelector("a")?.focus();
    await press("a");
    await shown("You have begun to change this one");
    expect(row("apr_0")?.textContent).not.toContain("Approving");
  });
});

describe("nothing is approved that was not shown", () => {
  const withFile = () => [someApproval({ id: "f", title: "Accept the report", run: "run_f", drafts: 1 }), ...many(1)];

  it("A leads to the page where there is no pane", async () => {
    const server = new FakeServer(many(2));
    const { router } = await open(server);
    await shown("Row 1");
    await press("j");
    await press("a");
    await waitFor(() => expect(router.view.address.path).toBe("/approvals/apr_0"));
    expect(server.sent).toEqual([]);
  });

  it("A waits for the files of the run in the pane", async () => {
    onScreen("wide");
    setUndo(false);
    const server = new FakeServer(withFile());
    await open(server);
    await shown("Accept the report");
    await press("j");
    await within(pane()).findByRole("button", { name: "Look at 1 file first" });
    await press("a");
    await shown("Not all of it is shown yet");
    expect(row("f")?.textContent).toContain("1 file");
    expect(server.sent).toEqual([]);
  });

  it("what was approved is not sent when its run makes a file before", async () => {
    onScreen("wide");
    const server = new FakeServer(many(2));
    await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    expect(row("apr_0")?.textContent).toMatch(/Approving in \d s/);
    server.approvals = server.approvals.map((a) => (a.id === "apr_0" ? { ...a, drafts: 1 } : a));
    await settle(async () => server.tell("deliverable.created", server.find("apr_0") as Approval));
    await waitFor(() => expect(row("apr_0")?.textContent).toContain("Changed since you looked"));
    await settle(async () => void window.dispatchEvent(new Event("pagehide")));
    expect(server.sent).toEqual([]);
  });

  it("a batch leaves out what has files", async () => {
    const server = new FakeServer(withFile());
    await open(server);
    await shown("Accept the report");
    await press("j");
    await press("x");
    await shown("1 has files to review; approve it on its page");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Approve 1" }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Reject 1" }).disabled).toBe(false);
    await press("j");
    await press("x");
    await press("k");
    await press("x");
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Approve 1" })));
    const dialog = await screen.findByRole("dialog", { name: "Approve 1" });
    const button = () => within(dialog).getByRole<HTMLButtonElement>("button", { name: /^Approve 1/ });
    expect(button().disabled).toBe(false);
    await settle(async () => server.tell("deliverable.created", server.find("apr_0") as Approval));
    await within(dialog).findByText("1 has files to review; approve it on its page.");
    expect(button().disabled).toBe(true);
  });
});

describe("a key that cannot do what was wanted", () => {
  it("opens what has to be seen first, where there is no pane", async () => {
    const { router } = await open(
      new FakeServer([someApproval({ id: "b", title: "A choice", kind: "choice", acts: ["choose"] })]),
    );
    await shown("A choice");
    await press("j");
    await press("a");
    await waitFor(() => expect(router.view.address.path).toBe("/approvals/b"));
  });

  it("says why, once, however often it is pressed", async () => {
    onScreen("wide");
    await open(new FakeServer([someApproval({ id: "b", title: "Not mine", acts: [] })]));
    await shown("Not mine");
    await press("j");
    await press("a");
    await press("a");
    await press("a");
    await shown("You may look at this one, but not decide it");
    const told = screen.getAllByText("You may look at this one, but not decide it");
    expect(told.filter((e) => e.closest("li"))).toHaveLength(1);
  });
});

it("holding A decides one row, holding J goes on", async () => {
  onScreen("wide");
  await open(new FakeServer(many(6)));
  await shown("Row 1");
  await press("j");
  await approve();
  for (let i = 0; i < 3; i++) await press("a", { repeat: true });
  expect(document.body.textContent?.match(/Approving in \d s/g)).toHaveLength(2); // the row, and the bar that offers Undo
  expect(cursor()).toBe("apr_1");
  for (let i = 0; i < 3; i++) await press("j", { repeat: true });
  expect(cursor()).toBe("apr_4");
});

it("switching undo off says so, and offers the way back", async () => {
  await open(new FakeServer(many(2)));
  await shown("Row 1");
  const palette = render(<Palette open onOpenChange={vi.fn()} />);
  const off = () => screen.findByText("Send decisions at once, without undo");
  await settle(async () => void fireEvent.click(await off()));
  expect(undoOn()).toBe(false);
  expect(await screen.findByText("Hold decisions for 5 s, with undo")).toBeTruthy();
  palette.unmount();
  const notice = (await screen.findByText("Decisions from the list are sent at once")).closest("li");
  await settle(async () => void fireEvent.click(within(notice as HTMLElement).getByRole("button", { name: "Undo" })));
  expect(undoOn()).toBe(true);
  await shown("Decisions from the list are held for 5 s");
});

it("the help names every key before a row is chosen, and says what they wait for", async () => {
  await open(new FakeServer(many(2)));
  await shown("Row 1");
  await settle(async () => void render(<Help open onOpenChange={vi.fn()} />));
  const help = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
  const line = (label: string) => within(help).getByText(label, { exact: false }).parentElement?.textContent;
  expect(line("Open")).toBe("Open · at a row↵");
  expect(line("Select, to decide several")).toBe("Select, to decide several · at a rowX");
  expect(line("Approve")).toBe("Approve · at a rowA");
  expect(line("Reject, with a reason")).toBe("Reject, with a reason · at a rowR");
  expect(line("Change it first")).toBe("Change it first · at a rowE");
  expect(line("Comment")).toBe("Comment · at a rowC");
  expect(line("Take back")).not.toContain("at a row");
});
