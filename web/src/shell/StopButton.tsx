import { OctagonX } from "lucide-react";
import { usePolicy } from "../api/policy";
import { Button } from "../ui/Button";
import { useMayStop } from "./useMayStop";

/** The emergency stop, on every page, for those who may press it. It opens a dialog; nothing happens before that. */
export function StopButton({ onOpen }: { onOpen: () => void }) {
  const may = useMayStop();
  const { data: policy } = usePolicy();
  if (!may || !policy?.emergency_stop) return null;
  const { on } = policy.emergency_stop;
  return (
    <Button
      look={on ? "danger" : "danger-outlined"}
      aria-haspopup="dialog"
      title={on ? "Rules approve nothing. Turn the stop off…" : "Stop all approvals by rules…"}
      className="max-md:w-(--tap) max-md:border-transparent max-md:px-0"
      onClick={onOpen}
    >
      <OctagonX aria-hidden />
      <span className="max-md:sr-only">{on ? "Stopped" : "Emergency stop"}</span>
    </Button>
  );
}
