import { Keyboard, Search } from "lucide-react";
import { lazy, useEffect } from "react";
import { useMe } from "../api";
import { later } from "../lib/later";
import { Button, IconButton } from "../ui/Button";
import { Kbd } from "../ui/Kbd";
import { OnAsk } from "../ui/OnAsk";
import { ConnectionState } from "./ConnectionState";
import { Logo } from "./Logo";
import { MeButton } from "./MeButton";
import { StopButton } from "./StopButton";

const userMenu = () => import("./UserMenu");
const UserMenu = lazy(userMenu);

/** Above every page: search, emergency stop, connection, theme, user. */
export function Header(on: { onPalette: () => void; onHelp: () => void; onStop: () => void }) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b bg-surface px-3 sm:px-6">
      <span className="sm:hidden">
        <Logo />
      </span>
      <Button
        look="outlined"
        className="w-64 justify-start border-border bg-sunken! font-normal text-muted max-sm:hidden"
        onClick={on.onPalette}
      >
        <Search aria-hidden />
        <span className="flex-1 text-left">Search or jump to…</span>
        <Kbd keys="mod+k" />
      </Button>
      <span className="flex-1" />
      <StopButton onOpen={on.onStop} />
      <ConnectionState />
      <IconButton label="Search and commands" className="sm:hidden" onClick={on.onPalette}>
        <Search />
      </IconButton>
      <IconButton label="Keyboard shortcuts" className="pointer-coarse:hidden max-sm:hidden" onClick={on.onHelp}>
        <Keyboard />
      </IconButton>
      <Me />
    </header>
  );
}

/** The user; its menu is loaded after the first view, or on demand. */
function Me() {
  const { data: me } = useMe();
  useEffect(() => later(() => void userMenu().catch(() => {})), []); // opening it retries
  return (
    <OnAsk trigger={<MeButton name={me?.name} />}>
      <UserMenu />
    </OnAsk>
  );
}
