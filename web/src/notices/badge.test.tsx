import { act, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { serve, visit } from "../../test/page";
import { useBadges } from "./badge";

afterEach(() => void vi.unstubAllGlobals());

function Badges() {
  useBadges();
  return null;
}

it("the icon of the installed app shows how many approvals wait for the user, and no number when none does", async () => {
  const shown: number[] = [];
  vi.stubGlobal(
    "navigator",
    Object.assign(Object.create(navigator), {
      setAppBadge: async (n: number) => void shown.push(n),
      clearAppBadge: async () => void shown.push(0),
    }),
  );
  let total = 3;
  serve({ "GET /api/v1/approvals": () => ({ items: [], total, next_cursor: "" }) });
  const { client } = visit(Badges, "/runs", "/runs");
  await waitFor(() => expect(shown.at(-1)).toBe(3));
  total = 0;
  await act(() => client.invalidateQueries());
  await waitFor(() => expect(shown.at(-1)).toBe(0));
});
