import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { serve, visit } from "../../test/page";
import { NotificationsPage } from ".";

const me = { name: "ann", kind: "person", roles: ["approver"], permissions: ["view"], local: false };
const saved = {
  channels: ["mail", "phone"],
  email: "ann@example.com",
  events: { "run.failed": [], "approval.needed": ["mail"] },
  default: {
    events: { "approval.needed": ["mail", "phone"], "run.completed": ["phone"] },
    quiet_hours: { from: "22:00", to: "07:00", timezone: "Europe/Berlin" },
    digest: { after: 10 },
  },
};

beforeEach(() => {
  vi.stubGlobal("isSecureContext", true);
  localStorage.clear();
});

const show = (more: Record<string, () => unknown> = {}) => {
  const sent = serve({
    "GET /api/v1/me": () => me,
    "GET /api/v1/me/push": () => ({ items: [], total: 0, next_cursor: "" }),
    "GET /api/v1/me/notifications": () => saved,
    ...more,
  });
  const { client } = visit(NotificationsPage, "/settings/notifications", "/settings/notifications");
  return Object.assign(sent, { refresh: () => act(() => client.invalidateQueries()) });
};

test("a person changes where they are told, and only that is sent", async () => {
  const sent = show({ "PUT /api/v1/me/notifications": () => ({ ...saved, email: "new@example.com" }) });
  const address = await screen.findByLabelText("E-mail address");
  const save = screen.getByRole<HTMLButtonElement>("button", { name: "Save" });
  expect(save.disabled).toBe(true);
  fireEvent.change(address, { target: { value: "new@example.com" } });
  fireEvent.click(screen.getByRole("checkbox", { name: "phone" }));
  expect(save.disabled).toBe(false);
  fireEvent.click(save);
  await waitFor(() => expect(sent.some(({ method }) => method === "PUT")).toBe(true));
  expect(JSON.parse(sent.find(({ method }) => method === "PUT")?.body ?? "")).toEqual({
    email: "new@example.com",
    events: { "run.failed": [], "approval.needed": ["mail", "phone"] },
  });
});

test("what is not saved yet stays when channels or other preferences change elsewhere", async () => {
  let current: object = saved;
  const sent = show({ "GET /api/v1/me/notifications": () => current });
  const address = await screen.findByLabelText<HTMLInputElement>("E-mail address");
  fireEvent.change(address, { target: { value: "new@example.com" } });
  current = { ...saved, channels: ["mail"], events: { "run.failed": ["mail"] } };
  await sent.refresh();
  expect(address.value).toBe("new@example.com");
  fireEvent.click(screen.getByRole("button", { name: "Discard changes" }));
  expect(address.value).toBe("ann@example.com");
  fireEvent.change(address, { target: { value: "" } });
  current = { ...saved, email: "other@example.com" };
  await sent.refresh();
  expect(address.value).toBe("");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(false);
});

test("a channel that was deleted is named where it was chosen, and can be taken off", async () => {
  const events = { "run.failed": ["phone"], "approval.needed": ["mail", "phone"] };
  const sent = show({
    "GET /api/v1/me/notifications": () => ({ ...saved, channels: ["mail"], events }),
    "PUT /api/v1/me/notifications": () => saved,
  });
  const row = async (label: string) => within((await screen.findByText(label)).closest("li") as HTMLElement);
  const failed = await row("Run failed");
  failed.getByText(/No channel is left for this/);
  expect((await row("An approval needs you")).queryByText(/No channel is left/)).toBeNull();
  expect((await row("Run completed")).queryByText(/deleted/)).toBeNull();
  fireEvent.click(failed.getByRole("checkbox", { name: "mail" }));
  expect(failed.queryByText(/No channel is left/)).toBeNull();
  fireEvent.click(failed.getByRole("checkbox", { name: "phone (deleted)" }));
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent.some(({ method }) => method === "PUT")).toBe(true));
  expect(JSON.parse(sent.find(({ method }) => method === "PUT")?.body ?? "").events).toEqual({
    "run.failed": ["mail"],
    "approval.needed": ["mail", "phone"],
  });
});

test("the default is spelled out where it applies", async () => {
  show();
  const row = async (label: string) => (await screen.findByText(label)).closest("li") as HTMLElement;
  expect(within(await row("Run completed")).getByText("Default: phone")).toBeTruthy();
  expect(within(await row("New deliverable")).getByText("Default: no message")).toBeTruthy();
  expect(within(await row("An approval needs you")).queryByText(/^Default:/)).toBeNull();
  expect(screen.getByText("Default: 22:00 to 07:00, Europe/Berlin")).toBeTruthy();
  expect(screen.getByText("Default: after 10 messages, one every 15 minutes")).toBeTruthy();
});

test("without channels it says so, and a browser without push says why", async () => {
  show({ "GET /api/v1/me/notifications": () => ({ channels: [], default: { events: {} } }) });
  await screen.findByText(/There is no channel that reaches you yet/);
  const card = screen.getByRole("heading", { name: "Push messages" }).closest("section");
  expect(within(card as HTMLElement).getByText("This browser does not support push messages.")).toBeTruthy();
});

test("sound is off, and can be turned on", async () => {
  show();
  const box = await screen.findByRole("checkbox", { name: "Play a sound in this browser" });
  expect(box.getAttribute("aria-checked")).toBe("false");
  box.click();
  await waitFor(() => expect(box.getAttribute("aria-checked")).toBe("true"));
  expect(localStorage.getItem("assent.sound")).toBe("on");
});
