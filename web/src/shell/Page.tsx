import { type ReactNode, useEffect } from "react";
import { cn } from "../lib/cn";

interface Props {
  title: string;
  /** The document title, if it differs. */
  tab?: string;
  /** Below the title: a sentence, badges. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** Before the title: a back link. */
  back?: ReactNode;
  /** Without padding or scrolling, for lists and canvases that fill the page. */
  flush?: boolean;
  children: ReactNode;
}

/** A page: sets the document title and draws the header. */
export function Page({ title, tab = title, lead, actions, back, flush, children }: Props) {
  useTitle(tab);
  return (
    <div className={cn("flex min-w-0 flex-col", flush && "h-full min-h-0")}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-4 pb-3 sm:px-6">
        {back}
        <div className="min-w-0 flex-1 basis-40">
          <h1 className="text-heading font-semibold tracking-tight break-words">{title}</h1>
          {lead && <div className="mt-0.5 text-muted">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className={flush ? "flex min-h-0 flex-1 flex-col" : "px-4 pb-8 sm:px-6"}>{children}</div>
    </div>
  );
}

let current = "";
let waiting = 0;

function writeTitle(): void {
  if (current === "") return;
  const count = waiting > 0 && !current.startsWith("(") ? `(${waiting > 999 ? "999+" : waiting}) ` : "";
  document.title = `${count}${current} · Assent`;
}

/** The document title: "Inbox · Assent". */
export function useTitle(title: string): void {
  useEffect(() => {
    current = title;
    writeTitle();
  }, [title]);
}

/** The number of pending approvals before the title: "(3) Runs · Assent". Pages with a count of their own show that. */
export function setTitleCount(count: number): void {
  waiting = count;
  writeTitle();
}
