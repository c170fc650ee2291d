import { api, data } from "../api/client";
import type { ApprovalFilter } from "../api/types";
import { format } from "../words";
import { type Chosen, filterOf, type Offer, withOffer } from "./filter";

/** Counts are fetched at most this often. */
export const countMs = 10_000;
export const countKey = ["inbox", "count"];

/** What a suggestion would leave of the list. */
export function countFilter(chosen: Chosen, offer: Pick<Offer, "dimension" | "value">): ApprovalFilter {
  const { sort: _, ...filter } = filterOf(withOffer(chosen, offer));
  return filter;
}

/** How many rows that is: "12", "1,000+". */
export async function readCount(filter: ApprovalFilter, signal: AbortSignal): Promise<string> {
  const list = await data(api.GET("/api/v1/approvals", { params: { query: { ...filter, limit: 1 } }, signal }));
  return `${format.count(list.total)}${list.total_is_lower_bound ? "+" : ""}`;
}
