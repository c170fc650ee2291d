import type { Delivery } from "../api/notifications";

/** Who gets a message. */
export const recipientOf = (d: Pick<Delivery, "person" | "address" | "channel">): string =>
  d.person || d.address || `everyone on ${d.channel}`;
