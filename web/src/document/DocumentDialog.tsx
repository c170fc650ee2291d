import type { UseMutationResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "../api/error";
import { Button, CodeEditor, Dialog, ErrorNote, type Tab, Tabs, toast } from "../ui";
import { FaultList } from "../ui/FaultList";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { author } from "../words/author";
import type { Kind } from "../words/fields";
import type { Order } from "../yaml/splice";
import { Overtaken, OvertakenActions } from "./Overtaken";
import { readText, setText } from "./text";
import { type InForce, useDraft } from "./useDraft";

export interface SavedDocument {
  name: string;
  text: string;
  /** The version that it replaces, 0 for none; the server refuses to replace another one. */
  over?: number;
}

export interface FormProps {
  value: Record<string, unknown>;
  fresh: boolean;
  nameFault?: string;
  set: (path: string[], to: unknown) => void;
}

/** The document as it is being edited. */
export interface Edited {
  name: string;
  text: string;
  dirty: boolean;
}

interface Props {
  /** In words: "agent". */
  what: string;
  /** The words of its fields. */
  kind: Kind;
  /** The document that is edited; missing: a new one. */
  name?: string;
  /** Of the dialog, unless it is a new one. */
  title?: string;
  /** A name as the page shows it. */
  shown?: (name: string) => string;
  /** The version in force now; undefined if there is none, or none any longer. */
  inForce?: InForce;
  /** The names of the others. */
  taken: readonly string[];
  template: string;
  /** The keys in the order in which people write them, the one of the name first. */
  order: Order & { keys: readonly [string, ...string[]] };
  /** What saving does. */
  effect: string;
  editable?: boolean;
  save: UseMutationResult<{ name: string; version: number }, Error, SavedDocument>;
  form: (props: FormProps) => ReactNode;
  /** Other views, between the form and the YAML. */
  more?: (edited: Edited) => Tab[];
  onClose: () => void;
}

/** A document as a form and as YAML, over one text. Saving puts it in force, unless someone else was faster. */
export function DocumentDialog(props: Props) {
  const {
    what,
    kind,
    name,
    inForce,
    taken,
    template,
    order,
    effect,
    editable = true,
    save,
    form,
    more,
    onClose,
  } = props;
  const { shown = format.title, title = shown(name ?? "") } = props;
  const draft = useDraft(inForce, template);
  const { text, base, dirty } = draft;
  // One's own version is often heard of before the answer.
  const sent = save.isPending || save.isSuccess;
  const overtaken = draft.overtaken && !sent;
  const [settling, setSettling] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const value = readText(text);
  const called = String(value?.[order.keys[0]] ?? "").trim();
  const refused = save.error instanceof ApiError ? save.error : undefined;
  const faults = refused?.errors ?? [];
  const late = refused?.code === "version_mismatch";
  const nameFault =
    !name && !sent && (taken.includes(called) || (late && save.variables?.name === called))
      ? `This name is taken. Edit the existing ${what}, or choose another name.`
      : name && value && called !== name
        ? `The name cannot be changed: ${name}`
        : undefined;
  const deleted = overtaken && !inForce;
  const conflict = overtaken && inForce && base ? { base, theirs: inForce, text } : undefined;
  const send = () => {
    if (conflict) return setSettling(true);
    save.mutate(
      { name: called, text, over: deleted ? 0 : (base?.version ?? 0) },
      {
        onSuccess: (saved) => {
          toast({ title: `${shown(saved.name)} is in force`, detail: `Version ${saved.version}`, tone: "ok" });
          onClose();
        },
        onError: (error) => setSettling(error instanceof ApiError && error.code === "version_mismatch"),
      },
    );
  };
  const choose = (to: string) => {
    draft.rebase(to);
    save.reset();
    setSettling(false);
  };
  const capital = what.charAt(0).toUpperCase() + what.slice(1);
  const size = "sm:top-[6vh] sm:max-h-[88vh] sm:w-[min(760px,calc(100vw-32px))]";
  // Escape, a click beside the dialog and its cross are easily hit by accident; Cancel says what it does.
  const onOpenChange = (open: boolean) => {
    if (open) return;
    if (editable && dirty && !sent) setLeaving(!leaving);
    else onClose();
  };
  if (conflict && settling) {
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && setSettling(false)}
        title={`The ${what} has changed`}
        className={size}
        footer={<OvertakenActions kind={kind} {...conflict} onChoose={choose} />}
      >
        <Overtaken what={what} kind={kind} {...conflict} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={name ? title : `New ${what}`}
      description={editable ? effect : undefined}
      className={size}
      footer={
        leaving ? (
          <>
            <p role="alert" className="min-w-0 flex-1 basis-48 self-center">
              Discard your changes?
            </p>
            <Button autoFocus onClick={() => setLeaving(false)}>
              Keep editing
            </Button>
            <Button look="danger" onClick={onClose}>
              Discard
            </Button>
          </>
        ) : editable ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="filled"
              loading={save.isPending}
              disabled={called === "" || !value || !!nameFault || (!!base && !deleted && !dirty)}
              onClick={send}
            >
              Save
            </Button>
          </>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )
      }
    >
      {deleted && (
        <p role="alert" className="mb-3 rounded-md bg-warn-bg px-3 py-2 text-warn-text">
          {editable
            ? `This ${what} was deleted while you were editing. If you save, it is in force again.`
            : `This ${what} was deleted.`}
        </p>
      )}
      {conflict && (
        <div
          role="alert"
          className="mb-3 flex flex-wrap items-center gap-3 rounded-md bg-warn-bg px-3 py-2 text-warn-text"
        >
          <span className="min-w-0 flex-1 basis-60 break-words">
            <Visible text={author(conflict.theirs.by)} /> saved version {conflict.theirs.version} while you were
            editing.
          </span>
          <Button size="small" onClick={() => setSettling(true)}>
            See the changes
          </Button>
        </div>
      )}
      {faults.length > 0 && (
        <div role="alert" className="mb-3">
          <FaultList faults={faults} />
        </div>
      )}
      {refused && faults.length === 0 && !(late && (conflict || deleted || nameFault)) && <ErrorNote error={refused} />}
      <Tabs
        label={`Views of the ${what}`}
        className="-mx-4"
        tabs={[
          {
            value: "form",
            label: "Form",
            content: (
              <div className="px-4 pt-4">
                {value ? (
                  <fieldset disabled={!editable} className="min-w-0">
                    {form({
                      value,
                      fresh: !name,
                      nameFault,
                      set: (path, to) => draft.set((now) => setText(now, path, to, order)),
                    })}
                  </fieldset>
                ) : (
                  <p className="text-muted">The YAML can't be read. Fix it there first.</p>
                )}
              </div>
            ),
          },
          ...(value ? (more?.({ name: called, text, dirty }) ?? []) : []),
          {
            value: "yaml",
            label: "YAML",
            content: (
              <div className="px-4 pt-4">
                <CodeEditor
                  language="yaml"
                  label={`${capital} as YAML`}
                  value={text}
                  readOnly={!editable}
                  problems={faults}
                  onChange={(to) => draft.set(() => to)}
                  className="max-h-[50vh] min-h-64"
                />
                {nameFault && (
                  <p role="alert" className="mt-1 text-small text-bad-text">
                    {nameFault}
                  </p>
                )}
              </div>
            ),
          },
        ]}
      />
    </Dialog>
  );
}
