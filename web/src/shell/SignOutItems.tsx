import { LogOut, MonitorX } from "lucide-react";
import { useSignOut } from "../api/signin";
import type { Me } from "../api/types";
import { MenuItem, MenuSeparator } from "../ui/Menu";
import { toast } from "../ui/Toasts";

/** The ways out, in the menu of who you are. Nothing where nobody signs in. */
export function SignOutItems({ me, go = leave }: { me: Me | undefined; go?: () => void }) {
  const signOut = useSignOut();
  if (!me || me.local) return null;
  // The menu closes and this goes with it, so the answer is waited for outside of the hook.
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

/** A whole page load: nothing that was read stays. */
function leave(): void {
  location.replace("/sign-in");
}
