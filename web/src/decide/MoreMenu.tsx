import { MessageSquareText, ShieldPlus, Undo2 } from "lucide-react";
import { type RefObject, useState } from "react";
import { useMe } from "../api/documents";
import { offerRule } from "../lib/offer";
import { useNavigate } from "../router";
import { Menu, MenuItem, MenuSeparator } from "../ui/Menu";
import { act as acts } from "../words";
import { ruleFor } from "./allow";
import { MoreButton } from "./MoreButton";
import type { Desk } from "./useDesk";

interface Props {
  desk: Desk;
  noting: boolean;
  onNote: () => void;
  /** The button beside the menu that asks for a revision. */
  revise: RefObject<HTMLElement | null>;
}

/** Less frequent actions. Loaded ahead of use, so it opens at once. */
export default function MoreMenu({ desk, noting, onNote, revise }: Props) {
  const more = (["escalate", "delegate"] as const).filter(desk.can);
  const navigate = useNavigate();
  const admin = useMe().data?.permissions.includes("admin") ?? false;
  const rule = admin ? ruleFor(desk.approval, desk.proposed, Date.now()) : undefined;
  return (
    <Menu open align="start" trigger={<MoreButton />}>
      <Revise desk={desk} button={revise} />
      {more.map((one) => (
        <MenuItem key={one} icon={acts[one].icon} onSelect={() => desk.ask(one)}>
          {acts[one].label}
        </MenuItem>
      ))}
      <MenuItem icon={MessageSquareText} onSelect={onNote}>
        {noting ? "Hide the note" : "Add a note to your decision"}
      </MenuItem>
      {rule && (
        <>
          <MenuSeparator />
          <MenuItem
            icon={ShieldPlus}
            onSelect={() => {
              offerRule(rule);
              void navigate({ to: "/policy", search: { tab: "backtest" } });
            }}
          >
            Always allow this…
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

/** In the menu only where there is no space for the button. */
function Revise({ desk, button }: { desk: Desk; button: Props["revise"] }) {
  const [beside] = useState(() => (button.current?.offsetWidth ?? 0) > 0);
  if (beside || !desk.can("request_revision")) return null;
  return (
    <MenuItem icon={Undo2} onSelect={() => desk.ask("request_revision")}>
      {acts.request_revision.label}
    </MenuItem>
  );
}
