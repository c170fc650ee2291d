import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { problem, serve, visit } from "../../test/page";
import { ChannelsPage } from "./ChannelsPage";

afterEach(() => void vi.unstubAllGlobals());

const document = (kind: string, name: string, yaml: string, definition: object, more: object = {}) => ({
  id: "doc_1",
  name,
  version: 3,
  published: true,
  digest: "sha256:1",
  by: "ann",
  at: "2026-11-15T09:00:00Z",
  status: "published",
  definition: { [kind]: name, ...definition },
  yaml,
  ...more,
});

const mailText = "channel: mail\nkind: email # ours\nsmtp: smtp://mail.internal:587\nfrom: a@example.com\n";
const mail = document("channel", "mail", mailText, { kind: "email" }, { kind: "email" });
const phone = document("channel", "phone", "channel: phone\nkind: push\n", { kind: "push" }, { kind: "push" });
const defaults = document("notifications", "default", "notifications: default\nevents:\n  run.failed: [mail, gone]\n", {
  events: { "run.failed": ["mail", "gone"] },
});

function show(more: Record<string, (sent?: unknown) => unknown> = {}, permissions = ["view", "admin"]) {
  const sent = serve({
    "GET /api/v1/me": () => ({ name: "ann", roles: ["admin"], permissions }),
    "GET /api/v1/channels": () => ({ items: [mail, phone], next_cursor: "", total: 2 }),
    "GET /api/v1/notifications": () => defaults,
    ...more,
  } as never);
  return { sent, ...visit(ChannelsPage, "/channels", "/channels") };
}

it("shows channels, and what is sent where", async () => {
  show();
  await screen.findByText("mail");
  const failed = (await screen.findByText("Run failed")).closest("div") as HTMLElement;
  within(failed).getByText("mail, gone (deleted)");
  const paused = screen.getByText("Run paused").closest("div") as HTMLElement;
  within(paused).getByText("No message");
});

