import type { StepStatus } from "../api/types";
import { type Tree, treeOf } from "../json";
import { stepStatus } from "../words";

export interface Line {
  name: string;
  status: StepStatus;
  /** Its result: a value, or text if it is not one. */
  tree?: Tree;
  text?: string;
}

/** The steps named in the summary of a run; undefined if it is worded differently. */
export function readSoFar(text: string): { lead: string; lines: Line[] } | undefined {
  const [lead = "", ...rest] = text.trim().split(/\n(?=- )/);
  const lines: Line[] = [];
  for (const line of rest) {
    const match = /^- ([^:]{1,128}): (\w+)(?: → (.*))?$/s.exec(line);
    const status = match?.[2] as StepStatus;
    if (!match?.[1] || !(status in stepStatus)) return undefined;
    lines.push({ name: match[1], status, ...result(match[3]) });
  }
  return lines.length > 0 ? { lead, lines } : undefined;
}

export function result(text: string | undefined): Pick<Line, "tree" | "text"> {
  if (text === undefined) return {};
  try {
    return { tree: treeOf(text) };
  } catch {
    return { text }; // truncated, or in prose
  }
}

export interface Said {
  name: string;
  how: "said" | "gave" | "failed";
  text: string;
}

const ways = { ": ": "said", " → ": "gave", " failed: ": "failed" } as const;

/** An agent's transcript: its messages and the results of its tools; undefined if it is worded differently. */
export function readTalk(text: string): Said[] | undefined {
  const out: Said[] = [];
  for (const line of text.split("\n")) {
    const match = /^([\p{L}\p{N}_./-]{1,128})(: | → | failed: )(.*)$/su.exec(line);
    const last = out.at(-1);
    if (match) out.push({ name: match[1] ?? "", how: ways[match[2] as keyof typeof ways], text: match[3] ?? "" });
    else if (last) last.text += `\n${line}`;
    else return undefined;
  }
  return out.length > 0 ? out : undefined;
}
