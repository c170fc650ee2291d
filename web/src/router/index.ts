export type { Place, PlainPlace, Search, Target } from "./address";
export { browserHistory, type History, memoryHistory } from "./history";
export { Link, PlaceLink } from "./Link";
export { Outlet, RouterProvider, useAddress, useNavigate, usePageId, useRouter, useSearch } from "./RouterProvider";
export { type Page, Router } from "./router";
