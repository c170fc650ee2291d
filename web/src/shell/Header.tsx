import { Keyboard, Monitor, Moon, Search, Sun } from "lucide-react";
import { useMe } from "../api";
import { Avatar } from "../ui/Avatar";
import { Button, IconButton } from "../ui/Button";
import { Kbd } from "../ui/Kbd";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/Menu";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { actorKind, format } from "../words";
import { ConnectionState } from "./ConnectionState";
import { Logo } from "./Logo";
import { setTheme, type Theme, useTheme } from "./theme";

const themes = [
  { theme: "light", label: "Light", icon: Sun },
  { theme: "dark", label: "Dark", icon: Moon },
  { theme: "system", label: "Like the system", icon: Monitor },
] satisfies { theme: Theme; label: string; icon: typeof Sun }[];

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
      <UserMenu />
    </header>
  );
}

function UserMenu() {
  const { data: me } = useMe();
  const theme = useTheme();
  const name = me?.name ?? "…";
  return (
    <Menu
      trigger={
        <Button look="ghost" size="icon">
          <Avatar name={name} decorative />
          <VisuallyHidden>You are {name}. Theme and more</VisuallyHidden>
        </Button>
      }
    >
      <div className="px-2 py-1.5">
        <p className="font-medium">{name}</p>
        <p className="max-w-60 text-small text-muted">
          {me?.local ? "Local mode: this machine only, no sign-in. " : me ? `${actorKind[me.kind].label}. ` : ""}
          {me && me.roles.length > 0 && `Roles: ${me.roles.map(format.title).join(", ")}.`}
        </p>
      </div>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      {themes.map((t) => (
        <MenuItem key={t.theme} icon={t.icon} checked={theme === t.theme} onSelect={() => setTheme(t.theme)}>
          {t.label}
        </MenuItem>
      ))}
    </Menu>
  );
}
