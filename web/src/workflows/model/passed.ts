import { at, compact, type Raw, raw, treeOf } from "../../json";
import type { StepDef } from "./flow";

/** What a step is given of another one's output: the fields that are mapped from it, or all of it. */
export function passedTo(target: StepDef | undefined, from: string, output: Raw): Raw | undefined {
  if (!target?.with) return output;
  const tree = treeOf(output);
  const fields: string[] = [];
  for (const [field, source] of Object.entries(target.with)) {
    if (typeof source !== "string") continue;
    const path = /^([\w-]+)((?:\.[\w-]+|\[\d+\])*)$/.exec(source.trim());
    if (path?.[1] !== from) continue;
    const pointer = (path[2]?.match(/[\w-]+/g) ?? []).map((part) => `/${part}`).join("");
    const value = at(tree, pointer);
    if (value !== undefined) fields.push(`${JSON.stringify(field)}:${compact(value)}`);
  }
  return fields.length > 0 ? raw(`{${fields.join(",")}}`) : undefined;
}
