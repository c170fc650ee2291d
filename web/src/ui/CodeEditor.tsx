import { lazy, Suspense } from "react";
import { Skeleton } from "./Skeleton";

export interface CodeEditorProps {
  value: string;
  onChange: (value: string) => void;
  language: "json" | "yaml";
  /** Read out. */
  label: string;
  readOnly?: boolean;
  className?: string;
}

const Mirror = lazy(() => import("./CodeMirror"));

/** An editor for JSON or YAML, loaded when it is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <Mirror {...props} />
    </Suspense>
  );
}
