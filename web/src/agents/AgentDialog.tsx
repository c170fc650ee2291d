import { Plus, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useAgents, useMay, useTools } from "../api";
import { useSaveAgent } from "../api/agents";
import { DocumentDialog, type FormProps } from "../document/DocumentDialog";
import { ListInput } from "../document/ListInput";
import { numeric } from "../document/text";
import type { InForce } from "../document/useDraft";
import { plain } from "../json";
import { Button, Field, IconButton, Input, Select, SkeletonRows, Textarea } from "../ui";
import { Ticked } from "../ui/Ticked";
import { format } from "../words";
import { limitWord, optionsOf, providerWord, toolName } from "../words/fields";
import { type Autonomy, autonomies, autonomyOf, knownRisk, order, template, toolRisk } from "./model";

const AgentUsage = lazy(async () => ({ default: (await import("./AgentUsage")).AgentUsage }));
const TryAgent = lazy(async () => ({ default: (await import("./TryAgent")).TryAgent }));

interface Props {
  /** Missing: a new agent. */
  name?: string;
  inForce?: InForce;
  taken: readonly string[];
  editable: boolean;
  onClose: () => void;
}

/** An agent as a form and as YAML, over one text. */
export function AgentDialog({ name, inForce, taken, editable, onClose }: Props) {
  const save = useSaveAgent();
  const may = useMay();
  return (
    <DocumentDialog
      what="agent"
      kind="agent"
      name={name}
      inForce={inForce}
      taken={taken}
      template={template}
      order={order}
      effect="Saving puts it in force for runs that start from then on."
      editable={editable}
      save={save}
      form={(props) => <Form {...props} />}
      more={({ name: called, text, dirty }) => [
        ...(name
          ? [{ value: "usage", label: "Usage and cost", content: <Loaded of={<AgentUsage name={name} />} /> }]
          : []),
        ...(called !== "" && may("start")
          ? [
              {
                value: "try",
                label: "Try it",
                content: <Loaded of={<TryAgent name={called} text={text} draft={dirty ? text : undefined} />} />,
              },
            ]
          : []),
      ]}
      onClose={onClose}
    />
  );
}

const Loaded = ({ of }: { of: ReactNode }) => (
  <div className="px-4 pt-4">
    <Suspense fallback={<SkeletonRows rows={4} />}>{of}</Suspense>
  </div>
);

