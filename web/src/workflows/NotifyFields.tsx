import { optionsOf, urgencyWord } from "../words/fields";
import { ChoiceAt, ListAt, type Part, TickAt } from "./Fields";

/** Where messages go, in addition to the default channels. */
export interface Notify {
  channels?: string | string[];
  recipients?: string | string[];
  only?: boolean;
  urgency?: string;
}

export function NotifyFields({ part, notify = {} }: { part: Part; notify?: Notify }) {
  return (
    <section aria-label="Messages" className="grid grid-cols-2 gap-x-3 gap-y-2">
      <h4 className="col-span-2 mb-1 text-small font-medium">Messages</h4>
      <ListAt
        part={part}
        path={["notify", "channels"]}
        label="Channels"
        what="the channels of its messages"
        value={notify.channels}
        placeholder="Default"
        hint="Names, or email, slack, teams, webhook, push"
      />
      <ListAt
        part={part}
        path={["notify", "recipients"]}
        label="Recipients"
        what="the recipients of its messages"
        value={notify.recipients}
        hint="Addresses, rooms, people or role:press"
      />
      <ChoiceAt
        part={part}
        path={["notify", "urgency"]}
        label="Urgency"
        what="the urgency of its messages"
        value={notify.urgency}
        hint="High and critical: sent in quiet hours"
        options={[{ value: "", label: "Default" }, ...optionsOf(urgencyWord)]}
      />
      <TickAt
        part={part}
        path={["notify", "only"]}
        label="Only there"
        hint="Not to the default channels"
        on={notify.only === true}
        className="pt-5"
      />
    </section>
  );
}
