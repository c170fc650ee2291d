import { useId } from "react";
import type { Preferences } from "../api/notifications";
import { Checkbox, Select } from "../ui";
import { notified } from "../words/notifications";

type Events = NonNullable<Preferences["events"]>;

/** For each event: the default channels, channels of the user's choice, or none. */
export function EventTable(props: {
  channels: string[];
  /** The default channels of each event that has any. */
  byDefault: Events;
  events: Events;
  onChange: (events: Events | undefined) => void;
}) {
  const { byDefault, events, onChange } = props;
  // What was chosen and is no longer there stays until it is taken off: nothing is told on it.
  const gone = [...new Set(Object.values(events).flat())].filter((name) => !props.channels.includes(name)).sort();
  const channels = [...props.channels, ...gone];
  if (channels.length === 0)
    return (
      <p className="text-muted">
        There is no channel that reaches you yet. An administrator can add one, such as e-mail or push messages.
      </p>
    );
  const set = (event: string, to: string[] | undefined) => {
    const { [event]: _, ...rest } = events;
    const next = to === undefined ? rest : { ...rest, [event]: to };
    onChange(Object.keys(next).length > 0 ? next : undefined);
  };
  return (
    <ul className="divide-y rounded-md border">
      {Object.keys(notified).map((event) => (
        <Row
          key={event}
          event={event}
          channels={channels}
          gone={gone}
          byDefault={byDefault[event] ?? []}
          own={events[event]}
          onChange={(to) => set(event, to)}
        />
      ))}
    </ul>
  );
}

const ways = [
  { value: "default", label: "Default" },
  { value: "own", label: "Custom" },
  { value: "never", label: "Never" },
];

function Row(props: {
  event: string;
  channels: string[];
  gone: string[];
  byDefault: string[];
  own: string[] | undefined;
  onChange: (to: string[] | undefined) => void;
}) {
  const { event, gone, byDefault, own, onChange } = props;
  const channels = props.channels.filter((name) => !gone.includes(name) || own?.includes(name));
  const id = useId();
  const word = notified[event];
  const way = own === undefined ? "default" : own.length > 0 ? "own" : "never";
  const begin = byDefault.length > 0 ? byDefault : channels.filter((name) => !gone.includes(name));
  const choose = (to: string) => onChange(to === "default" ? undefined : to === "never" ? [] : begin);
  const tick = (name: string, on: boolean) => onChange(channels.filter((c) => (c === name ? on : own?.includes(c))));
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">{word?.label}</p>
        <p className="text-small text-muted">{word?.sentence}</p>
        {way === "default" && (
          <p className="text-small text-muted">Default: {byDefault.length > 0 ? byDefault.join(", ") : "no message"}</p>
        )}
      </div>
      <Select label={`${word?.label}: how you are told`} value={way} onValueChange={choose} options={ways} />
      {way === "own" && (
        <div className="flex basis-full flex-wrap gap-x-5 gap-y-2 pb-1">
          {channels.map((name) => (
            <span key={name} className="flex min-h-(--tap) items-center gap-2">
              <Checkbox
                id={`${id}-${name}`}
                checked={own?.includes(name) ?? false}
                onCheckedChange={(on) => tick(name, on)}
              />
              <label htmlFor={`${id}-${name}`}>{gone.includes(name) ? `${name} (deleted)` : name}</label>
            </span>
          ))}
          {own?.every((name) => gone.includes(name)) && (
            <p className="basis-full text-small text-warn-text">
              No channel is left for this, so no message is sent. Choose another one, or Default.
            </p>
          )}
        </div>
      )}
    </li>
  );
}
