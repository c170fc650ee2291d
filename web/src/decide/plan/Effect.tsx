import { Hand } from "lucide-react";
import type { AddedStep } from "../../api/types";
import { Badge } from "../../ui/Badge";
import { Visible } from "../../ui/Visible";
import { format } from "../../words";
import type { Desk } from "../useDesk";
import { addedIn, editOf, skippedIn, stringOf } from "./planEdit";

/** What the change would do, before it is sent: in words, with the questions that people would still be asked. */
export function Effect({ desk, next }: { desk: Desk; next: string[] }) {
  const { edited, effect } = desk;
  const skipped = skippedIn(edited);
  const changed = next.filter((id) => editOf(edited, id));
  const added = addedIn(edited);
  const nothing = desk.changes.length === 0;
  return (
    <section aria-label="What you change" className="mt-4 border-t pt-3">
      <h3 className="mb-2 flex items-baseline gap-2 text-small font-semibold">
        {nothing ? "Nothing changed yet" : "Effect of your changes"}
        <span aria-live="polite" className="font-normal text-muted">
          {desk.checking ? "checking…" : desk.faults.size > 0 ? "not possible yet" : nothing ? "" : "can be done"}
        </span>
      </h3>
      {!nothing && (
        <ul className="space-y-2 text-small">
          {skipped.map((id) => (
            <Line key={`skip ${id}`} verb="Skips" step={id} />
          ))}
          {changed.map((id) => (
            <Line key={`edit ${id}`} verb="Changes the input of" step={id} />
          ))}
          {added.map((step, n) => {
            const id = stringOf(step, "id");
            const known = effect?.added.find((a) => a.step === id);
            return <Added key={n} id={id} step={known} />;
          })}
          {effect?.rewired.map((r) => (
            <li key={`wait ${r.step}`} className="break-words">
              <b className="font-medium">
                <Visible text={format.title(r.step)} />
              </b>{" "}
              then waits for <Visible text={r.needs.map(format.title).join(", ") || "nothing"} />.
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Line({ verb, step }: { verb: string; step: string }) {
  return (
    <li className="break-words">
      {verb}{" "}
      <b className="font-medium">
        <Visible text={format.title(step)} />
      </b>
      .
    </li>
  );
}

const when: Record<string, string> = {
  before: "before it starts",
  after: "about its result",
  call: "before its call",
  risk: "before its call, because of its risk",
};

function Added({ id, step }: { id: string; step: AddedStep | undefined }) {
  return (
    <li className="break-words">
      Adds{" "}
      <b className="font-medium">
        <Visible text={format.title(id)} />
      </b>
      {step && (
        <>
          {" ("}
          <Visible text={step.by} />)
          {step.needs.length > 0 && (
            <>
              , after <Visible text={step.needs.map(format.title).join(", ")} />
            </>
          )}
          {step.replaces && (
            <>
              , in place of <Visible text={format.title(step.replaces)} />
            </>
          )}
        </>
      )}
      .
      {step && step.asks.length === 0 && (
        <span className="block text-muted">No gate asks about it. Rules of the policy still apply.</span>
      )}
      {step && step.asks.length > 0 && (
        <ul aria-label={`Questions about ${format.title(id)}`} className="mt-1 space-y-1">
          {step.asks.map((ask, i) => (
            <li key={i} className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Badge tone="warn" icon={Hand}>
                Asks people
              </Badge>
              <span className="min-w-0 break-words">
                <Visible text={ask.title} /> <span className="text-muted">{when[ask.at] ?? ask.at}</span>
                {ask.from && (
                  <span className="text-muted">
                    , inherited from <Visible text={format.title(ask.from)} />
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
