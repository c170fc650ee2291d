import { browserHistory, type Page, Router } from "./router";
import type { Place } from "./router/address";
import type { History } from "./router/history";
import { NotFound, PageError, PagePending } from "./shell/Trouble";

/** What is at which address. A page's code comes when it is wanted. */
const pages: Record<Place, Page> = {
  "/": {
    // Where the identity provider sends people back to whom it did not let in.
    leadsTo: ({ sign_in }) => (sign_in ? { to: "/sign-in", search: { problem: sign_in } } : { to: "/inbox" }),
  },
  "/inbox": { load: async () => (await import("./inbox")).InboxPage },
  "/approvals": { leadsTo: () => ({ to: "/history" }) },
  "/approvals/$id": { load: async () => (await import("./approval")).ApprovalPage },
  "/history": { load: async () => (await import("./history")).HistoryPage },
  "/runs": { load: async () => (await import("./runs")).RunsPage },
  "/runs/$id": { load: async () => (await import("./run")).RunPage },
  "/runs/$id/replay": { load: async () => (await import("./replay")).ReplayPage },
  "/deliverables": { load: async () => (await import("./deliverables")).DeliverablesPage },
  "/insights": { load: async () => (await import("./insights")).InsightsPage },
  "/sign-in": { load: async () => (await import("./signin")).SignInPage },
};

/** A router over the addresses of the browser, or of another history. */
export const newRouter = (history: History = browserHistory()) =>
  new Router(pages, history, { Missing: NotFound, Broken: PageError, Pending: PagePending });
