import {
  Ban,
  Camera,
  CirclePause,
  CircleSlash,
  Ellipsis,
  Gauge,
  GitFork,
  History,
  ListPlus,
  type LucideIcon,
  MessageSquare,
  Pencil,
  Play,
  RotateCcw,
  Route,
  SkipForward,
} from "lucide-react";
import { useCommand, useResumeRun, useRetryRun } from "../api";
import { ApiError } from "../api/error";
import { type CommandName, usePermitted } from "../api/permitted";
import type { Run } from "../api/types";
import { Link, useNavigate } from "../router";
import { useCommands } from "../shell/commands";
import { Button } from "../ui/Button";
import { inWords } from "../ui/inWords";
import { Menu, MenuItem, MenuSeparator } from "../ui/Menu";
import { toast } from "../ui/Toasts";
import { type Asked, commandsFor } from "./commands";

const looks: Record<CommandName, { label: string; icon: LucideIcon; bad?: true; before?: true }> = {
  pause: { label: "Pause", icon: CirclePause },
  resume: { label: "Resume", icon: Play },
  reopen: { label: "Resume from the failure", icon: Play },
  raise: { label: "Raise the limit", icon: Gauge },
  message: { label: "Send a message", icon: MessageSquare },
  replan: { label: "Ask for another plan", icon: Route },
  inject_steps: { label: "Add steps", icon: ListPlus },
  modify_args: { label: "Change a step's input", icon: Pencil },
  skip_step: { label: "Skip a step", icon: SkipForward },
  snapshot: { label: "Save a snapshot", icon: Camera },
  retry: { label: "Run again", icon: RotateCcw, before: true },
  fork: { label: "Fork from here", icon: GitFork, before: true },
  cancel: { label: "Cancel the run", icon: CircleSlash, bad: true, before: true },
  abort: { label: "Abort at once", icon: Ban, bad: true },
};

const told: Partial<Record<CommandName, string>> = {
  pause: "Paused. Running steps finish, and nothing new starts.",
  resume: "The run continues.",
  reopen: "The run continues from its last good state.",
  snapshot: "Snapshot saved.",
};

/** Commands on the run: the likeliest as a button, the rest in a menu and in the palette. */
export function CommandMenu({
  run,
  onAsk,
  onMessage,
}: {
  run: Run;
  onAsk: (asked: Asked) => void;
  onMessage: () => void;
}) {
  const navigate = useNavigate();
  const command = useCommand(run.id);
  const reopen = useResumeRun(run.id);
  const retry = useRetryRun(run.id);
  const names = usePermitted(run)(commandsFor(run));

  const note = (title: string) => toast({ title, tone: "ok" });
  const trouble = (error: unknown) =>
    toast({
      title: error instanceof ApiError ? error.title || "It did not work" : "It did not work",
      detail: inWords(error),
      tone: "bad",
    });
  const act = (name: CommandName) => {
    switch (name) {
      case "pause":
      case "resume":
      case "snapshot":
        return command.mutate({ type: name }, { onSuccess: () => note(told[name] ?? "Done"), onError: trouble });
      case "reopen":
        return reopen.mutate({}, { onSuccess: () => note(told.reopen ?? "Done"), onError: trouble });
      case "retry":
        return retry.mutate(
          {},
          {
            onSuccess: (made) => {
              note("A new run has begun");
              void navigate({ to: "/runs/$id", params: { id: made.id } });
            },
            onError: trouble,
          },
        );
      case "message":
        return onMessage();
      default:
        return onAsk({ type: name });
    }
  };

  useCommands(
    names.map((name) => ({
      id: `run ${name}`,
      label: looks[name].label,
      group: "This run",
      icon: looks[name].icon,
      run: () => act(name),
    })),
  );

  const [first] = names;
  const main = first && ["pause", "resume", "reopen", "raise", "retry"].includes(first) ? first : undefined;
  const Icon = main && looks[main].icon;
  return (
    <>
      {main && Icon && (
        <Button
          look={main === "resume" ? "filled" : "outlined"}
          loading={command.isPending || reopen.isPending || retry.isPending}
          onClick={() => act(main)}
        >
          <Icon /> {main === "reopen" ? "Resume" : looks[main].label}
        </Button>
      )}
      <Button asChild>
        <Link to="/runs/$id/replay" params={{ id: run.id }}>
          <History /> Replay
        </Link>
      </Button>
      {names.some((name) => name !== main) && (
        <Menu
          trigger={
            <Button aria-label="More to do with this run">
              <Ellipsis /> More
            </Button>
          }
        >
          {names
            .filter((name) => name !== main)
            .flatMap((name) => [
              looks[name].before ? <MenuSeparator key={`${name} line`} /> : null,
              <MenuItem key={name} icon={looks[name].icon} tone={looks[name].bad && "bad"} onSelect={() => act(name)}>
                {looks[name].label}
              </MenuItem>,
            ])}
        </Menu>
      )}
    </>
  );
}
