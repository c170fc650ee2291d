import { useSaveChannel } from "../api/channels";
import type { ChannelKind } from "../api/notifications";
import { DocumentDialog, type FormProps } from "../document/DocumentDialog";
import { ListInput } from "../document/ListInput";
import type { InForce } from "../document/useDraft";
import { Field, Input, Select } from "../ui";
import { Ticked } from "../ui/Ticked";
import { channelKind } from "../words/enumsLater";
import { channelOrder, channelTemplate, fieldsOf, isKind } from "./text";

interface Props {
  /** Missing: a new channel. */
  name?: string;
  inForce?: InForce;
  taken: readonly string[];
  onClose: () => void;
}

/** A channel as a form and as YAML, over one text. */
export function ChannelDialog({ name, inForce, taken, onClose }: Props) {
  return (
    <DocumentDialog
      what="channel"
      kind="channel"
      name={name}
      title={`Edit ${name}`}
      shown={(one) => one}
      inForce={inForce}
      taken={taken}
      template={channelTemplate}
      order={channelOrder}
      effect="Saving puts it in force. Which events are sent there is set below the channels."
      save={useSaveChannel()}
      form={(props) => <Form {...props} />}
      onClose={onClose}
    />
  );
}

const text = (value: unknown) => (value === undefined || value === null ? "" : String(value));
const names = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

function Form({ value: channel, fresh, nameFault, set }: FormProps) {
  const kind = isKind(channel.kind) ? channel.kind : undefined;
  const choose = (to: ChannelKind) => {
    const kept: readonly string[] = ["channel", "kind", "description", ...fieldsOf[to]];
    for (const key of Object.keys(channel)) if (!kept.includes(key)) set([key], undefined);
    set(["kind"], to);
  };
  return (
    <>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {fresh && (
          <Field label="Name" hint="Letters, digits, - _ and ." error={nameFault}>
            <Input
              value={text(channel.channel)}
              autoFocus
              autoComplete="off"
              onChange={(e) => set(["channel"], e.target.value)}
            />
          </Field>
        )}
        <Field label="Kind" hint={kind && channelKind[kind].sentence} className={fresh ? undefined : "sm:col-span-2"}>
          <Select
            className="w-full"
            value={kind ?? ""}
            onValueChange={(to) => choose(to as ChannelKind)}
            options={Object.entries(channelKind).map(([value, { label }]) => ({ value, label }))}
          />
        </Field>
      </div>
      <Field label="Description">
        <Input
          value={text(channel.description)}
          autoComplete="off"
          onChange={(e) => set(["description"], e.target.value)}
        />
      </Field>
      {kind === "email" && <Email channel={channel} set={set} />}
      {kind === "slack" && <Slack channel={channel} set={set} />}
      {kind === "teams" && <Teams channel={channel} set={set} />}
      {kind === "webhook" && <Webhook channel={channel} set={set} />}
      {kind === "push" && (
        <p className="rounded-md bg-sunken px-3 py-2 text-small text-muted">
          Nothing else to set. People turn push messages on in their browsers, under Notifications.
        </p>
      )}
    </>
  );
}

interface Part {
  channel: Record<string, unknown>;
  set: FormProps["set"];
}

/** One line of text at a path. */
function Line(props: Part & { path: string[]; label: string; hint?: string; placeholder?: string }) {
  const { channel, set, path, label, hint, placeholder } = props;
  const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], channel);
  return (
    <Field label={label} hint={hint}>
      <Input
        value={text(value)}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        onChange={(e) => set(path, e.target.value)}
      />
    </Field>
  );
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in documents
const reference = "A reference: ${env:NAME} or ${file:PATH}. Secrets themselves are never shown.";

const Email = (part: Part) => (
  <>
    <div className="grid gap-x-4 sm:grid-cols-2">
      <Line
        {...part}
        path={["smtp"]}
        label="Mail server"
        hint="smtp:// or smtps://, with USER@ before the host if it asks for a password"
        placeholder="smtps://user@mail.example.com:465"
      />
      <Line {...part} path={["password"]} label="Password" hint={reference} placeholder="${env:ASSENT_SECRET_SMTP}" />
      <Line {...part} path={["from"]} label="Sender" placeholder="Assent <assent@example.com>" />
      <Field label="Always also to" hint="Addresses that get every message, separated by commas">
        <ListInput value={names(part.channel.to)} onChange={(list) => part.set(["to"], list)} />
      </Field>
    </div>
    <Ticked
      label="Allow a server without encryption"
      hint="Messages and the password can then be read on the way."
      checked={part.channel.plaintext === true}
      onChange={(on) => part.set(["plaintext"], on || undefined)}
    />
  </>
);

const Slack = (part: Part) => (
  <div className="grid gap-x-4 sm:grid-cols-2">
    <Line
      {...part}
      path={["token"]}
      label="Bot token"
      hint={reference}
      placeholder="${env:ASSENT_SECRET_SLACK_TOKEN}"
    />
    <Line
      {...part}
      path={["signing_secret"]}
      label="Signing secret"
      hint="A reference. Without it, people can't decide in Slack."
      placeholder="${env:ASSENT_SECRET_SLACK_SIGNING}"
    />
    <Line
      {...part}
      path={["to"]}
      label="Room"
      hint="Empty: direct messages to the people concerned"
      placeholder="#approvals"
    />
  </div>
);

const Teams = (part: Part) => (
  <>
    <Line
      {...part}
      path={["url"]}
      label="Address of the workflow"
      hint="It is a secret, so write a reference. Cards are posted there; people decide in Assent."
      placeholder="${env:ASSENT_SECRET_TEAMS_WEBHOOK}"
    />
    <h3 className="mb-1 border-t pt-4 font-semibold">Bot</h3>
    <p className="mb-3 text-small text-muted">With a bot instead of an address, people can decide in Teams.</p>
    <div className="grid gap-x-4 sm:grid-cols-2">
      <Line {...part} path={["bot", "id"]} label="App ID" />
      <Line
        {...part}
        path={["bot", "password"]}
        label="Client secret"
        hint={reference}
        placeholder="${env:ASSENT_SECRET_TEAMS_BOT}"
      />
      <Line {...part} path={["bot", "tenant"]} label="Tenant ID" hint="People of other tenants are refused" />
      <Line
        {...part}
        path={["bot", "conversation"]}
        label="Room"
        hint="Empty: a chat with each person"
        placeholder="19:…@thread.tacv2"
      />
    </div>
  </>
);

const Webhook = (part: Part) => (
  <>
    <Line {...part} path={["url"]} label="Address" placeholder="https://example.com/hooks/assent" />
    <div className="grid gap-x-4 sm:grid-cols-2">
      <Line
        {...part}
        path={["secret"]}
        label="Secret"
        hint={`Signs each request. ${reference}`}
        placeholder="${env:ASSENT_SECRET_WEBHOOK}"
      />
      <Line
        {...part}
        path={["signing_key"]}
        label="Signing key"
        hint="A reference; optional. Signs with a key pair as well (v1a)."
      />
    </div>
  </>
);
