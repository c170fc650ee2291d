import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useMe } from "./documents";
import { keys, newQueryClient } from "./queries";

let asked = 0;
let name = "ann";
const client = newQueryClient();

function Name() {
  return <p>{useMe().data?.name ?? "…"}</p>;
}

function names(count: number) {
  return render(
    <QueryClientProvider client={client}>
      {Array.from({ length: count }, (_, i) => (
        <Name key={i} />
      ))}
    </QueryClientProvider>,
  );
}

function serveName() {
  asked = 0;
  vi.stubGlobal("fetch", async () => {
    asked++;
    return new Response(JSON.stringify({ name, roles: [], permissions: [] }), {
      headers: { "Content-Type": "application/json" },
    });
  });
}

afterEach(() => {
  cleanup();
  client.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  name = "ann";
});

it("the user is asked for once, by one observer for all", async () => {
  serveName();
  const { container } = names(3);
  await waitFor(() => expect(container.textContent).toBe("annannann"));
  expect(asked).toBe(1);
  expect(client.getQueryCache().find({ queryKey: keys.me })?.getObserversCount()).toBe(1);
});

it("nothing of a user is left once the cache is cleared, as after signing in", async () => {
  serveName();
  const first = names(2);
  await waitFor(() => expect(first.container.textContent).toBe("annann"));
  first.unmount();
  client.clear();
  name = "bob";
  const { container } = names(2);
  expect(container.textContent).toBe("……");
  await waitFor(() => expect(container.textContent).toBe("bobbob"));
  name = "eve";
  await act(() => client.invalidateQueries({ queryKey: keys.me }));
  await waitFor(() => expect(container.textContent).toBe("eveeve"));
});

it("a page that opens later asks again if the answer is old", async () => {
  serveName();
  const shell = names(1);
  await waitFor(() => expect(shell.container.textContent).toBe("ann"));
  const page = names(1);
  expect(asked).toBe(1);
  page.unmount();
  await act(() => client.invalidateQueries({ queryKey: keys.me, refetchType: "none" }));
  name = "bob"; // renamed in between
  names(1);
  await waitFor(() => expect(shell.container.textContent).toBe("bob"));
  expect(asked).toBe(2);
});