type Set = FormProps["set"];
const text = (value: unknown) => (value === undefined || value === null ? "" : String(value));
const names = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
function Form({ value: agent, fresh, nameFault, set }: FormProps) {
  const limits = (agent.limits ?? {}) as Record<string, unknown>;
  const llm = agent.kind === "llm";
  return (
    <>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {fresh && (
          <Field label="Name" hint="Letters, digits, - _ and ." error={nameFault}>
            <Input
              value={text(agent.agent)}
              autoFocus
              autoComplete="off"
              onChange={(e) => set(["agent"], e.target.value)}
            />
          </Field>
        )}
        <Field label="Description" className={fresh ? undefined : "sm:col-span-2"}>
          <Input value={text(agent.description)} onChange={(e) => set(["description"], e.target.value)} />
        </Field>
      </div>
      {llm && <Model agent={agent} set={set} />}
      {!llm && (
        <p className="mb-4 rounded-md bg-sunken px-3 py-2 text-small text-muted">
          The service, program or answers behind this agent are set in the YAML view. The settings below apply to every
          kind of agent.
        </p>
      )}
      <h3 className="mb-2 border-t pt-4 font-semibold">Autonomy</h3>
      <div role="radiogroup" aria-label="Autonomy" className="mb-4 grid gap-2 sm:grid-cols-2">
        {(Object.keys(autonomies) as Autonomy[]).map((value) => (
          <label
            key={value}
            className="cursor-pointer rounded-sm border border-border-strong px-3 py-2 has-checked:border-accent has-checked:bg-accent-bg has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name="autonomy"
              className="sr-only"
              checked={autonomyOf(agent.autonomy) === value}
              onChange={() => set(["autonomy"], value)}
            />
            <span className="block font-medium">{autonomies[value].label}</span>
            <span className="block text-small text-muted">{autonomies[value].sentence}</span>
          </label>
        ))}
      </div>
      {llm && <ToolList agent={agent} set={set} />}
      <h3 className="mb-2 border-t pt-4 font-semibold">Limits of one run</h3>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="Turns" hint="Empty: 500">
          <Input
            inputMode="numeric"
            value={text(limits.iterations)}
            onChange={(e) => set(["limits", "iterations"], numeric(e.target.value))}
          />
        </Field>
        <Field label="Cost, US dollars" hint="Empty: no limit">
          <Input
            inputMode="decimal"
            value={text(limits.cost_usd)}
            onChange={(e) => set(["limits", "cost_usd"], numeric(e.target.value))}
          />
        </Field>
        <Field label="Time" hint="Such as 4h. Empty: no limit">
          <Input value={text(limits.duration)} onChange={(e) => set(["limits", "duration"], e.target.value)} />
        </Field>
        <Field label="At a limit">
          <Select
            className="w-full"
            value={text(limits.on_limit)}
            onValueChange={(value) => set(["limits", "on_limit"], value)}
            options={optionsOf(limitWord, "stop")}
          />
        </Field>
        <Field label="Confidence below which people are asked" hint="0 to 1. Empty: the server's setting">
          <Input
            inputMode="decimal"
            value={text(agent.confidence_threshold)}
            onChange={(e) => set(["confidence_threshold"], numeric(e.target.value))}
          />
        </Field>
      </div>
      <Notifications agent={agent} set={set} />
      <Ticked
        label="Learns from corrections of its earlier work"
        checked={agent.lessons !== false}
        onChange={(on) => set(["lessons"], on ? undefined : false)}
      />
    </>
  );
}

/** Who else is told when its work needs approval; what everyone is told is set in the notifications of the server. */
function Notifications({ agent, set }: { agent: Record<string, unknown>; set: Set }) {
  const notify = (agent.notify ?? {}) as Record<string, unknown>;
  return (
    <>
      <h3 className="mb-2 border-t pt-4 font-semibold">Notifications</h3>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="Also on these channels" hint="Names or kinds, separated by commas, such as email, ops-room">
          <ListInput value={names(notify.channels)} onChange={(list) => set(["notify", "channels"], list)} />
        </Field>
        <Field label="Also to" hint="Names, addresses, rooms such as #ops, or role:finance">
          <ListInput value={names(notify.recipients)} onChange={(list) => set(["notify", "recipients"], list)} />
        </Field>
      </div>
      <div className="mb-4">
        <Ticked
          label="Only these, instead of those that are told by default"
          checked={notify.only === true}
          onChange={(on) => set(["notify", "only"], on ? true : undefined)}
        />
      </div>
    </>
  );
}

function Model({ agent, set }: { agent: Record<string, unknown>; set: Set }) {
  return (
    <>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="Provider">
          <Select
            className="w-full"
            value={text(agent.provider)}
            onValueChange={(value) => set(["provider"], value)}
            options={optionsOf(providerWord)}
          />
        </Field>
        <Field label="Model" hint="Such as gpt-4o">
          <Input value={text(agent.model)} autoComplete="off" onChange={(e) => set(["model"], e.target.value)} />
        </Field>
        <Field label="API key" hint="A reference: ${env:NAME} or ${file:PATH}. Keys themselves are never shown.">
          <Input
            value={text(agent.api_key)}
            autoComplete="off"
            spellCheck={false}
            placeholder="${env:OPENAI_API_KEY}"
            onChange={(e) => set(["api_key"], e.target.value)}
          />
        </Field>
        <Field label="Address" hint="Empty: the provider's own">
          <Input value={text(agent.base_url)} autoComplete="off" onChange={(e) => set(["base_url"], e.target.value)} />
        </Field>
      </div>
      <Field label="Instructions" hint="What it does, and how">
        <Textarea rows={4} value={text(agent.system)} onChange={(e) => set(["system"], e.target.value)} />
      </Field>
    </>
  );
}