it("offers changes only to those who may make them", async () => {
  show({}, ["view"]);
  await screen.findByText("mail");
  expect(screen.queryByRole("button", { name: "New channel" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Edit mail" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Delete mail" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Edit what is sent where" })).toBeNull();
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in documents
const secret = "${env:ASSENT_SECRET_LEDGER}";

it("writes a new channel; the fields of another kind go with it", async () => {
  const { sent } = show({ "PUT /api/v1/channels/ledger": () => ({ name: "ledger", version: 1 }) });
  await screen.findByText("phone");
  fireEvent.click(screen.getByRole("button", { name: "New channel" }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText("Name"), { target: { value: "mail" } });
  await dialog.findByText(/This name is taken/);
  fireEvent.change(dialog.getByLabelText("Name"), { target: { value: "ledger" } });
  fireEvent.change(dialog.getByLabelText("Mail server"), { target: { value: "smtp://mail.internal:587" } });
  fireEvent.keyDown(dialog.getByRole("combobox", { name: "Kind" }), { key: "ArrowDown" });
  fireEvent.click(await screen.findByRole("option", { name: "Webhook" }));
  fireEvent.change(await dialog.findByLabelText("Address"), { target: { value: "https://example.com/hook" } });
  fireEvent.change(dialog.getByLabelText("Secret"), { target: { value: secret } });
  fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent.some(({ method }) => method === "PUT")).toBe(true));
  expect(sent.find(({ method }) => method === "PUT")?.body).toBe(
    `channel: ledger\nkind: webhook\nurl: https://example.com/hook\nsecret: "${secret}"\n`,
  );
});

it("keeps the rest of a channel as written, and replaces only the version it has seen", async () => {
  const { sent } = show({ "PUT /api/v1/channels/mail": () => ({ name: "mail", version: 4 }) });
  fireEvent.click(await screen.findByRole("button", { name: "Edit mail" }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText("Sender"), { target: { value: "b@example.com" } });
  fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent.some(({ method }) => method === "PUT")).toBe(true));
  const put = sent.find(({ method }) => method === "PUT");
  expect(put?.body).toBe(mailText.replace("a@", "b@"));
  expect(put?.headers.get("If-Match")).toBe('"3"');
});

it("sends an event to one more channel, and no longer to one that is gone", async () => {
  const { sent } = show({ "PUT /api/v1/notifications": () => ({ name: "default", version: 4 }) });
  fireEvent.click(await screen.findByRole("button", { name: "Edit what is sent where" }));
  const dialog = within(await screen.findByRole("dialog"));
  const failed = within(dialog.getByRole("group", { name: "Run failed" }));
  fireEvent.click(failed.getByLabelText("gone (deleted)"));
  fireEvent.click(within(dialog.getByRole("group", { name: "Run paused" })).getByLabelText("phone"));
  fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent.some(({ method }) => method === "PUT")).toBe(true));
  expect(sent.find(({ method }) => method === "PUT")?.body).toMatch(/run\.failed: \[ ?mail ?\]\n\s+run\.paused:/);
});

it("begins the defaults where there are none", async () => {
  const none = {
    ...defaults,
    version: 0,
    published: false,
    yaml: "notifications: default\nevents: {}\n",
    definition: {},
  };
  const { sent } = show({
    "GET /api/v1/notifications": () => none,
    "PUT /api/v1/notifications": () => ({ name: "default", version: 1 }),
  });
  expect(await screen.findAllByText("No message")).toHaveLength(11);
  fireEvent.click(screen.getByRole("button", { name: "Edit what is sent where" }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.click(within(dialog.getByRole("group", { name: "Reminder" })).getByLabelText("phone"));
  fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent.some(({ method }) => method === "PUT")).toBe(true));
  const put = sent.find(({ method }) => method === "PUT");
  expect(put?.body).toMatch(/approval\.reminder: \[ ?phone ?\]/);
  expect(put?.headers.get("If-Match")).toBe('"0"');
});

it("asks before a channel is deleted, and says why it can't be", async () => {
  const { sent } = show({
    "DELETE /api/v1/channels/mail": () => problem(503, "unavailable", { detail: "The disk is full" }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Delete mail" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(sent.some(({ method }) => method === "DELETE")).toBe(false);
  fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await dialog.findByText(/The disk is full/);
});

const without = (...names: string[]) => ({
  "GET /api/v1/channels": () => {
    const items = [mail, phone].filter((one) => !names.includes(one.name));
    return { items, next_cursor: "", total: items.length };
  },
});

it("says that a channel was deleted by someone else", async () => {
  const gone: string[] = [];
  const { client } = show({ "GET /api/v1/channels": () => without(...gone)["GET /api/v1/channels"]() });
  await screen.findByText("phone");
  gone.push("phone");
  await act(() => client.invalidateQueries());
  await screen.findByText("The channel phone was deleted");
  expect(screen.queryByRole("button", { name: "Test phone" })).toBeNull();
  // Of one that is about to be deleted, the dialog says so.
  fireEvent.click(screen.getByRole("button", { name: "Delete mail" }));
  const dialog = within(await screen.findByRole("dialog"));
  gone.push("mail");
  await act(() => client.invalidateQueries());
  await dialog.findByText("This channel has already been deleted.");
  expect(dialog.queryByRole("button", { name: "Delete" })).toBeNull();
  expect(screen.queryByText("The channel mail was deleted")).toBeNull();
});

it("says so, too, if the server knows it first", async () => {
  show({ "DELETE /api/v1/channels/mail": () => problem(404, "not_found") });
  fireEvent.click(await screen.findByRole("button", { name: "Delete mail" }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await dialog.findByText("This channel has already been deleted.");
});

it("says in the editor that the channel was deleted, and saving puts it in force again", async () => {
  const gone: string[] = [];
  const { sent, client } = show({
    "GET /api/v1/channels": () => without(...gone)["GET /api/v1/channels"](),
    "PUT /api/v1/channels/mail": () => ({ name: "mail", version: 4 }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Edit mail" }));
  const dialog = within(await screen.findByRole("dialog"));
  fireEvent.change(dialog.getByLabelText("Sender"), { target: { value: "b@example.com" } });
  gone.push("mail");
  await act(() => client.invalidateQueries());
  await dialog.findByText(/This channel was deleted while you were editing/);
  fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(sent.find(({ method }) => method === "PUT")?.headers.get("If-Match")).toBe('"0"'));
});
