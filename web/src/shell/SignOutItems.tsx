import { LogOut, MonitorX } from "lucide-react";
import { useSignOut } from "../api/signin";
import type { Me } from "../api/types";
import { MenuItem, MenuSeparator } from "../ui/Menu";
import { toast } from "../ui/Toasts";

/** Sign-out items in the user menu. Empty if the server has no sign-in. */
export function SignOutItems({ me, go = leave }: { me: Me | undefined; go?: () => void }) {
  const signOut = useSignOut();
  if (!me || me.local) return null;
  // The menu closes and unmounts this, so the response is awaited outside of the hook.
  const out = (everywhere: boolean) =>
    void signOut
      .mutateAsync({ everywhere })
      .then(go, (error: Error) => toast({ tone: "bad", title: "You are still signed in", detail: error.message }));
  return (
    <>
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={() => out(false)}>
        Sign out
      </MenuItem>
      <MenuItem icon={MonitorX} onSelect={() => out(true)}>
        Sign out everywhere
      </MenuItem>
    </>
  );
}

/** A full page load: no loaded data remains. */
function leave(): void {
  location.replace("/sign-in");
}
