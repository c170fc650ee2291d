import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from "@tanstack/react-router";
import { NotFound, PageError, PagePending } from "./shell/Trouble";
import { Frame } from "./signin/Frame";

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

/** What stands behind "?" in the address, as text; pages read what they know and leave the rest. */
export type Search = Record<string, string | undefined>;
const search = (raw: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [key, value === undefined || value === "" ? undefined : String(value)]),
  );

const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    beforeLoad: ({ location }) => {
      // Where the identity provider sends people back to whom it did not let in.
      const { sign_in } = location.search as Search;
      if (sign_in) throw redirect({ to: "/sign-in", search: { problem: sign_in }, replace: true });
      throw redirect({ to: "/inbox", replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/inbox",
    component: lazyRouteComponent(() => import("./inbox"), "InboxPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/approvals",
    beforeLoad: () => {
      throw redirect({ to: "/history", replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/approvals/$id",
    component: lazyRouteComponent(() => import("./approval"), "ApprovalPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/history",
    component: lazyRouteComponent(() => import("./history"), "HistoryPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/runs",
    component: lazyRouteComponent(() => import("./runs"), "RunsPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/runs/$id",
    component: lazyRouteComponent(() => import("./run"), "RunPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/runs/$id/replay",
    component: lazyRouteComponent(() => import("./replay"), "ReplayPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/deliverables",
    component: lazyRouteComponent(() => import("./deliverables"), "DeliverablesPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/insights",
    component: lazyRouteComponent(() => import("./insights"), "InsightsPage"),
    validateSearch: search,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: lazyRouteComponent(() => import("./signin"), "SignInPage"),
    validateSearch: search,
  }),
] as const;

const tree = root.addChildren(routes);

/**
 * Whether what was just drawn has to be scrolled to its place. The first page of a visit stands there already: finding
 * that out would make the browser measure it before it is painted.
 */
function scrolls(): () => boolean {
  const [visit] = globalThis.performance?.getEntriesByType?.("navigation") ?? [];
  let fresh = (visit as PerformanceNavigationTiming | undefined)?.type === "navigate";
  return () => {
    const now = !fresh || globalThis.location?.hash !== "";
    fresh = false;
    return now;
  };
}

/** A router over the addresses of the browser, or of another history. */
export const newRouter = (history?: RouterHistory) =>
  createRouter({
    routeTree: tree,
    history,
    scrollRestoration: scrolls(),
    scrollToTopSelectors: ["#main"],
    defaultPreload: "intent",
    defaultErrorComponent: PageError,
    defaultPendingComponent: PagePending,
    // Filters in the address stay readable: ?status=pending, not ?status=%22pending%22.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (values) => {
      const text = new URLSearchParams(
        Object.entries(values).flatMap(([k, v]) => (v === undefined || v === "" ? [] : [[k, String(v)]])),
      ).toString();
      return text && `?${text}`;
    },
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
