import type { Point } from "./place";

/** What people edit: the text, and beside it where steps are drawn and inputs to try it with. */
export interface Content {
  yaml: string;
  layout: Readonly<Record<string, Point>>;
  samples: readonly Sample[];
}

export interface Sample {
  name: string;
  /** JSON, as it was typed. */
  input: string;
}

/** Whether two contents are the same to the letter. */
export const alike = (a: Content, b: Content): boolean =>
  a.yaml === b.yaml && JSON.stringify([a.layout, a.samples]) === JSON.stringify([b.layout, b.samples]);
