import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { type ComponentType, useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Place } from "./address";
import { memoryHistory } from "./history";
import { Link, PlaceLink } from "./Link";
import { Outlet, RouterProvider, useNavigate, usePageId, useSearch } from "./RouterProvider";
import { type Page, Router } from "./router";

const Runs = () => {
  const navigate = useNavigate();
  const { status } = useSearch();
  return (
    <>
      <h1>Runs {status}</h1>
      <button type="button" onClick={() => void navigate({ search: { status: "failed" } }, { replace: true })}>
        Failed
      </button>
    </>
  );
};
const Run = () => {
  const id = usePageId();
  const [first] = useState(id);
  return (
    <h1>
      Run {id}, first {first}
    </h1>
  );
};

/** Shows the pages, and a box that scrolls, with links around. */
function show(pages: Partial<Record<Place, Page>>, href: string) {
  const history = memoryHistory(href);
  const router = new Router(pages, history, {
    Missing: () => <h1>Missing</h1>,
    Broken: ({ error, reset }) => (
      <button type="button" onClick={reset}>
        Broken: {String(error)}
      </button>
    ),
    Pending: () => <h1>Coming</h1>,
  });
  const Frame = () => (
    <>
      <PlaceLink to="/runs" here="on" className="place">
        To runs
      </PlaceLink>
      <Link to="/runs/$id" params={{ id: "b" }}>
        To b
      </Link>
      <Link to="/inbox">To inbox</Link>
      <main data-keep-scroll="main">
        <Outlet />
      </main>
    </>
  );
  render(<RouterProvider router={router} frame={Frame} />);
  return { router, history, box: screen.getByRole("main") };
}

const there = (Shown: ComponentType): Page => ({ load: async () => Shown });
const go = (router: Router, href: string) => act(() => router.follow(href));
const click = (text: string | RegExp, more = {}) => fireEvent.click(screen.getByText(text), { button: 0, ...more });

afterEach(() => {
  vi.useRealTimers();
  sessionStorage.clear();
});

