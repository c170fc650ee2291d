import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { ApiError } from "../api/error";
import { useBacktest, useSavePolicy } from "../api/policyEdit";
import { Button, Dialog, ErrorNote, Field, Skeleton, Textarea } from "../ui";
import { format } from "../words";
import { hours } from "./BacktestView";
import type { RuleChange } from "./changes";
import { RuleChanges } from "./RuleChanges";

/** The last look before a policy takes effect: what changes, and what it would have done last month. */
export function PublishDialog(props: {
  text: string;
  changes: RuleChange[];
  /** The version in force that it replaces. */
  over: number;
  onClose: () => void;
  onPublished: (version: number) => void;
  /** Another version took effect first, so nothing was published. */
  onOvertaken: () => void;
}) {
  const { text, changes, over, onClose, onPublished, onOvertaken } = props;
  const { data: test, error: testError } = useBacktest(text, "30d");
  const save = useSavePolicy();
  const [reason, setReason] = useState("");
  const rejected = test?.would_pass_rejected.length ?? 0;
  const refused = save.error instanceof ApiError && save.error.code === "conflict";
  const risky = rejected > 0 || refused;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Publish the policy"
      description="It takes effect at once, for every run."
      className="sm:w-[min(640px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={risky ? "danger" : "filled"}
            loading={save.isPending}
            disabled={(!test && !testError) || (risky && reason.trim() === "")}
            onClick={() =>
              // The policy in force may be heard before the answer, and this dialog be gone by then.
              void save.mutateAsync({ text, draft: false, over, acceptRisk: risky ? reason.trim() : undefined }).then(
                ({ version }) => onPublished(version),
                (error: unknown) => {
                  if (error instanceof ApiError && error.code === "version_mismatch") onOvertaken();
                },
              )
            }
          >
            {risky ? "Accept the risk and publish" : "Publish"}
          </Button>
        </>
      }
    >
      <h3 className="mb-2 text-small font-medium">Changes</h3>
      <RuleChanges changes={changes} />
      <h3 className="mt-4 mb-2 text-small font-medium">In the last 30 days it would have</h3>
      {!test && !testError && <Skeleton className="h-16" />}
      {testError && <ErrorNote error={testError} />}
      {test && (
        <ul className="list-disc space-y-1 pl-5">
          <li>spared people {format.plural(test.asked_to_auto, "decision")}</li>
          {test.auto_to_asked > 0 && (
            <li>asked about {format.plural(test.auto_to_asked, "case")} that passed by itself</li>
          )}
          {test.denied > 0 && <li>refused {format.plural(test.denied, "case")}</li>}
          <li>
            {test.minutes_saved < 0 ? "added" : "saved"} {hours(Math.abs(test.minutes_saved))} of reviewers' time
          </li>
          {test.would_pass_modified.length > 0 && (
            <li>let {format.plural(test.would_pass_modified.length, "case")} through that people edited</li>
          )}
        </ul>
      )}
      {risky && (
        <div className="mt-4 rounded-md bg-bad-bg p-3 text-bad-text">
          <p className="flex gap-2 font-semibold">
            <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            It would have approved {rejected > 0 ? format.plural(rejected, "action") : "actions"} that people rejected.
          </p>
          <p className="mt-1 mb-3 text-small">See them under Backtest. To publish anyway, give a reason.</p>
          <Field label="Reason" hint="Recorded in the audit log with your name.">
            <Textarea rows={2} value={reason} onChange={(e) => setReason(e.target.value)} />
          </Field>
        </div>
      )}
      {save.error && !refused && (
        <div className="mt-4">
          <ErrorNote error={save.error} />
        </div>
      )}
    </Dialog>
  );
}
