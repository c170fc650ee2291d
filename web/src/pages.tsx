import { browserHistory, type Page, Router } from "./router";
import type { Place } from "./router/address";
import type { History } from "./router/history";
import { NotFound, PageError, PagePending } from "./shell/Trouble";

/** The page at each URL. A page's code is loaded on demand. */
const pages: Record<Place, Page> = {
  "/": {
    // The identity provider redirects here when it refuses a sign-in.
    leadsTo: ({ sign_in }) => (sign_in ? { to: "/sign-in", search: { problem: sign_in } } : { to: "/inbox" }),
  },
  "/inbox": { load: async () => (await import("./inbox")).InboxPage },
  "/approvals": { leadsTo: () => ({ to: "/history" }) },
  "/approvals/$id": { load: async () => (await import("./approval")).ApprovalPage },
  "/history": { load: async () => (await import("./history")).HistoryPage },
  "/runs": { load: async () => (await import("./runs")).RunsPage },
  "/runs/$id": { load: async () => (await import("./run")).RunPage },
  "/runs/$id/replay": { load: async () => (await import("./replay")).ReplayPage },
  "/workflows": { load: async () => (await import("./workflows/gallery")).GalleryPage },
  "/workflows/$id": { load: async () => (await import("./workflows/editor")).EditorPage },
  "/deliverables": { load: async () => (await import("./deliverables")).DeliverablesPage },
  "/insights": { load: async () => (await import("./insights")).InsightsPage },
  "/automation": { load: async () => (await import("./automation")).AutomationPage },
  "/suggest": { load: async () => (await import("./suggest")).SuggestPage },
  "/agents": { load: async () => (await import("./agents")).AgentsPage },
  "/policy": { load: async () => (await import("./policy")).PolicyPage },
  "/audit": { load: async () => (await import("./audit")).AuditPage },
  "/people": { load: async () => (await import("./people")).PeoplePage },
  "/deliveries": { load: async () => (await import("./deliveries")).DeliveriesPage },
  "/channels": { load: async () => (await import("./deliveries")).ChannelsPage },
  "/settings": { load: async () => (await import("./settings/server")).ServerPage },
  "/settings/notifications": { load: async () => (await import("./settings")).NotificationsPage },
  "/sign-in": { load: async () => (await import("./signin")).SignInPage },
};

/** A router over the browser's history, or another one. */
export const newRouter = (history: History = browserHistory()) =>
  new Router(pages, history, { Missing: NotFound, Broken: PageError, Pending: PagePending });