describe("the router", () => {
  it("shows pages by links, and goes back", async () => {
    const { history } = show({ "/runs": there(Runs), "/runs/$id": there(Run) }, "/runs");
    click("To runs");
    await screen.findByText("Runs");
    expect(screen.getByText("To runs").className).toBe("place on");
    click("To b");
    await screen.findByText("Run b, first b");
    expect(screen.getByText("To runs").getAttribute("aria-current")).toBe("page"); // below it
    act(() => history.go(-1));
    await screen.findByText("Runs");
  });

  it("does not draw the page anew when only its frame is", async () => {
    const drawn = vi.fn();
    const Counted = () => {
      drawn();
      return <h1>Page</h1>;
    };
    const history = memoryHistory("/runs");
    const nothing = () => null;
    const trouble = { Missing: nothing, Broken: nothing, Pending: nothing };
    const router = new Router({ "/runs": there(Counted) }, history, trouble);
    await router.load();
    const Frame = () => {
      const [n, setN] = useState(0);
      return (
        <button type="button" onClick={() => setN(n + 1)}>
          Again {n} <Outlet />
        </button>
      );
    };
    render(<RouterProvider router={router} frame={Frame} />);
    const before = drawn.mock.calls.length;
    click(/Again 0/);
    await screen.findByText(/Again 1/);
    expect(drawn).toHaveBeenCalledTimes(before);
  });

  it("keeps the page for another id of the same place", async () => {
    const { router } = show({ "/runs/$id": there(Run) }, "/runs/a");
    await go(router, "/runs/a");
    await go(router, "/runs/b");
    await screen.findByText("Run b, first a");
  });

  it("changes the search of a page, without a step back where it is asked to", async () => {
    const { router, history } = show({ "/runs": there(Runs), "/inbox": there(Run) }, "/inbox");
    await go(router, "/runs");
    click("Failed");
    await screen.findByText("Runs failed");
    expect(history.href()).toBe("/runs?status=failed");
    act(() => history.go(-1));
    await waitFor(() => expect(router.view.address.path).toBe("/inbox"));
  });

  it("is led on, and says where nothing is", async () => {
    const pages = { "/": { leadsTo: () => ({ to: "/runs" as const }) }, "/runs": there(Runs) };
    const { router, history } = show(pages, "/nowhere");
    await act(() => router.load());
    screen.getByText("Missing");
    await go(router, "/");
    await screen.findByText("Runs");
    expect(history.href()).toBe("/runs");
  });

  it("leaves other tabs to the browser", async () => {
    const { history } = show({ "/runs": there(Runs), "/runs/$id": there(Run) }, "/runs");
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }]) {
      click("To b", more);
      expect(history.href()).toBe("/runs");
    }
  });

  it("fetches the code of a page that somebody is about to open", () => {
    const load = vi.fn(async () => Run);
    show({ "/runs": there(Runs), "/runs/$id": { load } }, "/runs");
    fireEvent.pointerEnter(screen.getByText("To b"));
    expect(load).toHaveBeenCalledOnce();
  });

  it("stays where it is until the next page is there, and says so when that takes long", async () => {
    vi.useFakeTimers();
    let come = (_: ComponentType) => {};
    const slow = new Promise<ComponentType>((resolve) => {
      come = resolve;
    });
    const { router } = show({ "/runs": there(Runs), "/inbox": { load: () => slow } }, "/runs");
    await go(router, "/runs");
    click("To inbox");
    await act(() => vi.advanceTimersByTimeAsync(900));
    screen.getByText("Runs");
    await act(() => vi.advanceTimersByTimeAsync(200));
    screen.getByText("Coming");
    await act(async () => come(() => <h1>Inbox</h1>));
    screen.getByText("Inbox");
  });

  it("keeps a page that came in time", async () => {
    vi.useFakeTimers();
    const soon = () => new Promise<ComponentType>((resolve) => setTimeout(() => resolve(Runs), 500));
    const { router } = show({ "/runs": { load: soon } }, "/runs");
    void router.load();
    await act(() => vi.advanceTimersByTimeAsync(3000));
    screen.getByText("Runs");
  });

  it("shows the page that was asked for last, whichever comes first", async () => {
    let come = (_: ComponentType) => {};
    const slow = new Promise<ComponentType>((resolve) => {
      come = resolve;
    });
    const { router } = show({ "/runs": there(Runs), "/inbox": { load: () => slow } }, "/runs");
    click("To inbox");
    await go(router, "/runs");
    await act(async () => come(() => <h1>Inbox</h1>));
    screen.getByText("Runs");
  });

  it("says what went wrong with a page's code, and tries again", async () => {
    const load = vi.fn<() => Promise<ComponentType>>().mockRejectedValueOnce(new Error("no network"));
    load.mockResolvedValue(Runs);
    const { router } = show({ "/runs": { load } }, "/runs");
    await go(router, "/runs");
    click("Broken: Error: no network");
    await screen.findByText("Runs");
  });

  it("shows that a page broke, and the next one", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const Bad = () => {
      throw new Error("oops");
    };
    const { router } = show({ "/runs": there(Runs), "/inbox": there(Bad) }, "/inbox");
    await go(router, "/inbox");
    screen.getByText("Broken: Error: oops");
    await go(router, "/runs");
    screen.getByText("Runs");
  });

  it("comes back to where a page was left", async () => {
    const { router, history, box } = show({ "/runs": there(Runs), "/runs/$id": there(Run) }, "/runs");
    await go(router, "/runs");
    box.scrollTop = 120;
    await go(router, "/runs/b");
    expect(box.scrollTop).toBe(0);
    box.scrollTop = 40;
    act(() => history.go(-1));
    await waitFor(() => expect(box.scrollTop).toBe(120));
    act(() => history.go(1));
    await waitFor(() => expect(box.scrollTop).toBe(40));
    await act(() => router.navigate({ search: { tab: "x" } }, { replace: true, still: true }));
    expect(box.scrollTop).toBe(40);
  });
});
