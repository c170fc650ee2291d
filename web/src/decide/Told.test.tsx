import { screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { serve, visit } from "../../test/page";
import type { Approval } from "../api/types";
import Told from "./Told";

afterEach(() => void vi.unstubAllGlobals());

it("says who was told of an approval, and why someone could not be", async () => {
  const items = [
    { id: "dlv_2", channel: "mail", person: "bob", status: "failed", why: "the mail server refused it: 550 unknown" },
    { id: "dlv_1", channel: "desk", person: "ann", status: "sent", why: "not shown" },
  ];
  serve({ "GET /api/v1/deliveries": () => ({ items, total: 2, next_cursor: "" }) });
  visit(() => <Told approval={{ id: "apr_1" } as Approval} />, "/approvals/$id", "/approvals/apr_1");
  await screen.findByRole("region", { name: "Messages" });
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    "Told ann on desk",
    "Could not tell bob on mail: the mail server refused it: 550 unknown",
  ]);
});
