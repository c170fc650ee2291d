import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";
import { cn } from "../lib/cn";

export interface Tab {
  value: string;
  label: ReactNode;
  content: ReactNode;
}

/** Several views of the same data. Uncontrolled unless value is set. */
export function Tabs(props: {
  tabs: Tab[];
  label: string;
  value?: string;
  onValueChange?: (value: string) => void;
  className?: string;
}) {
  const { tabs, label, value, onValueChange, className } = props;
  const list = useRef<HTMLDivElement>(null);
  // On phones, the chosen tab may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another tab is chosen
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>("[data-state=active]");
    if (!list.current || !chosen) return;
    const end = chosen.offsetLeft + chosen.offsetWidth - list.current.offsetLeft;
    if (end > list.current.clientWidth) list.current.scrollLeft = end - list.current.clientWidth + 16;
  }, [value]);
  return (
    <Radix.Root value={value} defaultValue={tabs[0]?.value} onValueChange={onValueChange} className={className}>
      <Radix.List ref={list} aria-label={label} className="flex gap-4 overflow-x-auto border-b px-4">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className={cn(
              "-mb-px h-10 shrink-0 border-b-2 border-transparent text-control text-muted -outline-offset-2 hover:text-text pointer-coarse:h-11 pointer-coarse:min-w-11",
              "data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text",
            )}
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
