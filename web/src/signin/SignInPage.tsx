import { useQueryClient } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useEffect } from "react";
import { type SignInWays, useSignInWays } from "../api/signin";
import { useRouter, useSearch } from "../router";
import { Logo } from "../shell/Logo";
import { useTitle } from "../shell/Page";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { Skeleton } from "../ui/Skeleton";
import { PasswordForm } from "./PasswordForm";
import { safePath } from "./path";
import { useKnown } from "./useKnown";
import { arrivalProblem } from "./words";

/** The sign-in page. In local mode it redirects at once. */
export function SignInPage() {
  useTitle("Sign in");
  const search = useSearch();
  const to = safePath(search.return);
  const { data: ways, error, refetch } = useSignInWays();
  const known = useKnown(ways?.needed === true);
  const router = useRouter();
  const client = useQueryClient();
  const through = ways?.needed === false || known;
  useEffect(() => {
    if (!through) return;
    client.clear(); // requests that failed as signed out are sent again
    void router.follow(to, { replace: true });
  }, [through, to, router, client]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center bg-bg px-4 py-8">
      <div className="w-full max-w-90">
        <div className="mb-6 flex flex-col items-center gap-3 text-center">
          <Logo />
          <h1 className="text-heading font-semibold tracking-tight">Sign in to Assent</h1>
          {search.return && !search.problem && <p className="text-muted">You'll return to where you were.</p>}
        </div>
        <div className="rounded-md border bg-surface p-4 sm:p-6">
          {search.problem && (
            <p className="mb-4 rounded-sm bg-warn-bg p-3 text-warn-text">{arrivalProblem(search.problem)}</p>
          )}
          {error && !ways && (
            <ErrorNote
              error={error}
              action={
                <Button size="small" onClick={() => void refetch()}>
                  Try again
                </Button>
              }
            />
          )}
          {!error && (!ways || through) && <Waiting />}
          {ways && !through && <Ways ways={ways} to={to} />}
        </div>
      </div>
    </main>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading" className="space-y-3">
      <Skeleton className="h-9" />
      <Skeleton className="h-9" />
    </div>
  );
}

function Ways({ ways, to }: { ways: SignInWays; to: string }) {
  return (
    <>
      {ways.oidc && (
        <Button asChild look={ways.password ? "outlined" : "filled"} className="h-11 w-full">
          {/* A full page load: the server redirects to the provider. */}
          <a href={`${ways.oidc.url}?return=${encodeURIComponent(to)}`}>
            <LogIn aria-hidden />
            Continue with {ways.oidc.label}
          </a>
        </Button>
      )}
      {ways.oidc && ways.password && (
        <p className="my-4 flex items-center gap-3 text-small text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
          or with a password
        </p>
      )}
      {ways.password && <PasswordForm to={to} />}
      {!ways.oidc && !ways.password && (
        <p className="text-muted">
          Sign-in is not set up on this server. Ask its administrator to set <code>sign_in</code>.
        </p>
      )}
    </>
  );
}
