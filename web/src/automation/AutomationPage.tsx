import { Page } from "../shell";
import { Schedules } from "./Schedules";
import { Triggers } from "./Triggers";

/** What starts runs by itself: schedules at certain times, triggers when another system sends something. */
export function AutomationPage() {
  return (
    <Page title="Automation" lead="Schedules and triggers that start runs">
      <div className="grid max-w-5xl gap-4">
        <Schedules />
        <Triggers />
      </div>
    </Page>
  );
}
