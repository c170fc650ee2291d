import type { PointerEvent } from "react";

/**
 * A title that is computed on hover. Exact times need locale tables, which take a slow phone a tenth of a second to
 * load; no first view should wait for that.
 */
export function hover(title: () => string) {
  return {
    onPointerEnter: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.title = title();
    },
  };
}
