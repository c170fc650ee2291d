import { chosenOf, filterOf } from "./filter";
import { prepareRows } from "./useInboxRows";

export { InboxPage } from "./InboxPage";

/** Reads what the inbox shows at an address before it is drawn. */
export const prepareInbox = (search: string) =>
  prepareRows(filterOf(chosenOf(Object.fromEntries(new URLSearchParams(search)))));
