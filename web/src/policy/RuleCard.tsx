import { Copy, Ellipsis, GripVertical, MoveDown, MoveUp, Pencil, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import type { PolicyRule, ValidationFault } from "../api/policyEdit";
import { cn } from "../lib/cn";
import { Badge, Button, IconButton, Menu, MenuItem, MenuSeparator, Meter } from "../ui";
import { FaultList } from "../ui/FaultList";
import { Visible } from "../ui/Visible";
import { format, ruleEffect } from "../words";
import { type Card, numberOf, rolloutOf } from "./model";
import { Rollout } from "./Rollout";
import { actionParts } from "./say";

export interface CardActs {
  onEdit: () => void;
  onMove: (by: number) => void;
  onEnable: (enabled: boolean) => void;
  onDuplicate?: () => void;
  onRemove: () => void;
  onRollout: (percent: number) => void;
}

interface Props {
  card: Card;
  /** From 1. */
  position: number;
  of: number;
  when: string;
  problems: ValidationFault[];
  /** The rule as it is in force, with its uses. */
  inForce?: PolicyRule;
  /** Missing for people who may not change the policy. */
  acts?: CardActs;
  drag?: { start: () => void; over: () => void; end: () => void; shown: "" | "before" | "after" | "dragged" };
}

/** One rule: when it applies, its effect, and how much of a grant is left. */
export function RuleCard({ card, position, of, when, problems, inForce, acts, drag }: Props) {
  const [held, setHeld] = useState(false);
  const word = ruleEffect[card.effect];
  return (
    <li
      data-rule={card.name}
      draggable={held}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", card.name);
        drag?.start();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        drag?.over();
      }}
      onDrop={(event) => event.preventDefault()}
      onDragEnd={() => {
        setHeld(false);
        drag?.end();
      }}
      className={cn(
        "relative flex gap-2 rounded-md border bg-surface py-3 pr-3 pl-1.5",
        acts ? "pointer-coarse:pl-4 max-sm:pl-4" : "pl-4",
        drag?.shown === "dragged" && "opacity-50",
        drag?.shown === "before" && "before:absolute before:inset-x-0 before:-top-1.5 before:h-0.5 before:bg-accent",
        drag?.shown === "after" && "after:absolute after:inset-x-0 after:-bottom-1.5 after:h-0.5 after:bg-accent",
      )}
    >
      {acts && (
        <IconButton
          label={`Move ${card.name}: position ${position} of ${of}. Use the arrow keys, or drag.`}
          data-grip={card.name}
          className="-my-1 cursor-grab max-sm:hidden pointer-coarse:hidden"
          onPointerDown={() => setHeld(true)}
          onPointerUp={() => setHeld(false)}
          onKeyDown={(event) => {
            const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
            if (by === 0) return;
            event.preventDefault();
            acts.onMove(by);
          }}
        >
          <GripVertical aria-hidden />
        </IconButton>
      )}
      <div className={cn("min-w-0 flex-1", !card.enabled && "text-muted")}>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h3 className={cn("min-w-0 font-semibold break-words", !card.enabled && "line-through")}>
            <span className="mr-1.5 font-normal text-muted tabular-nums">{position}</span>
            <Visible text={card.name || "Unnamed rule"} />
          </h3>
          <Badge tone={card.enabled ? word.tone : "neutral"} icon={word.icon} title={word.sentence}>
            {word.label}
          </Badge>
          {!card.enabled && <Badge>Disabled</Badge>}
        </div>
        {card.description && (
          <p className="mt-0.5 text-small break-words text-muted">
            <Visible text={card.description} />
          </p>
        )}
        <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-2 gap-y-0.5 text-control">
          <dt className="text-muted">When</dt>
          <dd className="min-w-0 wrap-anywhere">
            <Visible text={when} />
          </dd>
          <dt className="text-muted">Then</dt>
          <dd className="min-w-0 wrap-anywhere">
            <Visible text={actionParts(card).join(" · ")} />
          </dd>
        </dl>
        <Grant card={card} inForce={inForce} acts={acts} />
        {problems.length > 0 && (
          <div className="mt-2">
            <FaultList faults={problems.map(({ message, warning }) => ({ message, warning }))} />
          </div>
        )}
      </div>
      {acts && (
        <div className="-my-1 flex shrink-0 self-start max-sm:flex-col-reverse">
          <Button size="small" look="ghost" aria-label={`Edit ${card.name}`} onClick={acts.onEdit} className="my-0.5">
            <Pencil aria-hidden /> <span className="max-sm:sr-only">Edit</span>
          </Button>
          <More card={card} position={position} of={of} acts={acts} />
        </div>
      )}
    </li>
  );
}

function More({ card, position, of, acts }: { card: Card; position: number; of: number; acts: CardActs }) {
  return (
    <Menu
      trigger={
        <IconButton label={`More about ${card.name}`}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem icon={MoveUp} disabled={position === 1} onSelect={() => acts.onMove(-1)}>
        Move up
      </MenuItem>
      <MenuItem icon={MoveDown} disabled={position === of} onSelect={() => acts.onMove(1)}>
        Move down
      </MenuItem>
      <MenuItem icon={Power} onSelect={() => acts.onEnable(!card.enabled)}>
        {card.enabled ? "Disable" : "Enable"}
      </MenuItem>
      {acts.onDuplicate && (
        <MenuItem icon={Copy} onSelect={acts.onDuplicate}>
          Duplicate
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={Trash2} tone="bad" onSelect={acts.onRemove}>
        Delete
      </MenuItem>
    </Menu>
  );
}

/** The share of cases, and the uses that are left. */
function Grant({ card, inForce, acts }: Pick<Props, "card" | "inForce" | "acts">) {
  if (card.effect !== "approve") return null;
  const share = rolloutOf(card.action);
  const uses = numberOf(card.action.max_uses);
  const used = inForce?.used ?? 0;
  return (
    <div className="mt-2 flex flex-wrap items-start gap-x-6 gap-y-2">
      {share !== undefined && acts && (
        <Rollout name={card.name} percent={share} onChange={card.enabled ? acts.onRollout : undefined} />
      )}
      {inForce?.rollout_now !== undefined && share === undefined && (
        <Meter
          className="w-56 max-w-full"
          label="Current share"
          value={inForce.rollout_now}
          max={100}
          text={format.percent(inForce.rollout_now / 100)}
        />
      )}
      {uses !== undefined && (
        <Meter
          className="w-56 max-w-full"
          label="Uses left"
          value={Math.min(used, uses)}
          max={uses}
          text={`${format.count(Math.max(0, uses - used))} of ${format.count(uses)}`}
        />
      )}
    </div>
  );
}
