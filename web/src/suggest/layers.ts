import { plain, type Raw } from "../json";

/** A step of a suggested plan, as far as it is drawn. */
export interface Drawn {
  id: string;
  needs: string[];
  each?: string;
}

/** The steps of a workflow by layer: what can run at the same time stands together. */
export function layersOf(definition: Raw | null | undefined): Drawn[][] {
  const steps = plain<{ steps?: Partial<Drawn>[] }>(definition ?? null)?.steps ?? [];
  const depth = new Map<string, number>();
  const out: Drawn[][] = [];
  let before: string[] = [];
  for (const step of steps) {
    const id = String(step.id ?? "");
    const needs = Array.isArray(step.needs) ? step.needs.map(String) : before;
    const layer = Math.max(-1, ...needs.map((need) => depth.get(need) ?? -1)) + 1;
    depth.set(id, layer);
    out[layer] = [...(out[layer] ?? []), { id, needs, each: step.each }];
    before = [id];
  }
  return out;
}
