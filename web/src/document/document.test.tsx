import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { problem, serve, visit } from "../../test/page";
import { AgentsPage } from "../agents/AgentsPage";
import { AutomationPage } from "../automation/AutomationPage";
import { Roles } from "../people/Roles";

afterEach(() => void vi.unstubAllGlobals());

interface Kept {
  yaml: string;
  version: number;
  by: string;
}

/** Documents of one kind on a server that knows versions, as ours does. */
function store(key: string, yaml: string, more: object = {}) {
  const name = String(parse(yaml)[key]);
  const state: { kept?: Kept; tags: (string | null)[] } = { kept: { yaml, version: 1, by: "ann" }, tags: [] };
  const shown = () => {
    const definition = parse(state.kept?.yaml ?? "");
    const fixed = { id: "doc_1", name, published: true, digest: "sha256:1", status: "published", ...more };
    return { ...fixed, ...state.kept, at: new Date().toISOString(), definition, workflow: "order", enabled: true };
  };
  const save = (text: string, by: string) => {
    state.kept = { yaml: text, version: (state.kept?.version ?? 1) + 1, by };
  };
  return {
    state,
    save,
    list: () => ({ items: state.kept ? [shown()] : [], next_cursor: "", total: 1 }),
    put: (sent: { body: string; headers: Headers }) => {
      state.tags.push(sent.headers.get("If-Match"));
      if (sent.headers.get("If-Match") !== `"${state.kept?.version ?? 0}"`)
        return problem(412, "version_mismatch", { detail: "another version took effect in the meantime" });
      save(sent.body, "ann");
      return shown();
    },
  };
}

const me = () => ({ name: "ann", roles: ["admin"], permissions: ["view", "start", "admin"] });
const none = () => ({ items: [], next_cursor: "", total: 0 });
const clerk = `agent: clerk # the only one
kind: llm
provider: openai
model: gpt-4o
description: Sorts mail
confidence_threshold: 0.5
`;

function agents(extra: Record<string, () => unknown> = {}) {
  const kept = store("agent", clerk);
  serve({
    "GET /api/v1/me": me,
    "GET /api/v1/agents": kept.list,
    "PUT /api/v1/agents/clerk": kept.put,
    "GET /api/v1/tools": none,
    "GET /api/v1/workflows": none,
    "GET /api/v1/agent_usage": () => ({ items: [], counted_since: null }),
    ...extra,
  } as never);
  const { client } = visit(AgentsPage, "/agents", "/agents?agent=clerk");
  return { ...kept, refresh: () => client.invalidateQueries() };
}

