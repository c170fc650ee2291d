import { FileText } from "lucide-react";
import { contentUrl, useDeliverables } from "../api";
import { Page } from "../shell";
import { Badge, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { deliverableStatus, deliverableType, format } from "../words";

/** What agents have made. */
export function DeliverablesPage() {
  const { data, error, isPending } = useDeliverables({ limit: 100 });
  return (
    <Page title="Deliverables" lead="What agents have made">
      {isPending && <SkeletonRows />}
      {error && !data && <ErrorNote error={error} />}
      {data?.items.length === 0 && (
        <EmptyState icon={FileText} title="Nothing made yet">
          Documents, tables and code that agents make are kept here.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-md border bg-surface">
          {data.items.map((item) => {
            const { icon: Icon, label } = deliverableType(item.type);
            const status = deliverableStatus(item.status);
            return (
              <li key={item.id}>
                <a
                  href={item.url ?? contentUrl(item.id)}
                  className="flex min-h-14 items-center gap-4 px-4 py-2 hover:bg-hover"
                >
                  <Icon aria-hidden className="size-5 shrink-0 text-muted" />
                  <span className="min-w-0 flex-1">
                    <span className="block truncate font-medium">{item.name}</span>
                    <span className="block truncate text-small text-muted">
                      {label}, {format.bytes(item.size)} by {format.title(item.agent)}
                    </span>
                  </span>
                  <Badge tone={status.tone} title={status.sentence}>
                    {status.label}
                  </Badge>
                  <Time at={item.created_at} className="text-small text-muted" />
                </a>
              </li>
            );
          })}
        </ul>
      )}
    </Page>
  );
}
