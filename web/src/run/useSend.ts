import { useCommand } from "../api";
import type { Command, Run } from "../api/types";
import { toast } from "../ui/Toasts";

/** Sends a command; closes and notifies when it was accepted. */
export function useSend(run: Run, onClose: () => void) {
  const command = useCommand(run.id);
  return {
    error: command.error,
    busy: command.isPending,
    send: (what: Command, done: string) =>
      command.mutate(what, {
        onSuccess: () => {
          toast({ title: done, tone: "ok" });
          onClose();
        },
      }),
  };
}

export const closing = (onClose: () => void) => (open: boolean) => {
  if (!open) onClose();
};
