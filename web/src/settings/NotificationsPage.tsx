import { Page } from "../shell";
import { AwayCard } from "./AwayCard";
import { DeviceCard } from "./DeviceCard";
import { LinksCard } from "./LinksCard";
import { PreferencesCard } from "./PreferencesCard";
import { SoundCard } from "./SoundCard";

/** How the user is notified: on this device, and elsewhere. */
export function NotificationsPage() {
  return (
    <Page title="Notifications" lead="How you are told that something waits for you">
      <div className="grid max-w-3xl gap-4">
        <DeviceCard />
        <PreferencesCard />
        <SoundCard />
        <LinksCard />
        <AwayCard />
      </div>
    </Page>
  );
}
