import { lazy, Suspense, useLayoutEffect } from "react";
import { onSignedOut } from "../api/signedOut";
import { useStands } from "../lib/later";
import { Outlet, useAddress, useNavigate } from "../router";
import { Shell } from "../shell/Shell";

const Notices = lazy(() => import("../notices/Notices"));

/** The frame around all pages: the shell, or nothing around the sign-in page, to which it redirects when signed out. */
export function Frame() {
  const { path } = useAddress();
  useSignInWhenNeeded();
  const stands = useStands();
  if (path === "/sign-in") return <Outlet />;
  return (
    <>
      <Shell />
      <Suspense>{stands && <Notices />}</Suspense>
    </>
  );
}

function useSignInWhenNeeded(): void {
  const navigate = useNavigate();
  const { path, href } = useAddress();
  const here = path === "/sign-in" ? undefined : href;
  useLayoutEffect(() => {
    if (here === undefined) return; // already there
    let gone = false; // many requests fail at once
    return onSignedOut(() => {
      if (gone) return;
      gone = true;
      void navigate({ to: "/sign-in", search: { return: here === "/" ? undefined : here } }, { replace: true });
    });
  }, [here, navigate]);
}
