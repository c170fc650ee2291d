import { useSaveDefaults } from "../api/channels";
import type { Channel } from "../api/notifications";
import { DocumentDialog, type FormProps } from "../document/DocumentDialog";
import type { InForce } from "../document/useDraft";
import { Ticked } from "../ui/Ticked";
import { notified } from "../words/notifications";
import { defaultsName, defaultsOrder, defaultsTemplate, referred } from "./text";

interface Props {
  channels: readonly Channel[];
  inForce?: InForce;
  onClose: () => void;
}

/** Which events are sent where by default, as a form and as YAML. */
export function DefaultsDialog({ channels, inForce, onClose }: Props) {
  return (
    <DocumentDialog
      what="defaults"
      kind="notifications"
      name={defaultsName}
      title="What is sent where"
      shown={() => "What is sent where"}
      inForce={inForce}
      taken={[]}
      template={defaultsTemplate}
      order={defaultsOrder}
      effect="People can choose otherwise for themselves, and workflows, gates and agents can add channels."
      save={useSaveDefaults()}
      form={(props) => <Events {...props} channels={channels} />}
      onClose={onClose}
    />
  );
}

/** The channels of each event; names that are no channel stay, so that they can be removed. */
function Events({ value, set, channels }: FormProps & { channels: readonly Channel[] }) {
  const events = (value.events ?? {}) as Record<string, unknown>;
  const names = channels.map((one) => one.name);
  return (
    <ul className="divide-y rounded-md border">
      {Object.entries(notified).map(([event, { label }]) => {
        const chosen = Array.isArray(events[event]) ? events[event].map(String) : [];
        const shown = [...names, ...chosen.filter((name) => !names.includes(name))];
        const turn = (name: string, on: boolean) =>
          set(["events", event], on ? [...chosen, name] : chosen.filter((one) => one !== name));
        return (
          <li key={event}>
            <fieldset className="flex flex-wrap items-center gap-x-4 px-3 py-2">
              <legend className="w-full font-medium sm:float-left sm:w-56">{label}</legend>
              {shown.map((name) => (
                <Ticked
                  key={name}
                  label={referred(name, channels)}
                  checked={chosen.includes(name)}
                  onChange={(on) => turn(name, on)}
                />
              ))}
            </fieldset>
          </li>
        );
      })}
    </ul>
  );
}
