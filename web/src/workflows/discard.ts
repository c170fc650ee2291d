import { useQueryClient } from "@tanstack/react-query";
import { ApiError, type CopyContent, keys, putWorkingCopy } from "../api";
import { toast } from "../ui/Toasts";
import { format } from "../words";

/** What follows when a draft is discarded: the lists forget it, and a notice offers to restore it. */
export function useDiscarded(): (name: string, content: CopyContent) => void {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: keys.workingCopies });
  const restore = async (name: string, content: CopyContent) => {
    const title = format.title(name);
    try {
      await putWorkingCopy(name, content, 0);
      client.removeQueries({ queryKey: [...keys.document("workflows", name), "editor"] });
      toast({ title: `The draft of ${title} is restored`, tone: "ok" });
    } catch (error) {
      const detail =
        error instanceof ApiError && error.code === "version_mismatch"
          ? "There is a newer draft, which was kept."
          : error instanceof Error
            ? error.message
            : undefined;
      toast({ title: `The draft of ${title} was not restored`, detail, tone: "bad" });
    }
    await refresh();
  };
  return (name, content) => {
    void refresh();
    toast({
      title: `The draft of ${format.title(name)} is discarded`,
      tone: "ok",
      action: { label: "Undo", onSelect: () => void restore(name, content) },
      ms: 15_000,
    });
  };
}
