import { ListOrdered, Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Policy } from "../api";
import { useVerdict, type ValidationFault } from "../api/policyEdit";
import { Button, EmptyState, VisuallyHidden } from "../ui";
import { keepFocus } from "../ui/returnFocus";
import { format } from "../words";
import {
  add,
  type Card,
  change,
  firstPriority,
  lastPriority,
  type Model,
  move,
  object,
  remove,
  setRollout,
} from "./model";
import { RuleCard } from "./RuleCard";
import { RuleDialog } from "./RuleDialog";
import { whenText } from "./say";
import type { Work } from "./useWork";

interface Props {
  policy: Policy;
  model: Model;
  work: Work;
  /** The text that the server has seen. */
  settled: string;
  problems: ValidationFault[];
  editable: boolean;
  /** A rule that is being written; undefined: none. */
  adding: boolean;
  onAdded: () => void;
}

const nothing = {};

/** The rules as cards, in order of evaluation: the first that matches decides. */
export function Rules({ policy, model, work, settled, problems, editable, adding, onAdded }: Props) {
  const { data: verdict } = useVerdict(nothing, settled);
  const whens = new Map(verdict?.steps.map((step) => [step.path, step.when]));
  const [editing, setEditing] = useState<Card>();
  const [said, setSaid] = useState("");
  const focus = useRef("");
  useEffect(() => {
    if (!focus.current) return;
    document.querySelector<HTMLElement>(`[data-grip="${CSS.escape(focus.current)}"]`)?.focus();
    focus.current = "";
  });
  const shift = (list: Card[], from: number, to: number) => {
    const card = list[from];
    if (!card || to < 0 || to >= list.length) return;
    work.set(move(work.text, list, from, to));
    focus.current = card.name;
    setSaid(`${card.name} is now number ${to + 1} of ${list.length}.`);
  };
  const group = (list: Card[], label: string) => (
    <Group
      label={label}
      list={list}
      onMove={(from, to) => shift(list, from, to)}
      draw={(card, position, drag) => (
        <RuleCard
          key={card.name || card.place}
          card={card}
          position={position + 1}
          of={list.length}
          when={(work.text === settled && whens.get(card.place)) || whenText(card.trigger)}
          problems={problems.filter((fault) => fault.path === card.place || fault.path.startsWith(`${card.place}.`))}
          inForce={policy.rules.find((rule) => rule.name === card.name)}
          drag={drag}
          acts={
            editable
              ? {
                  onEdit: () => setEditing(card),
                  onMove: (by) => shift(list, position, position + by),
                  onEnable: (enabled) =>
                    work.set(change(work.text, card.path, [[["enabled"], enabled ? undefined : false]])),
                  onDuplicate:
                    card.priority === undefined
                      ? undefined
                      : () =>
                          work.set(
                            add(work.text, {
                              name: `${card.name} copy`,
                              priority: lastPriority(model.rules),
                              trigger: card.trigger,
                              action: card.action,
                            }),
                          ),
                  onRemove: () => {
                    keepFocus();
                    work.set(remove(work.text, card.path));
                    setSaid(`${card.name} is deleted. Undo brings it back.`);
                  },
                  onRollout: (percent) => work.set(setRollout(work.text, card, percent), `rollout ${card.place}`),
                }
              : undefined
          }
        />
      )}
    />
  );
  if (model.broken)
    return (
      <EmptyState icon={ListOrdered} title="The text can't be read">
        Fix the problems in the YAML view, or undo. The cards come back then.
      </EmptyState>
    );
  return (
    <>
      {model.rules.length + model.automatic.length === 0 ? (
        <EmptyState icon={ListOrdered} title="No rules">
          Without rules, gates in workflows and each agent's autonomy decide when people are asked.
        </EmptyState>
      ) : (
        <p className="mb-3 text-muted">The first rule that matches decides.</p>
      )}
      {model.rules.length > 0 && group(model.rules, "Rules")}
      {model.automatic.length > 0 && (
        <section className="mt-6">
          <h2 className="mb-1 text-lead font-semibold">If no rule matches</h2>
          <p className="mb-3 text-muted">These are tried next. If none of them matches either, the workflow decides.</p>
          {group(model.automatic, "Automatic approval")}
        </section>
      )}
      {model.settings && <Settings settings={model.settings} />}
      <div role="status">
        <VisuallyHidden>{said}</VisuallyHidden>
      </div>
      {editing && (
        <RuleDialog
          card={editing}
          onClose={() => setEditing(undefined)}
          onSave={(edits) => {
            work.set(change(work.text, editing.path, edits));
            setEditing(undefined);
          }}
        />
      )}
      {adding && (
        <RuleDialog
          onClose={onAdded}
          onSave={(edits, first) => {
            const priority = first ? firstPriority(model.rules) : lastPriority(model.rules);
            const rule: Record<string, unknown> = { name: "", priority, trigger: {}, action: {} };
            for (const [path, value] of edits) put(rule, path, value);
            work.set(add(work.text, rule));
            onAdded();
          }}
        />
      )}
    </>
  );
}

/** Sets a value in a plain object, by path. */
function put(into: Record<string, unknown>, path: (string | number)[], value: unknown): void {
  const [key, ...rest] = path.map(String);
  if (key === undefined) return;
  if (rest.length === 0) {
    if (value !== undefined) into[key] = value;
    return;
  }
  const inner = object(into[key]);
  put(inner, rest, value);
  into[key] = inner;
}

type Drag = NonNullable<Parameters<typeof RuleCard>[0]["drag"]>;

function Group(props: {
  label: string;
  list: Card[];
  onMove: (from: number, to: number) => void;
  draw: (card: Card, position: number, drag: Drag) => React.ReactNode;
}) {
  const { label, list, onMove, draw } = props;
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  return (
    <ol aria-label={label} className="space-y-2.5">
      {list.map((card, i) => {
        const shown =
          dragged === undefined ? "" : dragged === i ? "dragged" : over === i ? (dragged > i ? "before" : "after") : "";
        return draw(card, i, {
          shown,
          start: () => setDragged(i),
          over: () => dragged !== undefined && setOver(i),
          end: () => {
            if (dragged !== undefined && over !== undefined) onMove(dragged, over);
            setDragged(undefined);
            setOver(undefined);
          },
        });
      })}
    </ol>
  );
}

/** Settings that apply to every automatic approval. */
function Settings({ settings }: { settings: Record<string, unknown> }) {
  const global = object(settings.global_settings);
  const hours = object(global.business_hours);
  const parts = [
    settings.enabled === false ? "Automatic approval is switched off: people are asked instead." : "",
    global.emergency_stop === true ? "The policy itself stops all automatic approvals." : "",
    global.business_hours_only === true
      ? `Rules approve only in business hours: ${[
          hours.monday_friday && `Monday to Friday ${String(hours.monday_friday)}`,
          hours.saturday_sunday && hours.saturday_sunday !== "disabled" && `weekends ${String(hours.saturday_sunday)}`,
          hours.timezone && String(hours.timezone),
        ]
          .filter(Boolean)
          .join(", ")}.`
      : "",
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return <p className="mt-4 rounded-md border bg-sunken px-4 py-3">{parts.join(" ")}</p>;
}

/** The button that opens an empty rule. */
export function AddRule({ onClick }: { onClick: () => void }) {
  return (
    <Button onClick={onClick}>
      <Plus aria-hidden /> Add rule
    </Button>
  );
}

export const countText = (model: Model) => format.plural(model.rules.length + model.automatic.length, "rule");
