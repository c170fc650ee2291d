import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Compass } from "lucide-react";
import { useEffect, useRef } from "react";
import { useMe } from "../api";
import { approvalsQuery, usePendingCount } from "../api/approvals";
import { useAddress, useNavigate } from "../router";
import { useCommands } from "../shell/commands";
import { toast } from "../ui/Toasts";
import { endTour, hadTour, leaveTour, offerTour, showTour, takeTour, useTourState } from "./state";

/**
 * Offers the tour in the inbox of a user who has decided nothing yet, once there is something to decide, and starts
 * it whenever the user asks for it. Users who have had it cost a look into local storage; for others the server is
 * asked once.
 */
export function useTourWhenDue(): void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useMe().data;
  const { path } = useAddress();
  const { data: pending = 0 } = usePendingCount();
  const tour = useTourState();
  const asked = useRef(false);
  const name = me?.kind === "person" ? me.name : undefined;
  const wanted = !tour.on && tour.wanted;

  useEffect(() => {
    if (name === undefined || path !== "/inbox" || pending === 0 || asked.current || hadTour(name)) return;
    asked.current = true; // once per page, whatever the answer
    void due(client, name)
      .then((approval) => approval && offerTour(approval))
      .catch(() => {}); // the inbox works without a tour
  }, [client, name, path, pending]);

  useEffect(() => {
    if (!wanted) return;
    leaveTour();
    void navigate({ to: "/inbox" });
    void decidable(client)
      .then((approval) => (approval ? showTour(approval) : toast(nothing)))
      .catch(() => toast(nothing));
  }, [wanted, client, navigate]);

  useCommands([
    {
      id: "tour",
      label: "Take the tour",
      group: "Help",
      icon: Compass,
      also: ["guide", "introduction"],
      run: takeTour,
    },
  ]);
}

const nothing = {
  title: "Nothing to decide right now",
  detail: "The tour ends with a decision of yours. Start a run, then take it.",
};

/** The approval to take the tour with; undefined if the user has decided before, or has nothing to decide. */
async function due(client: QueryClient, name: string): Promise<string | undefined> {
  const earlier = await client.fetchQuery(
    approvalsQuery({
      status: ["pending", "approved", "modified", "rejected", "chosen", "submitted", "revision_requested"],
      q: name,
      limit: 50,
    }),
  );
  if (earlier.items.some(({ decisions }) => decisions.some(({ by }) => by === name))) {
    endTour(name);
    return undefined;
  }
  return decidable(client);
}

/** The most urgent approval that the user may decide. */
async function decidable(client: QueryClient): Promise<string | undefined> {
  const { items } = await client.fetchQuery(
    approvalsQuery({ status: ["pending"], mine: true, sort: "priority", limit: 20 }),
  );
  const mine = items.filter(({ acts }) =>
    acts.some((act) => act === "approve" || act === "choose" || act === "submit"),
  );
  return (mine.find(({ risk }) => risk.level !== "critical") ?? mine[0])?.id;
}
