import { Send } from "lucide-react";
import { type DeliveryFilter, useChannels, useDeliveryPages, useRetryDelivery } from "../api/notifications";
import { Link, type Search, useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Button, EmptyState, ErrorNote, toast } from "../ui";
import { type Filter, FilterBar } from "../ui/FilterBar";
import { PagedList } from "../ui/PagedList";
import { keepFocus } from "../ui/returnFocus";
import { format } from "../words";
import { deliveryStatus } from "../words/enumsLater";
import { Row } from "./Row";

const pageSize = 50;

/** Every message: what went where, and what came back. */
export function DeliveriesPage() {
  const search = useSearch();
  const navigate = useNavigate();
  const list = useDeliveryPages({ ...filterOf(search), limit: pageSize });
  const retry = useRetryDelivery();
  const set = (change: Search) => void navigate({ search: (before) => ({ ...before, ...change }) }, { replace: true });
  const clear = () => void navigate({ search: {} }, { replace: true });
  const filters = useFilters();
  const { data } = list;
  const narrowed = Boolean(search.status || search.channel || search.approval || search.run);
  return (
    <Page
      title="Sent messages"
      lead={
        data && data.total > 0
          ? `${format.plural(data.total, "message")}, newest first`
          : "Messages to people and programs"
      }
      actions={
        <Button asChild>
          <Link to="/channels">Channels</Link>
        </Button>
      }
    >
      <FilterBar filters={filters} chosen={search} onChange={(key, value) => set({ [key]: value })} onClear={clear} />
      {retry.error && <ErrorNote error={retry.error} />}
      <PagedList list={list} none={<Nothing />} narrowed={narrowed} others="messages" onClear={clear}>
        {(items) => (
          <ul className="divide-y overflow-hidden rounded-md border bg-surface">
            {items.map((delivery) => (
              <Row
                key={delivery.id}
                delivery={delivery}
                busy={retry.isPending && retry.variables.id === delivery.id}
                onRetry={() => {
                  keepFocus();
                  retry.mutate(
                    { id: delivery.id },
                    { onSuccess: () => toast({ title: "The message will be sent again", tone: "ok" }) },
                  );
                }}
              />
            ))}
          </ul>
        )}
      </PagedList>
    </Page>
  );
}

/** The filter in the URL; an unknown status is dropped. */
function filterOf({ status, channel, approval, run }: Search): DeliveryFilter {
  const known = status && Object.hasOwn(deliveryStatus, status) ? [status as keyof typeof deliveryStatus] : undefined;
  return { status: known, channel, approval, run };
}

function useFilters(): Filter[] {
  const { data: channels } = useChannels();
  return [
    {
      key: "status",
      label: "Status",
      any: "Any status",
      options: Object.entries(deliveryStatus).map(([value, { label }]) => ({ value, label })),
    },
    {
      key: "channel",
      label: "Channel",
      any: "All channels",
      options: (channels?.items ?? []).map(({ name }) => ({ value: name, label: name })),
    },
  ];
}

function Nothing() {
  return (
    <EmptyState icon={Send} title="No messages yet">
      Messages appear here once a channel is set up and there is something to send.
    </EmptyState>
  );
}
