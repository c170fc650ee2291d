import { FlaskConical, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { useWorkflows } from "../api";
import { type Trial, type TrialAsk, useTryAgent } from "../api/agents";
import { ApiError } from "../api/error";
import { check, type Faults, faultsOf } from "../decide/check";
import { SchemaForm } from "../decide/form/SchemaForm";
import { prefilled, type Schema } from "../decide/schema";
import { compact, pretty, raw, type Tree, treeOf } from "../json";
import { Badge, Button, CodeEditor, ErrorNote, Field, JsonView, Select } from "../ui";
import { FoldedText } from "../ui/FoldedText";
import { Visible } from "../ui/Visible";
import { approvalReason, format, risk, trialOutcome, trialVerdict } from "../words";
import { readAgent } from "./model";

interface Props {
  name: string;
  /** The text of a draft; undefined: the agent in force is tried. */
  draft?: string;
  /** The text to read the input schema from. */
  text: string;
}

const object = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** Tries an agent on an input: what it says, and what would happen to its calls. */
export function TryAgent({ name, draft, text }: Props) {
  const attempt = useTryAgent();
  const { data: workflows } = useWorkflows();
  const schema = useMemo(() => {
    const input = readAgent(text).input;
    return object(input) ? input : undefined;
  }, [text]);
  const [tree, setTree] = useState<Tree>(() => prefilled({ kind: "object", members: [] }, schema ?? {}));
  const [json, setJson] = useState<string>();
  const [workflow, setWorkflow] = useState("");
  const [tried, setTried] = useState(false);
  const [unread, setUnread] = useState<Faults>(new Map());
  const asJson = json !== undefined || !schema;
  const parsed = asJson ? read(json ?? pretty(tree)) : tree;
  const checked = parsed && schema ? check(parsed, schema) : new Map<string, string>();
  const local: Faults = new Map([...checked, ...(asJson ? [] : unread)]);
  const told = attempt.error instanceof ApiError ? faultsOf(attempt.error.errors) : new Map<string, string>();
  const send = () => {
    setTried(true);
    if (!parsed || local.size > 0) return;
    attempt.mutate({ name, input: raw(compact(parsed)), yaml: draft, workflow: workflow || undefined });
  };
  return (
    <>
      <p className="mb-4 flex gap-2 rounded-md bg-info-bg px-3 py-2 text-small text-info-text">
        <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          The model is called, at its cost. No tool is called, and no one is asked: the agent gets samples for answers.
          {draft !== undefined && " This tries your changes before they are saved."}
        </span>
      </p>
      <form
        aria-label="Try the agent"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div className="mb-1 flex items-center">
          <h3 className="flex-1 text-control font-semibold">Input</h3>
          {schema && (
            <Button
              look="ghost"
              size="small"
              disabled={asJson && !parsed}
              onClick={() => {
                if (asJson && parsed) setTree(parsed);
                setJson(asJson ? undefined : pretty(tree));
              }}
            >
              {asJson ? "As a form" : "As JSON"}
            </Button>
          )}
        </div>
        {asJson ? (
          <CodeEditor language="json" label="Input as JSON" value={json ?? pretty(tree)} onChange={setJson} />
        ) : (
          <SchemaForm
            tree={tree}
            schema={schema}
            faults={new Map([...told, ...local])}
            onChange={setTree}
            onBroken={(pointer, message) =>
              setUnread((now) => {
                const next = new Map(now);
                if (message === undefined) next.delete(pointer);
                else next.set(pointer, message);
                return next;
              })
            }
          />
        )}
        {asJson && !parsed && (
          <p role="alert" className="mt-1 text-small text-bad-text">
            Not valid JSON yet.
          </p>
        )}
        {tried && local.size > 0 && (
          <ul role="alert" className="mt-1 text-small text-bad-text">
            {[...local].map(([path, message]) => (
              <li key={path}>
                <code>{path || "input"}</code> {message}
              </li>
            ))}
          </ul>
        )}
        <Field label="Rules for" hint="Some rules of the policy apply to certain workflows only." className="mt-3">
          <Select
            className="w-full"
            value={workflow}
            onValueChange={setWorkflow}
            options={[
              { value: "", label: "No workflow in particular" },
              ...(workflows?.items ?? []).map((one) => ({ value: one.name, label: format.title(one.name) })),
            ]}
          />
        </Field>
        {attempt.error && <ErrorNote error={attempt.error} />}
        <Button type="submit" className="mt-3" loading={attempt.isPending} disabled={!parsed}>
          <Play aria-hidden /> Try it
        </Button>
      </form>
      <div aria-live="polite">{attempt.data && <Report report={attempt.data} />}</div>
    </>
  );
}

function read(text: string): Tree | undefined {
  try {
    return treeOf(raw(text));
  } catch {
    return undefined;
  }
}

function Report({ report }: { report: Trial }) {
  const outcome = trialOutcome[report.outcome];
  const calls = report.turns.reduce((sum, turn) => sum + turn.calls.length, 0);
  return (
    <section aria-label="Result" className="mt-4 space-y-4 border-t pt-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={outcome.tone} icon={outcome.icon}>
          {outcome.label}
        </Badge>
        <span className="text-small text-muted">
          {report.version > 0 ? `Version ${report.version}` : "Not saved"} · {format.plural(calls, "call")} ·{" "}
          {format.count((report.usage.tokens_in ?? 0) + (report.usage.tokens_out ?? 0))} tokens ·{" "}
          {format.money(report.usage.cost_usd)}
        </span>
      </p>
      {report.why && <FoldedText text={report.why} />}
      {report.notes.map((note) => (
        <p key={note} className="text-small text-muted">
          <Visible text={note} />
        </p>
      ))}
      {report.turns.length > 0 && (
        <ol aria-label="Turns" className="space-y-3">
          {report.turns.map((turn, i) => (
            <li key={i} className="rounded-md border p-3">
              <h4 className="mb-1 text-small font-medium text-muted">
                {format.title(turn.agent)} · turn {i + 1}
              </h4>
              {turn.text && <FoldedText text={turn.text} />}
              {turn.calls.map((call, n) => (
                <Call key={n} call={call} />
              ))}
              {!turn.text && turn.calls.length === 0 && <p className="text-small text-muted">It answers.</p>}
            </li>
          ))}
        </ol>
      )}
      {report.outcome === "completed" && (
        <div>
          <h4 className="mb-1 text-small font-medium text-muted">
            {report.sampled ? "Answer: a sample" : "Answer"}
            {report.confidence !== null && ` · confidence ${format.percent(report.confidence)}`}
          </h4>
          {report.sampled && (
            <p className="mb-2 text-small text-muted">
              It was not called, because it may have effects. Declare <code>effects: none</code> to allow it.
            </p>
          )}
          <JsonView value={report.output} />
          {report.reasoning && <FoldedText text={report.reasoning} />}
        </div>
      )}
      {report.asks.length > 0 && (
        <div>
          <h4 className="mb-1 text-small font-medium text-muted">Approvals of its work</h4>
          <Asked asks={report.asks} />
        </div>
      )}
    </section>
  );
}

function Call({ call }: { call: Trial["turns"][number]["calls"][number] }) {
  const verdict = trialVerdict[call.verdict];
  return (
    <div className="mt-2 rounded-sm bg-sunken p-2">
      <p className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium break-words">
          <Visible text={call.description || format.title(call.tool)} />
        </span>
        <Badge tone={verdict.tone} icon={verdict.icon} title={verdict.sentence}>
          {verdict.label}
        </Badge>
      </p>
      <p className="text-small break-words text-muted">
        <Visible text={format.title(call.tool.replace(/^mcp:/, ""))} />
      </p>
      {call.why && <FoldedText text={call.why} />}
      <Asked asks={call.asks} />
      <JsonView value={call.args} />
    </div>
  );
}

/** Who would be asked, and why. */
function Asked({ asks }: { asks: TrialAsk[] }) {
  return (
    <ul className="my-1 space-y-0.5 text-small">
      {asks.map((ask, i) => (
        <li key={i} className="break-words">
          <Visible text={askText(ask)} />
        </li>
      ))}
    </ul>
  );
}

export function askText(ask: TrialAsk): string {
  const because = ask.rule ? `rule “${ask.rule}”` : approvalReason[ask.reason].label;
  const rated = ask.risk ? `, ${risk[ask.risk].label.toLowerCase()}` : "";
  if (ask.auto) return `Approved by ${because}${rated}`;
  const whom = ask.role ? format.title(ask.role) : ask.who.length > 0 ? ask.who.join(", ") : "Anyone";
  return `${whom} decides${ask.needed > 1 ? `, ${ask.needed} approvals` : ""}: ${because}${rated}`;
}
