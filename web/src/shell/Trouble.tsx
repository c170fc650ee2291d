import { Compass } from "lucide-react";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { SkeletonRows } from "../ui/Skeleton";
import { Page } from "./Page";

/** A page that crashed; the others still work. */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="This page broke">
      <ErrorNote
        error={error}
        action={
          <Button size="small" onClick={reset}>
            Try again
          </Button>
        }
      />
    </Page>
  );
}

/** A page whose code is loading. */
export function PagePending() {
  return <SkeletonRows />;
}

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={Compass}
        title="Page not found"
        action={
          <Button asChild look="filled">
            <Link to="/inbox">Go to inbox</Link>
          </Button>
        }
      >
        Check the address. The page may also have been removed.
      </EmptyState>
    </Page>
  );
}
