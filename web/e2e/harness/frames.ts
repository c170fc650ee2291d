import type { Page } from "playwright-core";
import { Work } from "./work";

export interface Measured {
  /** Per second. */
  frames: number;
  /** The CPU time of the longest task in ms. */
  longest: number;
  /** The CPU time of all tasks in ms: other load on the machine changes it little. */
  work: number;
}

/** How smooth the page is while something is done. */
export async function measured(page: Page, act: () => Promise<void>): Promise<Measured> {
  const work = await Work.of(page);
  await page.evaluate(() => {
    const count = { frames: 0, from: performance.now(), stop: false };
    Object.assign(window, { count });
    const next = () => {
      if (count.stop) return;
      count.frames++;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await act();
  const frames = await page.evaluate(() => {
    const { count } = window as unknown as { count: { frames: number; from: number; stop: boolean } };
    count.stop = true;
    return (1000 * count.frames) / (performance.now() - count.from);
  });
  const { longestMs, allMs } = await work.tasks();
  return { frames: Math.round(frames), longest: longestMs, work: allMs };
}

/** The source of a workflow with many steps: layers of ten, each step with two of the layer before, and a gate before the last. */
export function largeWorkflow(name: string, steps: number, agent = "worker"): string {
  const wide = 10;
  const id = (i: number) => `step_${String(i).padStart(3, "0")}`;
  const lines = Array.from({ length: steps }, (_, i) => {
    const before = i - (i % wide) - wide;
    const needs = before < 0 ? [] : [...new Set([before + (i % wide), before + ((i + 3) % wide)])].map(id);
    return `  - { id: ${id(i)}, agent: ${agent}, needs: [${needs.join(", ")}] }`;
  });
  return `workflow: ${name}
steps:
${lines.join("\n")}
gates:
  - { id: last, at: before ${id(steps - 1)}, title: Do the last step }
`;
}

export const workerAgent = `agent: worker
kind: scripted
answers: [{ output: { done: true } }]
`;

/** An agent whose output the suggester can map to others. */
export const pageFinder = `agent: page_finder
kind: scripted
description: Finds the pages of a customer
effects: none
output: { type: object, properties: { pages: { type: array, items: { type: string } } } }
answers: [{ output: { pages: [one, two] } }]`;
