import { hasUnseenInside } from "../words/unseen";
import { envelop } from "./envelop";
import { indented } from "./indent";
import { type Rows, rowsOf } from "./rows";

/** The jobs of a worker; arguments and results can be cloned. */
export const jobs = {
  /** A text in rows. */
  rows: (text: string): Rows => rowsOf(text),
  /** JSON, indented, in rows. */
  json: (text: string): Rows => rowsOf(indented(text)),
  /** Whether JSON contains invisible characters. */
  unseen: (text: string): boolean => hasUnseenInside(text),
  /** An API response, with its payloads as text. */
  answer: (text: string, shape: string): unknown => JSON.parse(envelop(text, shape)),
};

export type Jobs = typeof jobs;

export interface Request {
  id: number;
  job: keyof Jobs;
  args: unknown[];
}
