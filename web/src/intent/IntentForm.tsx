import { Lightbulb } from "lucide-react";
import { useAgents, useMay } from "../api";
import { plain } from "../json";
import { Button, type ButtonProps } from "../ui/Button";
import { Field } from "../ui/Field";
import { Select } from "../ui/Select";
import { Textarea } from "../ui/Textarea";
import { format } from "../words";

const intentMax = 4000;

/** Asks what should happen, in plain words; administrators can name a model that arranges the candidates. */
export function IntentForm(props: {
  text: string;
  agent: string;
  busy: boolean;
  /** The label of the button. */
  label: string;
  look?: ButtonProps["look"];
  className?: string;
  onText: (text: string) => void;
  onAgent: (agent: string) => void;
  onAsk: (asked: { intent: string; agent: string }) => void;
}) {
  const { text, agent } = props;
  const may = useMay();
  const { data: agents } = useAgents(may("admin"));
  const models = (agents?.items ?? []).filter((a) => plain<{ kind?: string }>(a.definition)?.kind === "llm");
  const over = text.length > intentMax;
  return (
    <form
      className={props.className}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() && !over) props.onAsk({ intent: text.trim(), agent });
      }}
    >
      <Field
        label="What should happen?"
        hint="In plain words: List the files, read each file, then write a report."
        error={over ? `${format.count(text.length)} characters; the limit is ${format.count(intentMax)}.` : undefined}
      >
        <Textarea value={text} onChange={(e) => props.onText(e.target.value)} />
      </Field>
      <div className="flex flex-wrap items-end gap-3">
        {may("admin") && models.length > 0 && (
          <Field label="Arranged by" className="min-w-52" hint="A model may order the candidates.">
            <Select
              value={agent}
              onValueChange={props.onAgent}
              options={[
                { value: "", label: "The search alone" },
                ...models.map((a) => ({ value: a.name, label: format.title(a.name) })),
              ]}
            />
          </Field>
        )}
        <Button type="submit" look={props.look} loading={props.busy} disabled={!text.trim() || over} className="mb-7">
          <Lightbulb aria-hidden /> {props.label}
        </Button>
      </div>
    </form>
  );
}
