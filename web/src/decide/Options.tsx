import { RadioGroup } from "radix-ui";
import { cn } from "../lib/cn";
import { Card } from "../ui/Card";
import { Kbd } from "../ui/Kbd";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import type { Desk } from "./useDesk";

/** The options of a choice; also 1 to 9 on the keyboard. Loaded only where there are any. */
export default function Options({ desk }: { desk: Desk }) {
  const { approval, option } = desk;
  const open = desk.can("choose");
  const taken = open ? option : approval.outcome?.option;
  return (
    <Card title={open ? "Choose one" : "The options"}>
      <RadioGroup.Root
        aria-label="Options"
        value={taken ?? ""}
        onValueChange={desk.choose}
        disabled={!open || desk.sending}
        className="grid gap-2"
      >
        {approval.options.map((one, i) => (
          <RadioGroup.Item
            key={one.value}
            value={one.value}
            className={cn(
              "flex min-h-(--tap) min-w-0 items-start gap-3 rounded-sm border px-3 py-2 text-left",
              open && "hover:bg-hover",
              "data-[state=checked]:border-accent data-[state=checked]:bg-accent-bg",
            )}
          >
            <span
              aria-hidden
              className={cn(
                "mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-border-strong bg-surface",
                taken === one.value && "border-accent",
              )}
            >
              {taken === one.value && <span className="size-2 rounded-full bg-accent" />}
            </span>
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <span className="block font-medium">
                <Visible text={one.label || format.title(one.value)} />
              </span>
              {one.description && (
                <span className="block text-small text-muted">
                  <Visible text={one.description} />
                </span>
              )}
            </span>
            {open && i < 9 && <Kbd keys={`${i + 1}`} />}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </Card>
  );
}
