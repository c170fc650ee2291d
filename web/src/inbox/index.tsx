import { chosenOf, filterOf } from "./filter";
import { prepareRows } from "./useInboxRows";

export { InboxPage } from "./InboxPage";

/** Loads the inbox at a URL before it is drawn. */
export const prepareInbox = (search: string) =>
  prepareRows(filterOf(chosenOf(Object.fromEntries(new URLSearchParams(search)))));
