import { Bell, Keyboard, Monitor, Moon, OctagonX, Sun } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useMedia } from "../lib/useMedia";
import { Outlet, useNavigate } from "../router";
import { BottomTabs } from "./BottomTabs";
import { useCommands } from "./commands";
import { Header } from "./Header";
import { usePlaces } from "./nav";
import { Sidebar } from "./Sidebar";
import { StopBar } from "./StopBar";
import { useKeyboard, useShortcuts } from "./shortcuts";
import { setTheme } from "./theme";
import { useMayStop } from "./useMayStop";

const Palette = lazy(() => import("./Palette"));
const Help = lazy(() => import("./Help"));
const StopDialog = lazy(() => import("./StopDialog"));

/** The frame around every page. */
export function Shell() {
  const [overlay, setOverlay] = useState<"palette" | "help" | "stop">();
  const navigate = useNavigate();
  const places = usePlaces();
  const mayStop = useMayStop();
  const phone = useMedia("(max-width: 640px)");
  const stop = () => setOverlay("stop");
  const close = (open: boolean) => setOverlay((now) => (open ? now : undefined));

  useKeyboard();
  useShortcuts([
    { keys: "mod+k", label: "Search or jump to anything", whileTyping: true, run: () => setOverlay("palette") },
    { keys: "?", label: "Show this help", run: () => setOverlay("help") },
    ...places.map((place) => ({
      keys: place.keys,
      label: `Go to ${place.label}`,
      run: () => void navigate({ to: place.to }),
    })),
  ]);
  useCommands([
    ...places.map((place) => ({
      id: `go ${place.label}`,
      label: place.label,
      group: "Go to",
      icon: place.icon,
      keys: place.keys,
      run: () => void navigate({ to: place.to }),
    })),
    {
      id: "go Notifications",
      label: "Notification settings",
      group: "Go to",
      icon: Bell,
      run: () => void navigate({ to: "/settings/notifications" }),
    },
    { id: "theme light", label: "Light theme", group: "Look", icon: Sun, run: () => setTheme("light") },
    { id: "theme dark", label: "Dark theme", group: "Look", icon: Moon, run: () => setTheme("dark") },
    { id: "theme system", label: "Theme like the system", group: "Look", icon: Monitor, run: () => setTheme("system") },
    {
      id: "help",
      label: "Keyboard shortcuts",
      group: "Help",
      icon: Keyboard,
      keys: "?",
      run: () => setOverlay("help"),
    },
    ...(mayStop ? [{ id: "stop", label: "Emergency stop", group: "Safety", icon: OctagonX, run: stop }] : []),
  ]);

  return (
    <div className="flex h-dvh min-w-0">
      <a
        href="#main"
        className="sr-only z-[70] rounded-sm bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      {!phone && <Sidebar />}
      <div className="flex min-w-0 flex-1 flex-col">
        <Header onPalette={() => setOverlay("palette")} onHelp={() => setOverlay("help")} onStop={stop} />
        <StopBar onOpen={stop} />
        <div id="tour-above" />
        <main
          id="main"
          tabIndex={-1}
          data-keep-scroll="main"
          className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-none"
        >
          <Outlet />
        </main>
        <div id="tour-below" />
        <BottomTabs />
      </div>
      <Suspense>
        {overlay === "palette" && <Palette open onOpenChange={close} />}
        {overlay === "help" && <Help open onOpenChange={close} />}
        {overlay === "stop" && <StopDialog onClose={() => close(false)} />}
      </Suspense>
    </div>
  );
}
