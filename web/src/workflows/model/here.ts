import type { Edge, Here, Picked } from "../studio";
import type { Slot } from "./edit";
import { type Flow, needsOf, spotOf } from "./flow";

/** A connection of the canvas, by its id: "read→gate pay_review". */
export function edgeIn(flow: Flow, id: string): Edge {
  const [from = "", to = ""] = id.split("→");
  const gate = (node: string) => flow.gates.find((g) => `gate ${g.id}` === node);
  const back = gate(from);
  const ahead = gate(to);
  const left = back && spotOf(back);
  const after = !left ? from : left.place === "after" ? left.of : "";
  const target = ahead ? spotOf(ahead).of : to;
  const next = target === after ? "" : target;
  return { id, from, to: next, after, gateAt: gateAt({ after, before: next }, back?.at) };
}

export const slotOf = ({ after, to }: Edge): Slot => ({ after: after || undefined, before: to || undefined });

/** Where an approval is placed: as close to the next step as it can be. */
export const gateAt = ({ after, before }: Slot, otherwise = "start"): string =>
  before ? `before ${before}` : after ? `after ${after}` : otherwise;

/** The new name of what is selected: it is gone, and one of its kind is new. */
export function newNameOf(picked: Picked, before: Flow, now: Flow): string | undefined {
  if (!picked || picked.kind === "edge") return undefined;
  const idsOf = ({ steps, gates }: Flow) => (picked.kind === "step" ? steps : gates).map(({ id }) => id);
  const [was, is] = [idsOf(before), idsOf(now)];
  const [name, ...more] = is.filter((id) => !was.includes(id));
  return was.length === is.length && !is.includes(picked.id) && more.length === 0 ? name : undefined;
}

/** Where something is added while this is selected: a step after it or on it, an approval after it or beside it. */
export function hereOf(flow: Flow, picked: Picked): Here {
  const last = flow.steps.at(-1)?.id;
  const end: Here = { slot: {}, gateAt: gateAt({ after: last }) };
  if (picked?.kind === "step") return { slot: { after: picked.id }, gateAt: `after ${picked.id}` };
  if (picked?.kind === "edge") {
    const edge = edgeIn(flow, picked.id);
    return { slot: slotOf(edge), gateAt: edge.gateAt };
  }
  const gate = picked && flow.gates.find((g) => g.id === picked.id);
  if (!gate) return end;
  const { place, of } = spotOf(gate);
  if (place === "after") return { slot: { after: of }, gateAt: gate.at };
  if (place === "before") return { slot: { before: of }, gateAt: gate.at };
  const first = flow.steps.find((_, i) => needsOf(flow, i).length === 0)?.id;
  if (place === "start") return { slot: { before: first }, gateAt: gate.at };
  return place === "end" ? { slot: {}, gateAt: gate.at } : end;
}
