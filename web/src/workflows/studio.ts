import type { WorkflowPreview } from "../api";
import type { StepStatus, ValidationFault } from "../api/types";
import type { Catalog } from "./model/catalog";
import type { NewStep } from "./model/edit";
import type { Point } from "./model/place";
import type { Editor } from "./useEditor";

/** What is selected, in all views. */
export type Picked = { kind: "step" | "gate" | "edge"; id: string } | undefined;

export type Edge = { id: string; from: string; to: string /** The step that data comes from. */; after: string };

/** What the parts of the editor share. */
export interface Studio {
  editor: Editor;
  catalog: Catalog;
  picked: Picked;
  pick: (picked: Picked) => void;
  problems: ValidationFault[];
  problemsOf: (kind: "step" | "gate", id: string) => ValidationFault[];
  /** What is said about a step: the test run, if there is one. */
  statusOf: (step: string) => StepStatus | undefined;
  preview?: WorkflowPreview;
  edgeOf: (id: string) => Edge | undefined;
  openPalette: (after?: string) => void;
  focusPanel: () => void;
  run: {
    /** Adds a step; layout, if it is to be placed by hand. */
    add: (step: NewStep, after?: string, layout?: (id: string) => Record<string, Point> | undefined) => void;
    addGate: (at: string) => void;
    connect: (from: string, to: string) => void;
    disconnect: (from: string, to: string) => void;
    /** Removes what is selected. */
    remove: () => void;
  };
}
