import { History, RotateCcw } from "lucide-react";
import { useMemo } from "react";
import { usePolicyVersion, usePolicyVersions, type Version } from "../api/policyEdit";
import { useNavigate, useSearch } from "../router";
import { Badge, Button, Card, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { documentStatus } from "../words";
import { author } from "../words/author";
import { compare } from "./changes";
import { read } from "./model";
import { RuleChanges } from "./RuleChanges";

/** Every saved version, compared with the policy in force. */
export function Versions({ inForce, onUse }: { inForce: string; onUse?: (text: string) => void }) {
  const { data, error } = usePolicyVersions();
  const { version } = useSearch();
  const navigate = useNavigate();
  const items = data?.items ?? [];
  const chosen = items.find((one) => String(one.version) === version) ?? items.find((one) => !one.published);
  if (error) return <ErrorNote error={error} />;
  if (data && items.length === 0)
    return (
      <EmptyState icon={History} title="No versions yet">
        Every time the policy is saved, a version is kept here.
      </EmptyState>
    );
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[1fr_2fr]">
      <Card title="Versions" flush>
        {!data && <SkeletonRows rows={3} />}
        <ul aria-label="Versions" className="max-h-[60vh] divide-y overflow-y-auto">
          {items.map((one) => (
            <li key={one.version}>
              <button
                type="button"
                aria-pressed={one.version === chosen?.version}
                onClick={() =>
                  void navigate(
                    { search: (before) => ({ ...before, version: String(one.version) }) },
                    { replace: true },
                  )
                }
                className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2.5 text-left hover:bg-hover aria-pressed:bg-accent-bg"
              >
                <Line version={one} />
              </button>
            </li>
          ))}
        </ul>
      </Card>
      {chosen && <Chosen version={chosen} inForce={inForce} onUse={onUse} />}
    </div>
  );
}

function Line({ version }: { version: Version }) {
  const word = documentStatus[version.published ? "published" : "draft"];
  return (
    <>
      <span className="font-medium">Version {version.version}</span>
      {version.published && <Badge tone={word.tone}>In force</Badge>}
      <span className="basis-full text-small text-muted">
        <Time at={version.at} /> · <Visible text={author(version.by)} />
      </span>
    </>
  );
}

function Chosen({ version, inForce, onUse }: { version: Version; inForce: string; onUse?: (text: string) => void }) {
  const { data, error } = usePolicyVersion(version.version);
  const changes = useMemo(() => (data ? compare(read(inForce), read(data.yaml)) : undefined), [data, inForce]);
  return (
    <Card
      title={
        version.published
          ? `Version ${version.version}, in force`
          : `Version ${version.version} compared with the one in force`
      }
      actions={
        onUse &&
        data &&
        !version.published && (
          <Button
            size="small"
            onClick={() => {
              keepFocus();
              onUse(data.yaml);
            }}
          >
            <RotateCcw aria-hidden /> Open for editing
          </Button>
        )
      }
    >
      {error ? <ErrorNote error={error} /> : !changes && <SkeletonRows rows={3} />}
      {changes &&
        (version.published ? (
          <p className="text-muted">This is the policy in force. Choose another version to compare it.</p>
        ) : (
          <RuleChanges changes={changes} />
        ))}
    </Card>
  );
}
