import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { serve, visit } from "../../test/page";
import { Sidebar } from "./Sidebar";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("tells how much waits in every width: beside the name, or on the picture where there is no room", async () => {
  serve({ "GET /api/v1/approvals": () => ({ items: [], next_cursor: "", total: 31 }) });
  visit(Sidebar, "/inbox", "/inbox");
  const inbox = await screen.findByRole("link", { name: /Inbox.*31 waiting/ });
  const badge = screen.getByText("31");
  expect(badge.className).not.toMatch(/(^|:| )(hidden|sr-only|invisible)( |$)/);
  // On the picture it stands where the link is, not where the page begins.
  expect(badge.className).toContain("max-lg:absolute");
  expect(inbox.className).toContain("relative");
});
