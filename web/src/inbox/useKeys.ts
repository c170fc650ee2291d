import { useState } from "react";
import type { Act } from "../api/types";
import { setUndo, undoOn } from "../lib/undo";
import { useCommands, useShortcuts } from "../shell";
import { toast } from "../ui/Toasts";
import { setPreview } from "./settings";
import { actsOf, type InboxModel } from "./useInbox";

/** Triage without a mouse. */
export function useKeys(inbox: InboxModel): void {
  const { cursor, here, selection, editing, inPane, ask } = inbox;
  const acts = actsOf(inbox);
  const group = "Inbox";
  const several = selection.chosen.size > 0;
  const rest = editing === undefined; // while the pane has a form open, its keys come first
  const atRow = here !== undefined;
  const needs = "at a row";
  const inGroup = rest && inbox.list.rows?.groupOf(here?.id) !== undefined;
  /** Whether the pane has its own key for one of these. */
  const pane = (...acts: Act[]) => inPane && acts.some((act) => here?.acts.includes(act));
  const arrow = (event: KeyboardEvent, by: number) => {
    const aside = event.target instanceof Element ? event.target.closest("[data-preview]") : null;
    // In the pane, arrow keys scroll as usual.
    if (aside) aside.querySelector(".overflow-y-auto")?.scrollBy({ top: by * 48 });
    else cursor.move(by);
  };
  const leave = () => {
    if (editing) inbox.setEditing(undefined);
    else if (several) selection.clear();
    else cursor.clear();
  };
  useShortcuts(
    [
      { keys: "j", label: "Next", group, run: () => cursor.move(1) },
      { keys: "k", label: "Previous", group, run: () => cursor.move(-1) },
      { keys: "arrowdown", label: "Next", group, enabled: rest, run: (event) => arrow(event, 1) },
      { keys: "arrowup", label: "Previous", group, enabled: rest, run: (event) => arrow(event, -1) },
      {
        keys: "enter",
        label: "Open",
        group,
        needs,
        enabled: atRow && rest,
        run: () => here && (here.alike ? inbox.unfold : inbox.open)(here.id),
      },
      {
        keys: "x",
        label: "Select, to decide several",
        group,
        needs,
        enabled: atRow,
        run: () => here && selection.toggle(here.id),
      },
      {
        keys: "shift+x",
        label: "Choose all up to here",
        group,
        needs,
        enabled: atRow,
        run: () => here && selection.range(here.id),
      },
      {
        keys: "a",
        label: several ? "Approve the selected" : "Approve",
        group,
        needs,
        enabled: rest && !pane("approve", "choose", "submit") && (atRow || several),
        decides: true,
        run: acts.approve,
      },
      {
        keys: "r",
        label: several ? "Reject the selected" : "Reject, with a reason",
        group,
        needs,
        enabled: rest && !pane("reject") && (atRow || several),
        run: acts.reject,
      },
      { keys: "e", label: "Change it first", group, needs, enabled: atRow && rest && !pane("modify"), run: acts.edit },
      {
        keys: "c",
        label: "Comment",
        group,
        needs,
        enabled: atRow && rest && !(inPane && here.acts.length > 0),
        run: () => here && (here.alike ? inbox.unfold(here.id) : ask({ what: "comment", approval: here })),
      },
      {
        keys: "arrowright",
        label: "Open the group",
        group,
        enabled: here?.alike !== undefined,
        run: () => here && inbox.unfold(here.id),
      },
      {
        keys: "arrowleft",
        label: "Close the group",
        group,
        enabled: inGroup,
        run: () => here && inbox.unfold(here.id),
      },
      { keys: "z", label: "Take back what was not sent yet", group, run: () => acts.undo() },
      { keys: "/", label: "Filter", group, run: () => inbox.box.current?.focus() },
      { keys: "escape", label: "Clear the selection", group, enabled: several || atRow, run: leave },
    ],
    // With several selected, the keys apply to those; they are decided in a dialog that lists them. An approval that
    // the pane does not show in full yet has not been seen.
    here && (several || inbox.looked || !inbox.wide || here.alike)
      ? { thing: here.id, face: several ? "several" : `${here.version} ${here.status} ${here.alike?.count}` }
      : undefined,
  );
  const [undo, showUndo] = useState(undoOn);
  const switchUndo = (on: boolean) => {
    setUndo(on);
    showUndo(on);
    toast({
      title: on ? "Decisions from the list are held for 5 s" : "Decisions from the list are sent at once",
      detail: on ? "Until then, Z undoes them." : "They cannot be undone.",
      action: { label: "Undo", onSelect: () => switchUndo(!on) },
    });
  };
  useCommands([
    {
      id: "inbox undo",
      label: undo ? "Send decisions at once, without undo" : "Hold decisions for 5 s, with undo",
      group,
      also: ["undo", "grace"],
      run: () => switchUndo(!undo),
    },
    {
      id: "inbox preview",
      label: inbox.preview ? "Hide the pane beside the list" : "Show the pane beside the list",
      group,
      also: ["preview", "split"],
      run: () => {
        setPreview(!inbox.preview);
        inbox.showPreview(!inbox.preview);
      },
    },
    {
      id: "inbox groups",
      label: inbox.groups ? "Show a row for each request" : "Group requests that are alike",
      group,
      also: ["group", "alike"],
      run: () => inbox.showGroups(!inbox.groups),
    },
  ]);
}
