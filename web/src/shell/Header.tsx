import { Keyboard, Search } from "lucide-react";
import { lazy, Suspense } from "react";
import { useMe } from "../api";
import { Avatar } from "../ui/Avatar";
import { Button, IconButton } from "../ui/Button";
import { Kbd } from "../ui/Kbd";
import { ConnectionState } from "./ConnectionState";
import { Logo } from "./Logo";

const UserMenu = lazy(() => import("./UserMenu"));

/** Over every page: search, connection, theme, who you are. */
export function Header({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b bg-surface px-3 sm:px-6">
      <span className="sm:hidden">
        <Logo />
      </span>
      <Button
        look="outlined"
        className="w-64 justify-start border-border bg-sunken! font-normal text-muted max-sm:hidden"
        onClick={onPalette}
      >
        <Search aria-hidden />
        <span className="flex-1 text-left">Go to or do …</span>
        <Kbd keys="mod+k" />
      </Button>
      <span className="flex-1" />
      <ConnectionState />
      <IconButton label="Search and commands" className="sm:hidden" onClick={onPalette}>
        <Search />
      </IconButton>
      <IconButton label="Keyboard shortcuts" className="pointer-coarse:hidden max-sm:hidden" onClick={onHelp}>
        <Keyboard />
      </IconButton>
      <Suspense fallback={<Me />}>
        <UserMenu />
      </Suspense>
    </header>
  );
}

/** Stands where the menu will be, until it is loaded. */
function Me() {
  const { data: me } = useMe();
  return (
    <span className="inline-flex size-(--tap) items-center justify-center">
      <Avatar name={me?.name ?? "…"} />
    </span>
  );
}
