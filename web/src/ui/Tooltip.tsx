import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

/**
 * A tooltip for its only child, on hover and focus. The child must accept a ref and props. It includes its own
 * provider, so that the first view need not load any of this.
 */
export function Tooltip({
  content,
  children,
  side = "top",
}: {
  content: ReactNode;
  children: ReactNode;
  side?: "top" | "bottom" | "left" | "right";
}) {
  return (
    <Radix.Provider>
      <Radix.Root delayDuration={300}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="motion-fade z-50 max-w-72 rounded-sm bg-raised px-2 py-1 text-small text-text shadow-overlay"
          >
            {content}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

/** No longer needed; kept for remaining users. */
export const TooltipProvider = Radix.Provider;
