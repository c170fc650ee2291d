import { ExternalLink as Icon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "../lib/cn";
import { VisuallyHidden } from "./VisuallyHidden";

/**
 * An external link: in a new tab, without a referrer or opener. Its host is shown, so that its target is never a
 * surprise.
 */
export function ExternalLink(props: { href: string; host: string; children?: ReactNode; className?: string }) {
  const { href, host, children, className } = props;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      title={href}
      className={cn("text-accent-text underline underline-offset-2 [overflow-wrap:anywhere]", className)}
    >
      {children ?? host}
      {children && <span className="text-small text-muted no-underline"> ({host})</span>}
      <Icon aria-hidden className="ml-0.5 inline size-3" />
      <VisuallyHidden> opens in a new tab</VisuallyHidden>
    </a>
  );
}
