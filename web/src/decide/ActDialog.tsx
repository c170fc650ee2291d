import { type KeyboardEvent, useState } from "react";
import { useMe } from "../api/documents";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Kbd } from "../ui/Kbd";
import { Textarea } from "../ui/Textarea";
import { Visible } from "../ui/Visible";
import { act as acts } from "../words";
import { buttonText } from "./buttonText";
import { RecipientField } from "./RecipientField";
import { recipientFault } from "./recipientFault";
import { Segments } from "./Segments";
import { SendError } from "./SendError";
import type { Asking, Desk } from "./useDesk";
import { confirmWord, ifRejected, outcomeText } from "./words";

/** Asks for the input an answer needs: a reason, a recipient, or the word that confirms a critical action. */
export default function ActDialog({ desk }: { desk: Desk }) {
  const { asking } = desk;
  if (!asking) return null;
  return <Open key={asking} desk={desk} asking={asking} />;
}

const words: Record<Asking, { title: string; label: string; needed: boolean }> = {
  reject: { title: "Reject this?", label: "Why", needed: true },
  request_revision: { title: "Ask for a revision", label: "What should be different", needed: true },
  escalate: { title: "Escalate this", label: "Why (optional)", needed: false },
  delegate: { title: "Hand this over", label: "Message (optional)", needed: false },
  confirm: { title: "This is critical", label: "Note (optional)", needed: false },
};

function Open({ desk, asking }: { desk: Desk; asking: Asking }) {
  const { approval } = desk;
  const word = words[asking];
  const [to, setTo] = useState("");
  const [role, setRole] = useState<"person" | "role">("person");
  const [typed, setTyped] = useState("");
  const secret = confirmWord(approval);
  const needsTo = asking === "delegate";
  const me = useMe().data?.name;
  const name = to.trim().replace(/^role:/, "");
  const wrong = recipientFault(name, needsTo && role === "person" ? me : undefined);
  const complete =
    desk.pending &&
    (!word.needed || desk.note.trim() !== "") &&
    (!needsTo || name !== "") &&
    !wrong &&
    (asking !== "confirm" || (typed.trim() === secret && desk.ready));

  const send = () => {
    if (!complete || desk.sending) return;
    if (asking === "confirm") {
      if (desk.main) void desk.send({ act: desk.main });
      return;
    }
    const whom = name && (needsTo || asking === "escalate") ? (role === "role" ? `role:${name}` : name) : undefined;
    void desk.send({ act: asking, comment: desk.note, to: whom });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
  };

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && desk.ask(undefined)}
      title={word.title}
      description={<Visible text={describe(desk, asking)} />}
      footer={
        <>
          <Button onClick={() => desk.ask(undefined)}>Cancel</Button>
          <Button
            look={asking === "reject" || asking === "confirm" ? "danger" : "filled"}
            disabled={!complete}
            loading={desk.sending}
            onClick={send}
          >
            <Visible text={asking === "confirm" ? buttonText(desk) : acts[asking].label} />
            <Kbd keys="mod+enter" />
          </Button>
        </>
      }
    >
      <div role="group" aria-label={word.title} onKeyDown={onKeyDown} className="space-y-2">
        {(needsTo || asking === "escalate") && (
          <div>
            <div className="mb-2">
              <Segments
                label="To whom"
                options={[
                  { value: "person", label: "A person" },
                  { value: "role", label: "Everyone with a role" },
                ]}
                value={role}
                onChange={(kind) => {
                  setRole(kind);
                  setTo("");
                }}
              />
            </div>
            <Field
              label={role === "role" ? "Role" : "Name"}
              error={wrong}
              hint={needsTo ? undefined : "Leave empty to escalate to the next in the chain."}
            >
              <RecipientField
                approval={approval.id}
                kind={role}
                value={to}
                onChange={setTo}
                resting={desk.sending || !desk.pending}
              />
            </Field>
          </div>
        )}
        {asking === "confirm" && (
          <Field
            label={
              <>
                Type{" "}
                <code className="rounded-[4px] bg-sunken px-1 py-0.5 select-all">
                  <Visible text={secret} />
                </code>{" "}
                to confirm
              </>
            }
          >
            <Input
              autoFocus
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(e) => setTyped(e.target.value)}
              onKeyDown={(e) => e.key === "Enter" && send()}
            />
          </Field>
        )}
        <Field label={word.label}>
          <Textarea
            autoFocus={word.needed}
            dir="auto"
            value={desk.note}
            onChange={(e) => desk.setNote(e.target.value)}
            rows={3}
          />
        </Field>
        <SendError desk={desk} />
        {!desk.pending && (
          <p role="alert" className="rounded-md border bg-warn-bg p-3 text-warn-text">
            <strong className="font-semibold">
              <Visible text={outcomeText(approval, me)} />.
            </strong>{" "}
            What you wrote was not sent.
          </p>
        )}
      </div>
    </Dialog>
  );
}

function describe(desk: Desk, asking: Asking): string {
  const { approval } = desk;
  switch (asking) {
    case "reject":
      return ifRejected(approval);
    case "confirm":
      return "A mistake cannot be undone. Compare what is shown once more.";
    case "escalate":
      return "Also asks someone with more authority.";
    case "delegate":
      return "They may decide in your place, whatever their roles.";
    default:
      return "The agent tries again with your comment. You'll be asked to approve the new version.";
  }
}