/** The tools it may call, each with its risk for this agent; and the agents that it may hand off to. */
function ToolList({ agent, set }: { agent: Record<string, unknown>; set: Set }) {
  const { data } = useTools();
  const { data: agents } = useAgents();
  const [adding, setAdding] = useState("");
  const tools = names(agent.tools);
  const risks = (agent.tool_risk ?? {}) as Record<string, unknown>;
  const known = data?.items ?? [];
  const handOff = names(agent.hand_off);
  // Only models take over a conversation; others are shown so that they can be unticked.
  const others = (agents?.items ?? [])
    .filter((one) => plain<{ kind?: string }>(one.definition)?.kind === "llm" || handOff.includes(one.name))
    .map((one) => one.name)
    .filter((one) => one !== agent.agent);
  const add = (name: string) => {
    if (name && !tools.includes(name)) set(["tools"], [...tools, name]);
    setAdding("");
  };
  return (
    <>
      <h3 className="mb-2 border-t pt-4 font-semibold">Tools</h3>
      {tools.length > 0 && (
        <table className="mb-3 w-full text-control">
          <thead className="text-left text-small text-muted">
            <tr>
              <th scope="col" className="py-1 font-medium">
                Tool
              </th>
              <th scope="col" className="py-1 font-medium">
                Risk for this agent
              </th>
              <td />
            </tr>
          </thead>
          <tbody>
            {tools.map((name) => {
              const tool = known.find((one) => one.name === name);
              const own = knownRisk(tool?.risk) ? toolRisk[tool.risk].label : "Not rated";
              return (
                <tr key={name} className="border-t">
                  <th scope="row" className="min-w-0 py-1.5 pr-3 text-left font-normal break-words">
                    {toolName(name)}
                  </th>
                  <td className="py-1.5">
                    <Select
                      label={`Risk of ${toolName(name)}`}
                      className="w-full max-w-52"
                      value={knownRisk(risks[name]) ? risks[name] : ""}
                      onValueChange={(value) => set(["tool_risk", name], value)}
                      options={[
                        { value: "", label: `As the tool: ${own}` },
                        ...Object.entries(toolRisk).map(([value, { label }]) => ({ value, label })),
                      ]}
                    />
                  </td>
                  <td className="py-1.5 text-right">
                    <IconButton
                      label={`Remove ${toolName(name)}`}
                      onClick={() =>
                        set(
                          ["tools"],
                          tools.filter((one) => one !== name),
                        )
                      }
                    >
                      <X aria-hidden />
                    </IconButton>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <datalist id="all-tools">
        {known
          .filter((one) => !one.name.startsWith("agent:"))
          .map((one) => (
            <option key={one.name} value={one.name} />
          ))}
      </datalist>
      <div className="mb-4 flex gap-2">
        <Input
          aria-label="Add a tool"
          list="all-tools"
          placeholder="Add a tool"
          value={adding}
          onChange={(e) => setAdding(e.target.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter") return;
            e.preventDefault();
            add(adding.trim());
          }}
        />
        <Button disabled={adding.trim() === ""} onClick={() => add(adding.trim())}>
          <Plus aria-hidden /> Add
        </Button>
      </div>
      {others.length > 0 && (
        <fieldset className="mb-4">
          <legend className="mb-1 text-small font-medium">May hand off to</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-1">
            {others.map((other) => (
              <Ticked
                key={other}
                label={format.title(other)}
                checked={handOff.includes(other)}
                onChange={(on) => set(["hand_off"], on ? [...handOff, other] : handOff.filter((one) => one !== other))}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}
