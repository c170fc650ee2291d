import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import Palette from "./Palette";

const navigate = vi.fn();
vi.mock("../router", async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }));

afterEach(() => vi.restoreAllMocks());

it("the palette finds runs and approvals while typing, and goes there", async () => {
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation((request) => {
    asked.push(new URL((request as Request).url).searchParams.get("q") ?? "");
    return Promise.resolve(
      Response.json({
        partial: false,
        items: [
          {
            kind: "approval",
            id: "apr_1",
            title: "Pay it",
            subject: "Refund 35 EUR",
            workflow: "refund",
            status: "pending",
          },
          {
            kind: "run",
            id: "run_1",
            title: "Refund 35 EUR",
            subject: "Refund 35 EUR",
            workflow: "refund",
            status: "waiting",
          },
        ],
      }),
    );
  });
  const close = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Palette open onOpenChange={close} />
    </QueryClientProvider>,
  );
  const box = screen.getByRole("combobox");
  for (const text of ["r", "re", "ref", "refund 35"]) fireEvent.change(box, { target: { value: text } });
  const options = await screen.findAllByRole("option");
  expect(options.map((o) => o.textContent)).toEqual(["Pay it · Refund 35 EURWaiting", "Refund 35 EURWaiting"]);
  expect(asked).toEqual(["refund 35"]); // not once per key
  fireEvent.click(options[1] as HTMLElement);
  await waitFor(() => expect(navigate).toHaveBeenCalledWith({ to: "/runs/$id", params: { id: "run_1" } }));
  expect(close).toHaveBeenCalledWith(false);
});
