import { ArrowLeft, Ban, SearchX } from "lucide-react";
import { useApproval } from "../api/approvals";
import { ApiError } from "../api/error";
import type { Approval } from "../api/types";
import { ApprovalDetail, useNext, WaysOn } from "../decide";
import { useLostSince } from "../live";
import { Link, useNavigate, usePageId, useSearch } from "../router";
import { Page, useTitle } from "../shell/Page";
import { useShortcuts } from "../shell/shortcuts";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { format } from "../words";
import { spelled } from "../words/unseen";
import { ApprovalSkeleton } from "./ApprovalSkeleton";

/** One approval: everything a decision needs, on one screen. */
export function ApprovalPage() {
  const id = usePageId();
  const { edit } = useSearch();
  const query = useApproval(id);
  const { data: approval, error } = query;
  const navigate = useNavigate();
  useTitle(spelled(approval?.title ?? "Approval"));
  useShortcuts([
    { keys: "u", label: "Back to the inbox", group: "Deciding", run: () => void navigate({ to: "/inbox" }) },
  ]);
  if (approval) {
    return (
      <div className="flex h-full min-h-0 flex-col">
        <NextKey approval={approval} />
        <Lost />
        <div className="min-h-0 flex-1">
          <ApprovalDetail
            approval={approval}
            edit={edit === "true"}
            back={<Back />}
            after={<WaysOn approval={approval} />}
          />
        </div>
      </div>
    );
  }
  // isFetching is only looked at here: a page that looks at it is drawn again whenever its data is read again.
  if (error) return <Trouble error={error} retry={() => void query.refetch()} retrying={query.isFetching} />;
  return <ApprovalSkeleton />;
}

/** N leads on from a settled approval. By itself, so that the page is not drawn again when the list arrives. */
function NextKey({ approval }: { approval: Approval }) {
  const navigate = useNavigate();
  const next = useNext(approval);
  useShortcuts([
    {
      keys: "n",
      label: "Next in inbox",
      group: "Deciding",
      enabled: next !== undefined,
      run: () => next && void navigate({ to: "/approvals/$id", params: { id: next.id } }),
    },
  ]);
  return null;
}

function Back() {
  return (
    <Link
      to="/inbox"
      className="mb-1 inline-flex items-center gap-1 text-small text-muted hover:text-text pointer-coarse:-my-2 pointer-coarse:min-h-11"
    >
      <ArrowLeft aria-hidden className="size-3.5" /> Inbox
    </Link>
  );
}

/** The page may be out of date while the connection is lost; deciding still checks the version. */
function Lost() {
  const since = useLostSince();
  if (since === undefined) return null;
  return (
    <p role="status" className="bg-warn-bg px-4 py-1.5 text-small text-warn-text sm:px-6">
      Connection lost since {format.clock(since)}. What you see may have changed; if it has, your answer is not taken
      and you are told.
    </p>
  );
}

function Trouble({ error, retry, retrying }: { error: Error; retry: () => void; retrying: boolean }) {
  const code = error instanceof ApiError ? error.code : undefined;
  const toInbox = (
    <Button asChild look="filled">
      <Link to="/inbox">Go to inbox</Link>
    </Button>
  );
  if (code === "not_found") {
    return (
      <Page title="Approval">
        <EmptyState icon={SearchX} title="Approval not found" action={toInbox}>
          The link may be mistyped, or the approval is past its retention period.
        </EmptyState>
      </Page>
    );
  }
  if (code === "forbidden") {
    return (
      <Page title="Approval">
        <EmptyState icon={Ban} title="You may not see this approval" action={toInbox}>
          {error.message || "You don't have permission. Ask someone who has the role."}
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title="Approval">
      <ErrorNote
        error={error}
        action={
          <Button size="small" loading={retrying} onClick={retry}>
            Try again
          </Button>
        }
      />
    </Page>
  );
}
