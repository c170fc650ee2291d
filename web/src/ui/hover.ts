import type { PointerEvent } from "react";

/**
 * A title that is made when somebody points there. Exact times need tables of the language, which take a slow phone a
 * tenth of a second to read; no first view should wait for that.
 */
export function hover(title: () => string) {
  return {
    onPointerEnter: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.title = title();
    },
  };
}
