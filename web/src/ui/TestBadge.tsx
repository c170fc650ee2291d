import { FlaskConical } from "lucide-react";
import { Badge } from "./Badge";

/** Marks data of a test run, wherever it is listed or shown. */
export function TestBadge({ test, className }: { test: boolean | undefined; className?: string }) {
  if (!test) return null;
  return (
    <Badge
      tone="info"
      icon={FlaskConical}
      className={className}
      title="Test run: agents and tools with side effects are not called and return samples."
    >
      Test
    </Badge>
  );
}