const field = (name: string) => screen.findByRole<HTMLInputElement>("textbox", { name });
const type = (input: HTMLElement, value: string) => fireEvent.change(input, { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("two people who edit one agent", () => {
  async function conflict() {
    const kept = agents();
    type(await field("Description"), "Sorts mail and parcels");
    kept.save(clerk.replace("gpt-4o", "gpt-5").replace("0.5", "0.7"), "bob");
    press("Save");
    const told = within(await screen.findByRole("alert", { name: "The agent has changed" }));
    told.getByText(/bob saved version 2/);
    told.getByText("gpt-4o");
    told.getByText("gpt-5");
    expect(kept.state.tags).toEqual(['"1"']);
    expect(kept.state.kept?.version).toBe(2); // nothing was overwritten
    return kept;
  }

  it("are told of each other, and both changes are kept", async () => {
    const kept = await conflict();
    press("Add mine to theirs");
    expect((await field("Description")).value).toBe("Sorts mail and parcels");
    expect((await field("Model")).value).toBe("gpt-5");
    press("Save");
    await waitFor(() => expect(kept.state.kept?.version).toBe(3));
    expect(kept.state.tags).toEqual(['"1"', '"2"']);
    expect(kept.state.kept?.yaml).toBe(
      clerk.replace("Sorts mail", "Sorts mail and parcels").replace("gpt-4o", "gpt-5").replace("0.5", "0.7"),
    );
  });

  it("can take theirs", async () => {
    await conflict();
    press("Discard mine");
    expect((await field("Description")).value).toBe("Sorts mail");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  });

  it("can replace theirs, knowingly", async () => {
    const kept = await conflict();
    press("Replace theirs with mine");
    await field("Description");
    press("Save");
    await waitFor(() => expect(kept.state.kept?.version).toBe(3));
    expect(kept.state.kept?.yaml).toBe(clerk.replace("Sorts mail", "Sorts mail and parcels"));
  });

  it("learn which fields both changed", async () => {
    const kept = agents();
    type(await field("Model"), "gpt-4.1");
    kept.save(clerk.replace("gpt-4o", "gpt-5"), "bob");
    press("Save");
    await screen.findByText(/You both changed Model/);
    press("Add mine to theirs");
    expect((await field("Model")).value).toBe("gpt-4.1");
  });
});

it("does not overwrite an agent of the same name that is not in the list", async () => {
  agents({ "PUT /api/v1/agents/other": () => problem(412, "version_mismatch") });
  fireEvent.click(await screen.findByRole("button", { name: "Close" }));
  fireEvent.click(await screen.findByRole("button", { name: "New agent" }));
  type(await field("Name"), "clerk");
  await screen.findByText(/This name is taken/);
  type(await field("Name"), "other");
  expect(screen.queryByText(/This name is taken/)).toBeNull();
  press("Save");
  await screen.findByText(/This name is taken/);
});

describe("an agent that is deleted while its dialog is open", () => {
  it("stays there with what was typed", async () => {
    const kept = agents();
    type(await field("Description"), "Sorts mail and parcels");
    kept.state.kept = undefined;
    await kept.refresh();
    await screen.findByText(/This agent was deleted while you were editing/);
    expect((await field("Description")).value).toBe("Sorts mail and parcels");
    press("Save");
    await waitFor(() => expect(kept.state.kept?.yaml).toContain("Sorts mail and parcels"));
  });

  it("says so to those who only read it", async () => {
    const kept = agents({ "GET /api/v1/me": () => ({ ...me(), permissions: ["view"] }) });
    await screen.findByRole("dialog", { name: "Clerk" });
    kept.state.kept = undefined;
    await kept.refresh();
    await screen.findByText("This agent was deleted.");
  });
});

it("keeps the text of a schedule that someone else deleted", async () => {
  const kept = store("schedule", "schedule: nightly\ncron: 0 2 * * *\nworkflow: order\n", { next: [], last: null });
  serve({
    "GET /api/v1/me": me,
    "GET /api/v1/schedules": kept.list,
    "GET /api/v1/triggers": none,
    "GET /api/v1/workflows": none,
    "PUT /api/v1/schedules/nightly": kept.put,
  } as never);
  visit(AutomationPage, "/automation", "/automation");
  fireEvent.click(await screen.findByRole("button", { name: "Edit nightly" }));
  type(await field("Description"), "Every night");
  kept.state.kept = undefined;
  press("Save");
  await screen.findByText(/This schedule was deleted while you were editing/);
  expect((await field("Description")).value).toBe("Every night");
  press("Save");
  await waitFor(() => expect(kept.state.kept?.yaml).toContain("description: Every night"));
  expect(kept.state.tags).toEqual(['"1"', '"0"']);
});

it("shows what someone else changed about a role", async () => {
  const role = (more: object) => ({
    name: "finance",
    description: "Money",
    permissions: ["view"],
    kinds: [],
    workflows: [],
    every_workflow: true,
    can_act_as: [],
    built_in: false,
    withdrawn: false,
    version: 1,
    by: "ann",
    ...more,
  });
  let current = role({});
  const tags: (string | null)[] = [];
  serve({
    "GET /api/v1/me": me,
    "GET /api/v1/roles": () => ({ items: [current], next_cursor: "", total: 1 }),
    "PUT /api/v1/roles/finance": ({ headers }: { headers: Headers }) => {
      tags.push(headers.get("If-Match"));
      return headers.get("If-Match") === `"${current.version}"`
        ? { name: "finance" }
        : problem(412, "version_mismatch");
    },
  } as never);
  visit(Roles, "/people", "/people");
  fireEvent.click(await screen.findByRole("button", { name: /Edit.*finance/i }));
  type(await field("Description"), "All the money");
  current = role({ version: 2, by: "bob", permissions: ["view", "decide"] });
  press("Save");
  const told = (await screen.findByText(/changed this role while you were editing/)).parentElement as HTMLElement;
  within(told).getByText("Permissions");
  fireEvent.click(screen.getByRole("button", { name: "Replace theirs with mine" }));
  await waitFor(() => expect(tags).toEqual(['"1"', '"2"']));
});

it("asks before changes are discarded by accident", async () => {
  agents();
  const dialog = await screen.findByRole("dialog");
  const say = (text: string) =>
    fireEvent.change(within(dialog).getByLabelText("Description"), { target: { value: text } });
  await within(dialog).findByLabelText("Description");
  say("Sorts letters");
  fireEvent.keyDown(dialog, { key: "Escape" });
  within(dialog).getByText("Discard your changes?");
  fireEvent.click(within(dialog).getByRole("button", { name: "Keep editing" }));
  expect(within(dialog).getByLabelText("Description")).toHaveProperty("value", "Sorts letters");
  fireEvent.click(within(dialog).getByRole("button", { name: "Close" }));
  fireEvent.click(within(dialog).getByRole("button", { name: "Discard" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  // Without changes, it closes at once.
  fireEvent.click(await screen.findByRole("button", { name: /^Clerk/ }));
  fireEvent.keyDown(await screen.findByRole("dialog"), { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
