import { type KeyboardEvent, useState } from "react";
import { useEmergencyStop, usePolicy } from "../api/policy";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Kbd } from "../ui/Kbd";
import { Textarea } from "../ui/Textarea";
import { Time } from "../ui/Time";
import { toast } from "../ui/Toasts";
import { Visible } from "../ui/Visible";

const reasonMax = 1000; // bytes, as the server counts

const words = {
  off: {
    title: "Emergency stop",
    lead: "From now on, no rule approves anything, in any run. People are asked instead.",
    label: "Why",
    hint: "Everyone sees this reason until the stop is turned off.",
    button: "Stop automatic approval",
    done: "Emergency stop is on",
  },
  on: {
    title: "Turn the emergency stop off?",
    lead: "Rules approve again at once, in all runs. Requests that are already waiting stay with people.",
    label: "Why (optional)",
    hint: "Saved in the audit log.",
    button: "Turn off",
    done: "Emergency stop is off",
  },
};

/** Turns the emergency stop on, with a reason, or off. Loaded on demand. */
export default function StopDialog({ onClose }: { onClose: () => void }) {
  const { data: policy } = usePolicy();
  const stop = policy?.emergency_stop;
  const [was] = useState(stop?.on ?? false); // what is offered stays the same while the dialog is open
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const change = useEmergencyStop();
  const word = words[was ? "on" : "off"];
  const text = reason.trim();
  const fault = faultOf(text, !was);
  const moved = stop !== undefined && stop.on !== was && !change.isPending;
  const send = () => {
    setTried(true);
    if (fault || moved || change.isPending) return;
    change.mutate(
      { on: !was, ...(text ? { reason: text } : {}) },
      {
        onSuccess: () => {
          toast({ title: word.done, tone: was ? "ok" : "bad" });
          onClose();
        },
      },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    send();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={word.title}
      description={word.lead}
      footer={
        <>
          <Button onClick={onClose}>{moved ? "Close" : "Cancel"}</Button>
          {!moved && (
            <Button look={was ? "filled" : "danger"} loading={change.isPending} onClick={send}>
              {word.button} <Kbd keys="mod+enter" />
            </Button>
          )}
        </>
      }
    >
      <div role="group" aria-label={word.title} onKeyDown={onKeyDown} className="space-y-3">
        {was ? (
          stop?.on && (
            <p className="rounded-sm bg-bad-bg px-3 py-2 text-bad-text">
              <Visible text={stop.reason} /> · {stop.by} <Time at={stop.at} />
            </p>
          )
        ) : (
          <ul className="mb-4 list-disc space-y-1 pl-5 text-muted">
            <li>Where a deadline would approve a request, the run is paused instead.</li>
            <li>Runs continue, and so do actions that need no approval. To halt a run, pause or cancel it.</li>
          </ul>
        )}
        {moved && (
          <p role="alert" className="rounded-sm bg-warn-bg px-3 py-2 text-warn-text">
            {stop.by} turned it {stop.on ? "on" : "off"} in the meantime.
          </p>
        )}
        {change.error && <ErrorNote error={change.error} />}
        <Field label={word.label} hint={word.hint} error={tried ? fault : undefined}>
          <Textarea
            autoFocus
            dir="auto"
            rows={2}
            disabled={moved}
            value={reason}
            onChange={(e) => setReason(e.target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}

function faultOf(reason: string, needed: boolean): string | undefined {
  if (needed && reason === "") return "Enter a reason. Everyone sees it while the stop is on.";
  return new TextEncoder().encode(reason).length > reasonMax ? "This is too long." : undefined;
}
