import type { Approval, Run } from "../api/types";
import type { Gate } from "./plan";

export interface RunGraphProps {
  run: Run;
  /** Undefined while loading: nothing is drawn until then, because gates move everything. */
  gates: Gate[] | undefined;
  approvals?: Approval[];
  selected?: string;
  onSelect: (step: string | undefined) => void;
  /** Highlighted steps; if there are any, the view follows them instead of waiting or running steps. */
  marked?: ReadonlySet<string>;
  /** Steps that show their contents. */
  opened?: ReadonlySet<string>;
  /** Opens or closes a step; without it, steps cannot be opened. */
  onOpen?: (step: string) => void;
  /** On phones the list scrolls in an area of its own, so that the content below stays in reach. */
  bounded?: boolean;
  className?: string;
}
