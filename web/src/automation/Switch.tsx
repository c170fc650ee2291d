import { useMay, useSwitch } from "../api";
import type { Raw } from "../json";
import { Button, ErrorNote } from "../ui";

interface Props {
  kind: "schedules" | "triggers";
  name: string;
  definition: Raw | null;
  enabled: boolean;
}

/** Enables or disables a schedule or a trigger. */
export function Switch(props: Props) {
  const may = useMay();
  const change = useSwitch();
  if (!may("admin")) return null;
  const verb = props.enabled ? "Disable" : "Enable";
  return (
    <>
      <Button
        size="small"
        aria-label={`${verb} ${props.name}`}
        loading={change.isPending}
        onClick={() => change.mutate({ ...props, enabled: !props.enabled })}
      >
        {verb}
      </Button>
      {change.error && (
        <div className="basis-full">
          <ErrorNote error={change.error} />
        </div>
      )}
    </>
  );
}
