import { Hand } from "lucide-react";
import { type FormEvent, useState } from "react";
import { putWorkingCopy, useSuggestion } from "../api";
import type { PlanSuggestion } from "../api/types";
import { IntentForm } from "../intent/IntentForm";
import { useNavigate } from "../router";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { SkeletonRows } from "../ui/Skeleton";
import { Visible } from "../ui/Visible";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { format } from "../words";
import { called, reasonText } from "../words/suggestion";
import { renamed } from "./model/edit";
import { readFlow } from "./model/flow";
import { planOfFlow } from "./model/place";
import { withReasons } from "./model/why";
import { nameFrom } from "./NewDialog";
import { PlanPicture } from "./Picture";

/** A sentence becomes a draft, with the reasons at each step. It is opened in the editor; nothing is published. */
export default function DescribeDialog(props: {
  intent: string;
  agent: string;
  taken: ReadonlySet<string>;
  onClose: () => void;
}) {
  const { taken, onClose } = props;
  const [text, setText] = useState(props.intent);
  const [agent, setAgent] = useState(props.agent);
  const [asked, setAsked] = useState({ intent: props.intent, agent: props.agent });
  const found = useSuggestion(asked.intent, asked.agent);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Describe a workflow"
      description="A draft is suggested from the agents and tools that you have. Nothing is published."
      className="sm:w-[min(720px,calc(100vw-32px))]"
    >
      <IntentForm
        text={text}
        agent={agent}
        busy={found.isFetching}
        label="Suggest"
        onText={setText}
        onAgent={setAgent}
        onAsk={(next) => {
          if (next.intent === asked.intent && next.agent === asked.agent) void found.refetch();
          else setAsked(next);
        }}
      />
      <VisuallyHidden>
        <span role="status">
          {!found.isFetching && found.data?.found && `${format.plural(found.data.why.length, "step")} suggested`}
        </span>
      </VisuallyHidden>
      {found.isFetching && !found.data && <SkeletonRows rows={3} />}
      {found.error && <ErrorNote error={found.error} />}
      {found.data && !found.data.found && (
        <p role="status" className="rounded-sm bg-warn-bg p-3 text-warn-text">
          Nothing fits well enough. Use the words of your agents and tools
          {found.data.candidates.length > 0 &&
            `, such as ${found.data.candidates
              .slice(0, 3)
              .map((c) => called(c.name))
              .join(", ")}`}
          .
        </p>
      )}
      {found.data?.found && <Suggested key={asked.intent} plan={found.data} intent={asked.intent} taken={taken} />}
    </Dialog>
  );
}

function Suggested({ plan, intent, taken }: { plan: PlanSuggestion; intent: string; taken: ReadonlySet<string> }) {
  const navigate = useNavigate();
  const [title, setTitle] = useState(() => intent.split(/[.,;\n]/)[0]?.slice(0, 40) ?? "");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const name = nameFrom(title);
  const problem = !name ? "Use letters or digits." : taken.has(name) ? `“${name}” already exists.` : undefined;
  const { flow } = readFlow(plan.yaml ?? "");
  const open = async (event: FormEvent) => {
    event.preventDefault();
    if (problem || !plan.yaml) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const yaml = withReasons(renamed(plan.yaml, name), plan.why);
      await putWorkingCopy(name, { yaml, base: 0, layout: {}, samples: [] }, 0);
      await navigate({ to: "/workflows/$id", params: { id: name } });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <section aria-label="Suggestion" className="space-y-3">
      <PlanPicture plan={flow && planOfFlow(flow)} named className="h-32 w-full rounded-sm bg-sunken p-2" />
      {plan.missing.length > 0 && (
        <p className="rounded-sm bg-warn-bg p-2 text-warn-text">
          Nothing fits {plan.missing.map((part) => `“${part}”`).join(", ")}.
        </p>
      )}
      <ol aria-label="Suggested steps" className="space-y-2">
        {plan.why.map((why) => (
          <li key={why.step} className="rounded-sm border bg-surface p-2">
            <span className="flex flex-wrap items-center gap-2">
              <span className="min-w-0 flex-1 font-medium break-words">
                <Visible text={format.title(why.step)} />
              </span>
              {why.asks && (
                <Badge tone="warn" icon={Hand}>
                  Asks people
                </Badge>
              )}
              <span className="text-meta text-muted">{format.percent(why.confidence)} confident</span>
            </span>
            <ul className="text-control text-muted">
              {why.because.split("; ").map((reason) => (
                <li key={reason} className="break-words">
                  <Visible text={reasonText(reason)} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {(plan.arranged_by || (plan.notes?.length ?? 0) > 0) && (
        <ul className="text-small text-muted">
          {plan.arranged_by && <li>Arranged by {format.title(plan.arranged_by)}.</li>}
          {plan.notes?.map((note) => (
            <li key={note} className="break-words">
              <Visible text={note} />
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={open} className="border-t pt-3">
        <Field label="Name" hint={name ? `Runs and files refer to it as ${name}.` : undefined} error={problem}>
          <Input value={title} onChange={(e) => setTitle(e.target.value)} autoComplete="off" />
        </Field>
        {failure !== undefined && <ErrorNote error={failure} />}
        <div className="sticky bottom-0 -mx-4 -mb-4 flex justify-end border-t bg-raised px-4 py-3 max-sm:*:flex-1">
          <Button type="submit" look="filled" loading={busy} disabled={!!problem}>
            Open as a draft
          </Button>
        </div>
      </form>
    </section>
  );
}
