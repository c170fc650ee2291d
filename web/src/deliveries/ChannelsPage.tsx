import { Pencil, Plus, Radio, Trash2 } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useMay } from "../api";
import { type Channel, useChannels, useTestChannel } from "../api/notifications";
import { plain } from "../json";
import { Link } from "../router";
import { Page } from "../shell";
import { Badge, Button, CopyButton, EmptyState, ErrorNote, SkeletonRows, toast } from "../ui";
import { Visible } from "../ui/Visible";
import { channelKind } from "../words/enumsLater";
import { Defaults } from "./Defaults";

const ChannelDialog = lazy(async () => ({ default: (await import("./ChannelDialog")).ChannelDialog }));
const DeleteChannel = lazy(async () => ({ default: (await import("./DeleteChannel")).DeleteChannel }));

type Open = { adding: true } | { editing: string } | { deleting: string };

/** The channels in force, their state, a test, and what is sent on each by default. */
export function ChannelsPage() {
  const { data, error, isPending, refetch } = useChannels();
  const mayChange = useMay()("admin");
  const [open, setOpen] = useState<Open>();
  const names = data?.items.map((one) => one.name) ?? [];
  const close = () => setOpen(undefined);
  useGone(data?.items, open && ("editing" in open ? open.editing : "deleting" in open ? open.deleting : undefined));
  return (
    <Page
      title="Channels"
      lead="Where messages go"
      actions={
        <>
          <Button asChild>
            <Link to="/deliveries">Sent messages</Link>
          </Button>
          {mayChange && (
            <Button look="filled" disabled={!data} onClick={() => setOpen({ adding: true })}>
              <Plus aria-hidden /> New channel
            </Button>
          )}
        </>
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
          Channels carry messages to people, by e-mail, push, Slack or Teams, and to programs, by webhook.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-md border bg-surface">
          {data.items.map((channel) => (
            <Row key={channel.name} channel={channel} onOpen={mayChange ? setOpen : undefined} />
          ))}
        </ul>
      )}
      {data && <Defaults channels={data.items} />}
      <Suspense>
        {open && "adding" in open && <ChannelDialog taken={names} onClose={close} />}
        {open && "editing" in open && (
          <ChannelDialog
            name={open.editing}
            inForce={data?.items.find((one) => one.name === open.editing)}
            taken={[]}
            onClose={close}
          />
        )}
        {open && "deleting" in open && (
          <DeleteChannel name={open.deleting} gone={!!data && !names.includes(open.deleting)} onClose={close} />
        )}
      </Suspense>
    </Page>
  );
}

/** Says which channels are gone from under the user's eyes. The dialog of one says so itself. */
function useGone(now: readonly Channel[] | undefined, inDialog: string | undefined): void {
  const before = useRef(now);
  useEffect(() => {
    const gone = before.current?.filter((was) => now && !now.some((one) => one.name === was.name)) ?? [];
    before.current = now ?? before.current;
    for (const { name } of gone) {
      if (name !== inDialog)
        toast({ title: `The channel ${name} was deleted`, detail: "Messages that were not sent yet are not sent." });
    }
  }, [now, inDialog]);
}

function Row({ channel, onOpen }: { channel: Channel; onOpen?: (open: Open) => void }) {
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
        {onOpen && (
          <>
            <Button aria-label={`Edit ${channel.name}`} onClick={() => onOpen({ editing: channel.name })}>
              <Pencil aria-hidden /> Edit
            </Button>
            <Button
              look="danger-outlined"
              aria-label={`Delete ${channel.name}`}
              onClick={() => onOpen({ deleting: channel.name })}
            >
              <Trash2 aria-hidden /> Delete
            </Button>
          </>
        )}
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
