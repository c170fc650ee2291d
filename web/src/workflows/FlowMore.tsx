import { Trash2 } from "lucide-react";
import { IconButton } from "../ui/Button";
import { Input } from "../ui/Input";
import { Visible } from "../ui/Visible";
import { optionsOf, snapshotsWord } from "../words/fields";
import { AddName } from "./AddName";
import { type Asked, AskFields } from "./AskFields";
import { ChoiceAt, ListAt, NumberAt, type Part, TickAt } from "./Fields";
import { More } from "./More";
import type { Flow } from "./model/flow";
import { type Notify, NotifyFields } from "./NotifyFields";

const rare = ["ask", "confidence_threshold", "owner_only", "snapshots", "sensitive", "hand_off", "labels", "notify"];

/** What few workflows set: who is asked by default, privacy, snapshots, messages and labels. */
export function FlowMore({ flow, roles, part }: { flow: Flow; roles: readonly string[]; part: Part }) {
  const { all } = flow;
  const asking: Part = {
    ...part,
    fault: (path) => part.fault(["ask", ...path]),
    change: (path, value, label, typed) => part.change(["ask", ...path], value, label, typed),
  };
  return (
    <More label="More settings" wrong={rare.some((key) => part.fault([key]) !== undefined)}>
      <div className="space-y-5">
        <fieldset>
          <legend className="text-small font-medium">Asked by default</legend>
          <p className="mb-2 text-small text-muted">
            Where neither an approval nor a rule names anyone: tool calls, low confidence, limits and questions of
            agents.
          </p>
          <AskFields
            part={asking}
            roles={roles}
            asked={(all.ask ?? {}) as Asked}
            who="those asked by default"
            unset="As set for the server"
            thens={["reject", "cancel", "pause"]}
          />
        </fieldset>
        <div className="grid grid-cols-2 gap-x-3 gap-y-2">
          <TickAt
            part={part}
            path={["owner_only"]}
            label="Only the person who started a run may decide"
            on={all.owner_only === true}
            className="col-span-2 mb-2"
          />
          <NumberAt
            part={part}
            path={["confidence_threshold"]}
            label="Ask below this confidence"
            what="the confidence below which people are asked"
            value={all.confidence_threshold}
            placeholder="0.7"
            hint="0 to 1; an agent's own takes precedence"
            to={1}
          />
          <ChoiceAt
            part={part}
            path={["snapshots"]}
            label="Snapshots"
            what="when snapshots are saved"
            value={all.snapshots === "manual" ? "" : all.snapshots}
            hint="Points to resume a run from"
            options={[...optionsOf(snapshotsWord, "manual")]}
          />
          <ListAt
            part={part}
            path={["sensitive"]}
            label="Sensitive fields"
            className="col-span-2"
            what="the sensitive fields"
            value={all.sensitive}
            hint="Masked for those without the permission, such as iban, customer.email"
          />
          <ListAt
            part={part}
            path={["hand_off"]}
            label="Agents may hand over to"
            className="col-span-2"
            what="the agents that others may hand over to"
            value={all.hand_off}
            hint="LLM agents, separated by commas"
          />
        </div>
        <NotifyFields part={part} notify={(all.notify ?? {}) as Notify} />
        <Labels part={part} labels={(all.labels ?? {}) as Record<string, unknown>} />
      </div>
    </More>
  );
}

function Labels({ part, labels }: { part: Part; labels: Record<string, unknown> }) {
  const fault = part.fault(["labels"]);
  return (
    <section aria-label="Labels">
      <h4 className="text-small font-medium">Labels</h4>
      <p className="mb-1 text-small text-muted">Words to find its runs by, such as team: sales.</p>
      {fault && <p className="text-small text-bad-text">{fault}</p>}
      <ul className="space-y-1">
        {Object.entries(labels).map(([name, value]) => (
          <li key={name} className="flex items-center gap-1">
            <span className="w-24 shrink-0 truncate text-control">
              <Visible text={name} />
            </span>
            <Input
              aria-label={`Value of the label ${name}`}
              value={String(value ?? "")}
              disabled={!part.editable}
              onChange={(e) => part.change(["labels", name], e.target.value, `Change the label ${name}`, true)}
            />
            {part.editable && (
              <IconButton
                label={`Remove the label ${name}`}
                onClick={() => part.change(["labels", name], undefined, `Remove the label ${name}`)}
              >
                <Trash2 />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {part.editable && (
        <AddName
          label="Name of a label"
          placeholder="Add a label…"
          onAdd={(name) => {
            if (name in labels) return false;
            part.change(["labels", name], "", `Add the label ${name}`);
          }}
        />
      )}
    </section>
  );
}
