import { takeTour } from "../tour/state";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Kbd } from "../ui/Kbd";
import { type Shortcut, useRegisteredShortcuts } from "./shortcuts";

/** The shortcuts that work here, and the conditions of those that are currently off. */
export default function Help({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const registered = useRegisteredShortcuts();
  const byGroup = new Map<string, Shortcut[]>();
  for (const shortcut of registered) {
    const group = shortcut.group ?? "Everywhere";
    byGroup.set(group, [...(byGroup.get(group) ?? []), shortcut]);
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      description="They are off while you type."
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard */}
      <div tabIndex={0} role="group" aria-label="Shortcuts">
        {[...byGroup].map(([group, shortcuts]) => (
          <section key={group} className="mb-4">
            <h3 className="mb-1 text-meta text-muted">{group}</h3>
            <dl>
              {shortcuts.map((s) => (
                <div key={s.keys} className="flex items-center justify-between gap-4 py-1">
                  <dt>
                    {s.label}
                    {s.enabled === false && <span className="text-small text-muted"> · {s.needs}</span>}
                  </dt>
                  <dd>
                    <Kbd keys={s.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Button
          onClick={() => {
            onOpenChange(false);
            takeTour();
          }}
        >
          Take the tour
        </Button>
      </div>
    </Dialog>
  );
}
