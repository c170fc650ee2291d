import { type Delivery, useDeliveriesOf } from "../api/notifications";
import type { Approval } from "../api/types";
import { useStands } from "../lib/later";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";

const shownMax = 6;
const arrived = (d: Delivery) => d.status === "sent" || d.status === "updated";

/** Who was notified of an approval, where and when. Administrators see all of it, others what was sent to them. */
export default function Told({ approval }: { approval: Approval }) {
  const stands = useStands();
  const { data: all = [] } = useDeliveriesOf(approval.id, stands);
  const told = all.filter((d) => arrived(d) || d.status === "failed");
  if (told.length === 0) return null;
  return (
    <section aria-label="Messages" className="text-small text-muted">
      <h3 className="mb-1 font-semibold text-text">Messages</h3>
      <ul className="grid gap-0.5">
        {told.slice(0, shownMax).map((d) => (
          <li key={d.id} className="break-words">
            {arrived(d) ? "Told " : "Could not tell "}
            <Visible text={d.person || d.address || "everyone there"} /> on {d.channel}
            {d.sent_at && (
              <>
                {" "}
                <Time at={d.sent_at} />
              </>
            )}
            {d.status === "failed" && d.why && (
              <>
                : <Visible text={d.why} />
              </>
            )}
          </li>
        ))}
        {told.length > shownMax && <li>and {told.length - shownMax} more</li>}
      </ul>
    </section>
  );
}
