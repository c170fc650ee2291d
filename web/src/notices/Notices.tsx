import { lazy, Suspense, useEffect } from "react";
import { useMe } from "../api";
import { usePreferences } from "../api/notifications";
import { useRouter } from "../router";
import { useTourWhenDue } from "../tour/due";
import { useTourState } from "../tour/state";
import { useArrivals } from "./arrivals";
import { useBadges } from "./badge";
import { renew } from "./device";
import { quietAt } from "./quiet";

const Tour = lazy(() => import("../tour/Tour"));

/**
 * Announces news while a page is open: notices, badges, sound; and shows new users around. Loaded after the first
 * view.
 */
export default function Notices() {
  useEffect(() => void performance.mark("assent.notices"), []); // what happens from now on is told
  useBadges();
  useArrivals(useQuiet(), useTurnedOff());
  useDevice();
  useTourWhenDue();
  const tour = useTourState();
  return <Suspense>{tour.on && <Tour key={tour.approval} approval={tour.approval} offered={tour.offered} />}</Suspense>;
}

/** Whether it is in the user's quiet hours now. */
function useQuiet(): () => boolean {
  const { data: mine } = usePreferences();
  return () => mine?.no_quiet_hours !== true && quietAt(mine?.quiet_hours, new Date());
}

/** Whether the user turned an event off. */
function useTurnedOff(): (event: string) => boolean {
  const { data: mine } = usePreferences();
  return (event) => mine?.events?.[event]?.length === 0;
}

/** Keeps this browser's push messages going, and goes where a notification leads. */
function useDevice(): void {
  const { data: me } = useMe();
  const router = useRouter();
  const name = me?.name;
  useEffect(() => {
    // Without the push service, messages wait or do not come: pages work all the same.
    if (name !== undefined) void renew(name).catch(() => {});
  }, [name]);
  useEffect(() => {
    if (!("serviceWorker" in navigator)) return;
    const hear = ({ data, ports }: MessageEvent<unknown>) => {
      const said = data as { kind?: unknown; path?: unknown } | null;
      if (said?.kind !== "open" || typeof said.path !== "string" || !/^\/(?!\/)/.test(said.path)) return;
      ports[0]?.postMessage("going");
      void router.follow(said.path);
    };
    navigator.serviceWorker.addEventListener("message", hear);
    return () => navigator.serviceWorker.removeEventListener("message", hear);
  }, [router]);
}
