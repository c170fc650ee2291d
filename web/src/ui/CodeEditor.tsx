import { lazy, Suspense } from "react";
import type { CodeEditorProps } from "./CodeMirror";
import { Skeleton } from "./Skeleton";

const Mirror = lazy(() => import("./CodeMirror"));

/** An editor for JSON or YAML, loaded when it is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <Mirror {...props} />
    </Suspense>
  );
}
