import type { Run } from "../api/types";
import { Link } from "../router";
import { CopyButton } from "../ui/CopyButton";
import { JsonView } from "../ui/JsonView";
import { Fold } from "./Fold";
import { RunLimits } from "./Limits";

/** The run itself, when no step is selected: limits, input, output. */
export function Overview({ run }: { run: Run }) {
  const labels = Object.entries(run.labels ?? {});
  return (
    <section aria-label="The run" className="min-w-0 space-y-4 p-4 max-md:px-0">
      <RunLimits steps={run.steps} />
      {labels.length > 0 && (
        <ul aria-label="Labels" className="flex flex-wrap gap-1.5">
          {labels.map(([name, value]) => (
            <li key={name} className="max-w-full">
              <Link
                to="/runs"
                search={{ label: `${name}:${value}` }}
                title="All runs with this label"
                className="block min-h-6 rounded-md bg-neutral-bg px-2 py-1 text-small wrap-anywhere text-neutral-text hover:bg-hover"
              >
                {name}: {value}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {run.output && (
        <Fold title="Output" open>
          <JsonView value={run.output} />
        </Fold>
      )}
      <Fold title="Input" open>
        <JsonView value={run.input} />
      </Fold>
      <Fold title="Context" aside="what steps see">
        <JsonView value={run.context} />
      </Fold>
      <p className="flex items-center gap-2 text-small text-muted">
        <span className="shrink-0">Run ID</span>
        <code className="min-w-0 break-all">{run.id}</code>
        <CopyButton text={run.id} label="Copy the run's id" />
      </p>
    </section>
  );
}
