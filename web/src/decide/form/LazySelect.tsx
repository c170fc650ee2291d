import { type ComponentProps, lazy, Suspense } from "react";
import { inputLook } from "../../ui/Input";
import type { Select as Eager } from "../../ui/Select";

const Select = lazy(() => import("../../ui/Select").then((m) => ({ default: m.Select })));

/** A Select whose code is loaded with the first field that needs it. */
export function LazySelect(props: ComponentProps<typeof Eager>) {
  return (
    <Suspense fallback={<div aria-hidden className={`${inputLook} h-(--tap)`} />}>
      <Select {...props} />
    </Suspense>
  );
}
