import {
  Component,
  type ComponentType,
  createContext,
  memo,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
} from "react";
import type { Search } from "./address";
import type { Router, Trouble, View } from "./router";

const RouterContext = createContext<Router | undefined>(undefined);
const ViewContext = createContext<View | undefined>(undefined);

/** Renders the current page inside a frame, which places it with Outlet. */
export function RouterProvider({ router, frame: Frame = Outlet }: { router: Router; frame?: ComponentType }) {
  const [view, setView] = useState(router.view);
  useEffect(() => {
    setView(router.view); // it may have changed since it was rendered
    let { Shown } = router.view;
    return router.listen((next) => {
      // Another page is rendered in pieces. Changes within a page are rendered at once: the next key or click builds on
      // them.
      if (next.Shown === Shown) setView(next);
      else startTransition(() => setView(next));
      Shown = next.Shown;
    });
  }, [router]);
  useLayoutEffect(() => router.drawn(view), [router, view]);
  return (
    <RouterContext value={router}>
      <ViewContext value={view}>
        <Frame />
      </ViewContext>
    </RouterContext>
  );
}

/** The page itself. It is not drawn again when only its frame is. */
export const Outlet = memo(function Outlet() {
  const router = useRouter();
  const { Shown, error, address } = useView();
  const { Broken } = router.trouble;
  if (!Shown) return <Broken error={error} reset={() => void router.load()} />;
  return (
    <Boundary at={address.path} Broken={Broken}>
      <Shown />
    </Boundary>
  );
});

interface BoundaryProps {
  at: string;
  Broken: Trouble["Broken"];
  children: ReactNode;
}

interface BoundaryState {
  at?: string;
  thrown?: { error: unknown };
}

/** A page that crashes leaves everything around it working. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};
  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { thrown: { error } };
  }
  static getDerivedStateFromProps({ at }: BoundaryProps, before: BoundaryState): BoundaryState | null {
    return at === before.at ? null : { at, thrown: undefined };
  }
  override render() {
    const { thrown } = this.state;
    const { Broken, children } = this.props;
    return thrown ? <Broken error={thrown.error} reset={() => this.setState({ thrown: undefined })} /> : children;
  }
}

export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error("there is no RouterProvider around this");
  return router;
}

function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("there is no RouterProvider around this");
  return view;
}

export const useAddress = () => useView().address;
export const useSearch = (): Search => useView().address.search;
/** The id in the page's URL. */
export const usePageId = () => useView().id;

/** Goes to another page, or changes the search of this one. The function is stable for the lifetime of the page. */
export const useNavigate = () => useRouter().navigate;
