import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { onSignedOut } from "../api/signedOut";
import { Shell } from "../shell/Shell";

/** Stands around all pages: the shell, or nothing around the sign-in page, to which it leads whoever is not known. */
export function Frame() {
  const signIn = useRouterState({ select: (s) => s.location.pathname === "/sign-in" });
  useSignInWhenNeeded();
  return signIn ? <Outlet /> : <Shell />;
}

function useSignInWhenNeeded(): void {
  const navigate = useNavigate();
  const here = useRouterState({ select: (s) => (s.location.pathname === "/sign-in" ? undefined : s.location.href) });
  useEffect(() => {
    if (here === undefined) return; // already there
    let gone = false; // many questions fail at once
    return onSignedOut(() => {
      if (gone) return;
      gone = true;
      void navigate({ to: "/sign-in", search: { return: here === "/" ? undefined : here }, replace: true });
    });
  }, [here, navigate]);
}
