import { Radio } from "lucide-react";
import { type Channel, useChannels, useTestChannel } from "../api/notifications";
import { plain } from "../json";
import { Link } from "../router";
import { Page } from "../shell";
import { Badge, Button, CopyButton, EmptyState, ErrorNote, SkeletonRows, toast } from "../ui";
import { Visible } from "../ui/Visible";
import { channelKind } from "../words/enumsLater";

/** The channels in force, their state, and a test. */
export function ChannelsPage() {
  const { data, error, isPending, refetch } = useChannels();
  return (
    <Page
      title="Channels"
      lead="Where messages go"
      actions={
        <Button asChild>
          <Link to="/deliveries">Sent messages</Link>
        </Button>
      }
    >
      {isPending && <SkeletonRows />}
      {error && !data && (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
      )}
      {data?.items.length === 0 && (
        <EmptyState icon={Radio} title="No channels yet">
          A channel is a document, such as “channel: phone, kind: push”. Load one to tell people of approvals.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-md border bg-surface">
          {data.items.map((channel) => (
            <Row key={channel.name} channel={channel} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Row({ channel }: { channel: Channel }) {
  const test = useTestChannel();
  const kind = channelKind[channel.kind];
  const Icon = kind.icon;
  const description = plain<{ description?: string }>(channel.definition)?.description;
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Icon aria-hidden className="size-5 shrink-0 text-muted" />
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-medium break-words">{channel.name}</h2>
          <p className="text-small break-words text-muted">
            {kind.label}
            {description && ` · ${description}`}
          </p>
        </div>
        <Badge tone={channel.disabled ? "bad" : "ok"}>{channel.disabled ? "Off" : "On"}</Badge>
        <Button
          loading={test.isPending}
          aria-label={`Test ${channel.name}`}
          onClick={() =>
            test.mutate(
              { name: channel.name },
              { onSuccess: ({ ok }) => ok && toast({ title: `Test message sent on ${channel.name}`, tone: "ok" }) },
            )
          }
        >
          Test
        </Button>
      </div>
      {channel.disabled && (
        <p className="mt-2 text-small wrap-anywhere text-bad-text">
          Takes no messages: <Visible text={channel.disabled} />
        </p>
      )}
      {channel.public_key && (
        <p className="mt-2 flex items-center gap-2 text-small text-muted">
          <span className="shrink-0">Public key</span>
          <code className="min-w-0 flex-1 break-all">{channel.public_key}</code>
          <CopyButton text={channel.public_key} label={`Copy the public key of ${channel.name}`} />
        </p>
      )}
      {test.data?.ok === false && (
        <p role="alert" className="mt-2 text-small wrap-anywhere text-bad-text">
          The test message did not arrive: <Visible text={test.data.why ?? ""} />
        </p>
      )}
      {test.error && (
        <div className="mt-2">
          <ErrorNote error={test.error} />
        </div>
      )}
    </li>
  );
}
