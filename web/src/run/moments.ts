import type { Event } from "../api/types";
import { headOf } from "../ui/FoldedText";
import type { SelectOption } from "../ui/Select";
import { eventWord, format } from "../words";
import { tell } from "./tell";

const shownMax = 200;
const textMax = 80;

/** The moments at which a run can be forked, newest first, in words. The value is the event's number. */
export function momentsOf(events: Event[], newest: number): { options: SelectOption[]; older: boolean } {
  const told = events.filter((e) => e.seq < newest && eventWord(e.type).weight > 0).reverse();
  return {
    options: [
      { value: String(newest), label: "Now, with all that has happened" },
      ...told.slice(0, shownMax).map((e) => ({ value: String(e.seq), label: `After: ${short(tell(e))} (${when(e)})` })),
    ],
    older: told.length > shownMax,
  };
}

const when = (event: Event) => format.clock(Date.parse(event.at));

function short(text: string): string {
  const { head } = headOf(text);
  return head.length > textMax ? `${head.slice(0, textMax).trimEnd()} …` : head;
}
