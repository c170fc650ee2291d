import type { WorkflowPreview } from "../api";
import type { Run, StepStatus, ValidationFault } from "../api/types";
import type { Raw } from "../json";
import type { Path } from "../yaml/splice";
import type { Catalog } from "./model/catalog";
import type { Difference } from "./model/diff";
import type { NewStep, Slot } from "./model/edit";
import type { Point } from "./model/place";
import type { Editor } from "./useEditor";

/** What is selected, in all views. */
export type Picked = { kind: "step" | "gate" | "edge"; id: string } | undefined;

export interface Edge {
  id: string;
  /** The node it comes from. */
  from: string;
  /** The step it leads to, directly or through approvals before it; empty if it leads to no other step. */
  to: string;
  /** The step that data comes from; empty at the start and between a step and an approval before it. */
  after: string;
  /** Where an approval on it is placed. */
  gateAt: string;
}

/** What passes along an edge, and where that is known from. */
export interface EdgeValue {
  value: Raw;
  from: "test" | "sample";
}

/** The test run, and outputs that are kept for the next one. */
export interface Test {
  run?: Run;
  /** Whether the workflow has changed since the test run began. */
  stale: boolean;
  /** Outputs by step, as JSON. */
  pins: Readonly<Record<string, string>>;
  /** Undefined takes a pin away. */
  pin: (step: string, output: string | undefined) => void;
  /** Repeats the test run from a step on, with the pinned outputs of those before it. */
  from: (step: string) => void;
  busy: boolean;
  failure: unknown;
}

/** A place in the workflow: for a step, and for an approval. */
export interface Here {
  slot: Slot;
  gateAt: string;
}

/** What the parts of the editor share. */
export interface Studio {
  editor: Editor;
  catalog: Catalog;
  /** Names to choose from. */
  roles: readonly string[];
  picked: Picked;
  pick: (picked: Picked) => void;
  problems: ValidationFault[];
  problemsOf: (kind: "step" | "gate", id: string) => ValidationFault[];
  /** What is wrong with a field, by its path in the document. */
  faultAt: (path: Path) => string | undefined;
  /** What is said about a step: the test run, if there is one. */
  statusOf: (step: string) => StepStatus | undefined;
  /** What the draft changes against the published version, while that is shown. */
  difference?: Difference;
  preview?: WorkflowPreview;
  /** The sample input, as JSON. */
  input: string;
  test: Test;
  /** Why the suggester chose a step, if it did. */
  whyOf: (step: string) => string[];
  edgeOf: (id: string) => Edge | undefined;
  dataOf: (edge: Edge) => EdgeValue | undefined;
  /** Where steps and approvals are added: at what is selected. */
  here: Here;
  /** Without a slot: at what is selected. */
  openPalette: (slot?: Slot) => void;
  focusPanel: () => void;
  run: {
    /** Adds a step; layout, if it is to be placed by hand. */
    add: (step: NewStep, slot?: Slot, layout?: (id: string) => Record<string, Point> | undefined) => void;
    addGate: (at: string) => void;
    connect: (from: string, to: string) => void;
    disconnect: (from: string, to: string) => void;
    /** Removes what is selected. */
    remove: () => void;
  };
}
