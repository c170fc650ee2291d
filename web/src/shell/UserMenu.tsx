import { Bell, Compass, Monitor, Moon, Sun } from "lucide-react";
import { useMe } from "../api";
import { useNavigate } from "../router";
import { takeTour } from "../tour/state";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/Menu";
import { actorKind, format } from "../words";
import { MeButton } from "./MeButton";
import { SignOutItems } from "./SignOutItems";
import { setTheme, type Theme, useTheme } from "./theme";

const themes = [
  { theme: "light", label: "Light", icon: Sun },
  { theme: "dark", label: "Dark", icon: Moon },
  { theme: "system", label: "Like the system", icon: Monitor },
] satisfies { theme: Theme; label: string; icon: typeof Sun }[];

/** The user and the theme. Loaded ahead of use, so it opens at once. */
export default function UserMenu() {
  const { data: me } = useMe();
  const theme = useTheme();
  const navigate = useNavigate();
  const name = me?.name ?? "…";
  return (
    <Menu open trigger={<MeButton name={me?.name} />}>
      <div className="px-2 py-1.5">
        <p className="font-medium">{name}</p>
        <p className="max-w-60 text-small text-muted">
          {me?.local ? "Local mode: this machine only, no sign-in. " : me ? `${actorKind[me.kind].label}. ` : ""}
          {me && me.roles.length > 0 && `Roles: ${me.roles.map(format.title).join(", ")}.`}
        </p>
      </div>
      <MenuSeparator />
      <MenuItem icon={Bell} onSelect={() => void navigate({ to: "/settings/notifications" })}>
        Notifications
      </MenuItem>
      <MenuItem icon={Compass} onSelect={takeTour}>
        Take the tour
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      {themes.map((t) => (
        <MenuItem key={t.theme} icon={t.icon} checked={theme === t.theme} onSelect={() => setTheme(t.theme)}>
          {t.label}
        </MenuItem>
      ))}
      <SignOutItems me={me} />
    </Menu>
  );
}
