import { useState } from "react";
import { useAddLink, useLinkOffer, useMyLinks, useRemoveLink } from "../api/notifications";
import { useNavigate, useSearch } from "../router";
import { Button, Card, ErrorNote, Skeleton, Time, toast } from "../ui";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { decidedVia } from "../words";

/** The user's accounts in other programs, and the one that a link in a message is about. */
export function LinksCard() {
  const { link } = useSearch();
  const { data: list, error } = useMyLinks();
  if (!link && !error && (!list || list.items.length === 0)) return null;
  return (
    <Card title="Deciding in chat">
      {link && <Offer token={link} />}
      {error ? <ErrorNote error={error} /> : <Links />}
    </Card>
  );
}

/** Opening the page links nothing: that takes a click. */
function Offer({ token }: { token: string }) {
  const offer = useLinkOffer(token);
  const add = useAddLink();
  const navigate = useNavigate();
  const [attempt] = useState(() => ({ token }));
  const close = () => void navigate({ to: "/settings/notifications", search: {} });
  if (offer.error) return <ErrorNote error={offer.error} />;
  if (!offer.data) return <Skeleton className="h-20" />;
  const program = decidedVia[offer.data.program].label;
  return (
    <div className="mb-3 rounded-md border p-3">
      <p className="font-semibold">
        Is “<Visible text={offer.data.label || offer.data.id} />” in {program} you?
      </p>
      <p className="mt-1 text-muted">
        Whatever this user decides in {program} will be recorded as your decision. Link it only if you pressed a button
        there yourself just now; if someone sent you this link, don’t.
      </p>
      <p className="mt-1 text-small text-muted">
        <Visible text={offer.data.id} />
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          look="filled"
          loading={add.isPending}
          onClick={() =>
            add.mutate(attempt, {
              onSuccess: () => {
                toast({ title: `Linked to ${program}`, detail: "Press the button there again.", tone: "ok" });
                close();
              },
            })
          }
        >
          Yes, link it
        </Button>
        <Button onClick={close}>No</Button>
      </div>
      {add.error && (
        <div className="mt-2">
          <ErrorNote error={add.error} />
        </div>
      )}
    </div>
  );
}

function Links() {
  const { data: list } = useMyLinks();
  const remove = useRemoveLink();
  if (!list || list.items.length === 0) return null;
  return (
    <ul className="divide-y rounded-md border">
      {list.items.map((link) => (
        <li key={link.id} className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
          <span className="min-w-0 flex-1 basis-40 break-words">
            {decidedVia[link.program].label} · <Visible text={link.label || link.id} />
          </span>
          <span className="text-small text-muted">
            since <Time at={link.created_at} />
          </span>
          <Button
            size="small"
            aria-label={`Unlink ${link.label || link.id}`}
            loading={remove.isPending && remove.variables.id === link.id}
            onClick={() => {
              keepFocus();
              remove.mutate({ id: link.id });
            }}
          >
            Unlink
          </Button>
        </li>
      ))}
    </ul>
  );
}
