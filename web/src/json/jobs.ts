import { hasUnseenInside } from "../words/unseen";
import { envelop } from "./envelop";
import { indented } from "./indent";
import { type Rows, rowsOf } from "./rows";

/** What a worker can do; each takes and gives what can be copied. */
export const jobs = {
  /** A text in rows. */
  rows: (text: string): Rows => rowsOf(text),
  /** JSON, indented, in rows. */
  json: (text: string): Rows => rowsOf(indented(text)),
  /** Whether something in JSON cannot be seen. */
  unseen: (text: string): boolean => hasUnseenInside(text),
  /** An answer of the API, with its payloads as texts. */
  answer: (text: string, shape: string): unknown => JSON.parse(envelop(text, shape)),
};

export type Jobs = typeof jobs;

export interface Request {
  id: number;
  job: keyof Jobs;
  args: unknown[];
}
