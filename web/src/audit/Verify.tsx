import { CircleCheck, CircleX, ShieldCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { type AuditCheck, useAuditHead, useVerifyAudit } from "../api/audit";
import { Button, Card, CopyButton, ErrorNote, Progress } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";

/** Verifies the log on the server, and says plainly what came out. */
export function useVerify() {
  const [progress, setProgress] = useState<[number, number]>([0, 0]);
  const verify = useVerifyAudit((done, of) => setProgress([done, of]));
  const button = (
    <Button look="filled" loading={verify.isPending} onClick={() => verify.mutate({})}>
      <ShieldCheck aria-hidden /> Verify
    </Button>
  );
  const result = (
    <div aria-live="polite">
      {verify.isPending && progress[1] > 0 && (
        <Progress
          className="mb-4"
          label={`Verifying: entry ${format.count(progress[0])} of ${format.count(progress[1])}`}
          percent={(100 * progress[0]) / progress[1]}
        />
      )}
      {verify.error && (
        <div className="mb-4">
          <ErrorNote error={verify.error} />
        </div>
      )}
      {verify.data && !verify.isPending && <Result check={verify.data} />}
    </div>
  );
  return { button, result };
}

function Result({ check }: { check: AuditCheck }) {
  const { data: head } = useAuditHead(check.ok);
  const sound = check.ok && !check.heads_missing;
  const Icon = sound ? CircleCheck : CircleX;
  const key = head?.keys.find((one) => one.in_use);
  return (
    <Card className="mb-4" role="region" aria-label="Result of the verification">
      <p className={`flex items-center gap-2 text-lead font-semibold ${sound ? "text-ok-text" : "text-bad-text"}`}>
        <Icon aria-hidden className="size-5 shrink-0" />
        {sound
          ? "The audit log is intact"
          : check.heads_missing
            ? "The signatures of the audit log are missing"
            : `Entry ${format.count(check.first_bad ?? 0)} does not verify`}
      </p>
      {!sound && check.why && (
        <p className="mt-1 break-words">
          <Visible text={check.why} />
        </p>
      )}
      <p className="mt-1 text-muted">
        {format.plural(check.entries, "entry", "entries")} checked from the first to the last
        {check.events > 0 && `, with ${format.plural(check.events, "event")} of runs`}.{" "}
        {check.signed > 0 ? `Signed up to entry ${format.count(check.signed)}.` : "Not signed yet."}
        {check.missing > 0 && ` ${format.plural(check.missing, "value")} deleted since; the digests remain and verify.`}
        {check.events_unbound > 0 &&
          ` The newest ${format.plural(check.events_unbound, "event")} will be bound in a moment.`}
      </p>
      {check.warnings.map((warning) => (
        <p key={warning} className="mt-2 flex gap-2 rounded-sm bg-warn-bg px-3 py-2 text-warn-text">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{warning}</span>
        </p>
      ))}
      {head && (
        <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 text-small">
          <dt className="py-1 text-muted">Head</dt>
          <dd className="flex items-center gap-1 pointer-coarse:min-h-11">
            <code className="truncate text-meta">{head.head}</code>
            <CopyButton text={head.head} label="Copy the head" />
          </dd>
          {key && (
            <>
              <dt className="py-1 text-muted">Public key</dt>
              <dd className="flex items-center gap-1 pointer-coarse:min-h-11">
                <code className="truncate text-meta">{key.public}</code>
                <CopyButton text={key.public} label="Copy the public key" />
              </dd>
            </>
          )}
        </dl>
      )}
      {head && (
        <p className="mt-2 text-small text-muted">
          Keep both where the people who run this server can't change them. A later check against them detects a log
          that was cut or rewritten.
        </p>
      )}
    </Card>
  );
}
