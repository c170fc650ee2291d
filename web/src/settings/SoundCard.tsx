import { useId } from "react";
import { setSound, useSound } from "../notices/settings";
import { play } from "../notices/sound";
import { Button, Card, Checkbox } from "../ui";

/** What this browser does while Assent is open. */
export function SoundCard() {
  const on = useSound();
  const id = useId();
  return (
    <Card title="While Assent is open">
      <p className="mb-3 text-muted">
        A notice appears when an approval arrives that you can answer. It waits while you type and during your quiet
        hours.
      </p>
      <div className="flex min-h-(--tap) flex-wrap items-center gap-x-3 gap-y-2">
        <Checkbox id={id} checked={on} onCheckedChange={setSound} />
        <label htmlFor={id} className="flex-1">
          Play a sound in this browser
        </label>
        <Button size="small" onClick={play}>
          Listen
        </Button>
      </div>
    </Card>
  );
}
