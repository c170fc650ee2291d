import { useState } from "react";
import { useResumeRun } from "../api";
import type { Resume, Run } from "../api/types";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { toast } from "../ui/Toasts";
import { format } from "../words";
import { limitName, limitUse } from "./words";

const kinds = ["iterations", "cost_usd", "duration"] as const;
type Kind = (typeof kinds)[number];

const hints: Record<Kind, string> = {
  iterations: "such as 40",
  cost_usd: "US dollars, such as 5",
  duration: "such as 8h",
};

/** Asks for higher limits for the agent that stopped the run. */
export function RaiseDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const resume = useResumeRun(run.id);
  const meters = run.steps.find((step) => step.id === run.error?.step)?.limits ?? [];
  const [typed, setTyped] = useState<Partial<Record<Kind, string>>>({});
  const limits = limitsOf(typed);
  const shown = meters.length > 0 ? kinds.filter((kind) => meters.some((meter) => meter.limit === kind)) : kinds;
  const send = () =>
    resume.mutate(
      { limits },
      {
        onSuccess: () => {
          toast({ title: "The run continues with the new limit", tone: "ok" });
          onClose();
        },
      },
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Raise the limit and resume?"
      description={`${format.title(run.error?.agent ?? "The agent")} continues where it stopped. What is done stays done, and open questions are asked again.`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="filled" loading={resume.isPending} disabled={!limits} onClick={send}>
            Raise and resume
          </Button>
        </>
      }
    >
      <div className="space-y-2">
        {shown.map((kind) => {
          const meter = meters.find(({ limit }) => limit === kind);
          return (
            <Field
              key={kind}
              label={`${limitName(kind)}: new limit`}
              hint={meter ? `${limitUse(kind, meter.used, meter.max)} used; ${hints[kind]}` : hints[kind]}
            >
              <Input
                value={typed[kind] ?? ""}
                inputMode={kind === "duration" ? "text" : "decimal"}
                onChange={(event) => setTyped({ ...typed, [kind]: event.target.value })}
              />
            </Field>
          );
        })}
        {resume.error && <ErrorNote error={resume.error} />}
      </div>
    </Dialog>
  );
}

/** The typed limits in the server's format; undefined while empty. */
function limitsOf(typed: Partial<Record<Kind, string>>): Resume["limits"] {
  const text = (kind: Kind) => typed[kind]?.trim() || undefined;
  const turns = text("iterations");
  const limits = { iterations: turns && Number(turns), cost_usd: text("cost_usd"), duration: text("duration") };
  return Object.values(limits).some(Boolean) ? (limits as Resume["limits"]) : undefined;
}
