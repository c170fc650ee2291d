import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answer, problem, serve, visit } from "../../test/page";
import type { Deliverable } from "../api/types";
import { readCsv } from "../content/csv";
import { kindOf } from "../content/kind";
import { DeliverablesPage } from "./DeliverablesPage";
import { byRun, filterOf } from "./filter";

afterEach(() => void vi.unstubAllGlobals());

function some(part: Partial<Deliverable> = {}): Deliverable {
  return {
    id: "dlv_1",
    run: "run_1",
    workflow: "sales-report",
    step: "write",
    agent: "report_writer",
    name: "report.md",
    type: "document",
    status: "draft",
    mime_type: "text/markdown",
    description: "",
    storage: "inline",
    url: null,
    size: 1200,
    preview: "text",
    version: 1,
    newest: true,
    created_at: "2026-11-15T09:00:00Z",
    updated_at: "2026-11-15T09:00:00Z",
    ...part,
  };
}

const list = (items: Deliverable[], next = "") => ({ items, next_cursor: next, total: items.length });
const text =
  (body: string, cut = false) =>
  () =>
    new Response(body, { headers: { "Content-Type": "text/plain", "X-Assent-Cut": String(cut) } });

function show(item: Deliverable, preview?: Answer, more: Record<string, Answer> = {}) {
  const sent = serve({
    "GET /api/v1/deliverables": () => list([item]),
    "GET /api/v1/agents": () => list([]),
    [`GET /api/v1/deliverables/${item.id}`]: () => item,
    [`GET /api/v1/deliverables/${item.id}/versions`]: () => list([item]),
    ...(preview ? { [`GET /api/v1/deliverables/${item.id}/preview`]: preview } : {}),
    ...more,
  });
  return { sent, ...visit(DeliverablesPage, "/deliverables", `/deliverables?open=${item.id}`) };
}

describe("the list", () => {
  const page = (address: string, answers: Record<string, Answer>) => {
    const sent = serve({ "GET /api/v1/agents": () => list([]), ...answers });
    return { sent, ...visit(DeliverablesPage, "/deliverables", address) };
  };

  it("is grouped by run, with an archive of each", async () => {
    page("/deliverables", {
      "GET /api/v1/deliverables": () =>
        list([
          some({ id: "dlv_1", name: "a.md" }),
          some({ id: "dlv_2", run: "run_2", workflow: "refund-email", name: "b.md" }),
          some({ id: "dlv_3", name: "c.md" }),
        ]),
    });
    await screen.findByText("a.md");
    expect(screen.getAllByRole("heading", { level: 2 }).map((h) => h.textContent)).toEqual([
      "Sales report",
      "Refund email",
    ]);
    const zips = screen.getAllByText("All of this run (ZIP)").map((a) => a.closest("a")?.getAttribute("href"));
    expect(zips).toEqual(["/api/v1/runs/run_1/deliverables.zip", "/api/v1/runs/run_2/deliverables.zip"]);
  });

  it("asks for what the address says, and for nothing that is not known", async () => {
    const { sent } = page("/deliverables?type=code&status=made_up&agent=coder&run=run_9", {
      "GET /api/v1/deliverables": () => list([]),
    });
    await screen.findByText("No matches for these filters");
    const query = sent.find((s) => s.path === "/api/v1/deliverables")?.query;
    expect(Object.fromEntries(query ?? [])).toEqual({ type: "code", agent: "coder", run: "run_9", limit: "60" });
  });

  it("says that nothing was made yet, or that filters hide it", async () => {
    const { address } = page("/deliverables?type=code", { "GET /api/v1/deliverables": () => list([]) });
    fireEvent.click(await screen.findByText("Clear filters"));
    expect(await screen.findByText("No deliverables yet")).toBeTruthy();
    expect(address()).toBe("/deliverables");
  });

  it("says what went wrong, and tries again", async () => {
    let down = true;
    page("/deliverables", {
      "GET /api/v1/deliverables": () => (down ? problem(503, "unavailable", { title: "Try later" }) : list([some()])),
    });
    await screen.findByText("Try later");
    down = false;
    fireEvent.click(screen.getByText("Try again"));
    expect(await screen.findByText("report.md")).toBeTruthy();
  });

  it("can be a gallery", async () => {
    const { address, container } = page("/deliverables", {
      "GET /api/v1/deliverables": () => list([some({ name: "p.png", preview: "image", mime_type: "image/png" })]),
    });
    await screen.findByText("p.png");
    fireEvent.click(screen.getByText("Gallery"));
    await waitFor(() => expect(address()).toBe("/deliverables?view=gallery"));
    expect(container.querySelector("img")?.getAttribute("src")).toBe("/api/v1/deliverables/dlv_1/preview");
  });

  it("reads on", async () => {
    page("/deliverables", {
      "GET /api/v1/deliverables": ({ query }) =>
        query.get("cursor") ? list([some({ id: "dlv_2", name: "second.md" })]) : list([some()], "next"),
    });
    fireEvent.click(await screen.findByText("Show more"));
    expect(await screen.findByText("second.md")).toBeTruthy();
  });
});

describe("what is shown of a deliverable", () => {
  it("Markdown is drawn, without a way to HTML", async () => {
    show(some(), text("# Title\n\n<img src=x onerror=alert(1)>"));
    expect(await screen.findByRole("heading", { name: "Title" })).toBeTruthy();
    expect(screen.getByText("<img src=x onerror=alert(1)>")).toBeTruthy();
    fireEvent.click(screen.getByText("As written"));
    expect(screen.getByText(/# Title/)).toBeTruthy();
  });

  it("a table has its rows, the first 200", async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `n${i},${i}`).join("\n");
    show(some({ name: "t.csv", mime_type: "text/csv" }), text(`name,value\n${rows}`));
    expect(await screen.findByRole("columnheader", { name: "value" })).toBeTruthy();
    expect(screen.getByText("n199")).toBeTruthy();
    expect(screen.queryByText("n200")).toBeNull();
    expect(screen.getByText("The first 200 rows. Download it to see all.")).toBeTruthy();
  });

  it("JSON keeps every digit", async () => {
    show(some({ name: "d.json", mime_type: "application/json" }), text('{"id":9007199254740993,"sum":0.10}'));
    expect(await screen.findByText("9007199254740993")).toBeTruthy();
    expect(screen.getByText("0.10")).toBeTruthy();
  });

  it("what is no JSON after all is shown as it is", async () => {
    show(some({ name: "d.json", mime_type: "application/json" }), text("{broken"));
    expect(await screen.findByText("{broken")).toBeTruthy();
  });

  it("HTML is text", async () => {
    show(some({ name: "p.html", mime_type: "text/html" }), text("<script>alert(1)</script>"));
    expect(await screen.findByText("<script>alert(1)</script>")).toBeTruthy();
    expect(document.querySelector("iframe,script")).toBeNull();
  });

  it("a picture is a picture, and says so where it cannot be shown", async () => {
    show(some({ name: "p.png", mime_type: "image/png", preview: "image" }));
    const picture = await screen.findByRole("img", { name: "p.png" });
    expect(picture.getAttribute("src")).toBe("/api/v1/deliverables/dlv_1/preview");
    fireEvent.error(picture);
    expect(await screen.findByText("No preview")).toBeTruthy();
  });

  it("what cannot be shown can be downloaded", async () => {
    show(some({ name: "x.pdf", mime_type: "application/pdf", preview: "none" }));
    await screen.findByText("No preview");
    const links = screen.getAllByText(/^Download/).map((a) => a.closest("a")?.getAttribute("href"));
    expect(new Set(links)).toEqual(new Set(["/api/v1/deliverables/dlv_1/content"]));
  });

  it("nothing is hidden when it is cut, empty or refused", async () => {
    const cut = show(some({ name: "t.txt", mime_type: "text/plain", size: 900_000 }), text("begin", true));
    expect(await screen.findByText(/Only the first 256 KiB/)).toBeTruthy();
    cut.unmount();
    const empty = show(some({ name: "t.txt", mime_type: "text/plain" }), text(""));
    expect(await screen.findByText("It is empty.")).toBeTruthy();
    empty.unmount();
    const refused = show(some({ name: "t.txt", mime_type: "text/plain" }), () => problem(415, "unsupported"));
    expect(await screen.findByText("No preview")).toBeTruthy();
    refused.unmount();
    show(some({ name: "t.txt", mime_type: "text/plain" }), () => problem(503, "unavailable", { title: "Later" }));
    expect(await screen.findByText("Later")).toBeTruthy();
  });

  it.each([
    ["https://files.example.com/a.pdf", true],
    ["javascript:alert(1)", false],
    ["file:///etc/passwd", false],
  ])("%s, which is kept elsewhere", async (url, opens) => {
    show(some({ url, preview: "none", storage: "external", size: 0 }));
    await screen.findByText(/Stored outside Assent/);
    const link = document.querySelector('a[target="_blank"]');
    expect(link !== null).toBe(opens);
    if (link) expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    if (link) expect(link.textContent).toContain("(files.example.com)");
  });

  it("a deliverable that is gone is an error in words", async () => {
    serve({
      "GET /api/v1/deliverables": () => list([]),
      "GET /api/v1/agents": () => list([]),
      "GET /api/v1/deliverables/dlv_9": () => problem(404, "not_found", { title: "Not found" }),
    });
    visit(DeliverablesPage, "/deliverables", "/deliverables?open=dlv_9");
    expect(await screen.findByText("Not found")).toBeTruthy();
  });
});

describe("versions and status", () => {
  const old = some({ id: "dlv_1", version: 1, newest: false });
  const now = some({ id: "dlv_2", version: 2, description: "newer words" });
  const both = {
    "GET /api/v1/deliverables/dlv_2": () => now,
    "GET /api/v1/deliverables/dlv_1/versions": () => list([now, old]),
    "GET /api/v1/deliverables/dlv_2/versions": () => list([now, old]),
    "GET /api/v1/deliverables/dlv_2/preview": text("two"),
  };

  it("an older version says so, leads to the newest, and cannot be marked", async () => {
    const { address } = show(old, text("one"), both);
    expect(await screen.findByText(/there is a newer one/)).toBeTruthy();
    expect(screen.queryByRole("combobox", { name: "How it stands" })).toBeNull();
    const versions = await screen.findByText("Versions");
    fireEvent.click(within(versions.closest("section") as HTMLElement).getByText(/Version 2/));
    expect(await screen.findByText("newer words")).toBeTruthy();
    expect(address()).toBe("/deliverables?open=dlv_2");
  });

  it("a status is sent with what somebody saw, and a conflict is told", async () => {
    const { sent } = show(now, text("two"), {
      ...both,
      "POST /api/v1/deliverables/dlv_2/status": () =>
        problem(409, "version_mismatch", { title: "Changed since you opened it", detail: "there is version 3" }),
    });
    const choice = await screen.findByRole("combobox", { name: "How it stands" });
    fireEvent.keyDown(choice, { key: "Enter" });
    fireEvent.keyDown(await screen.findByRole("option", { name: /Final/ }), { key: "Enter" });
    expect(await screen.findByText("there is version 3")).toBeTruthy();
    expect(JSON.parse(sent.find((s) => s.method === "POST")?.body ?? "")).toEqual({
      status: "final",
      version: 2,
      was: "draft",
    });
  });
});

describe("the parts", () => {
  it("tables are read as they are written", () => {
    const { rows } = readCsv('\ufeffa,b\r\n"x, ""y""","two\nlines"\r\n\r\n,last', 10);
    expect(rows).toEqual([
      ["a", "b"],
      ['x, "y"', "two\nlines"],
      ["", "last"],
    ]);
    expect(readCsv("a;b\n1;2", 10).rows[1]).toEqual(["1", "2"]);
    expect(readCsv("a\tb\n1\t2", 10).rows[1]).toEqual(["1", "2"]);
    expect(readCsv("a\nb\nc", 2)).toEqual({ rows: [["a"], ["b"]], more: true });
    expect(readCsv("a\nb\n\n", 2).more).toBe(false);
    expect(readCsv('"open', 5).rows).toEqual([["open"]]);
    expect(readCsv("", 5).rows).toEqual([]);
  });

  it.each([
    [{ preview: "text", mime_type: "text/csv; charset=utf-8", name: "x" }, "csv"],
    [{ preview: "text", mime_type: "text/plain", name: "notes.MD" }, "markdown"],
    [{ preview: "text", mime_type: "image/svg+xml", name: "x.svg" }, "text"],
    [{ preview: "image", mime_type: "text/markdown", name: "x.md" }, "image"],
    [{ preview: "none", mime_type: "text/markdown", name: "x.md" }, "none"],
  ])("%o is shown as %s", (item, kind) => expect(kindOf(item)).toBe(kind));

  it("groups keep the order in which they come", () => {
    const groups = byRun([some({ run: "b" }), some({ run: "a" }), some({ run: "b" })]);
    expect(groups.map((g) => [g.run, g.items.length])).toEqual([
      ["b", 2],
      ["a", 1],
    ]);
    expect(filterOf({ type: "x", status: "final" })).toEqual({ status: "final" });
  });
});

describe("copying", () => {
  it.each([
    ["report.md", "text/markdown", "# Title", "Copy all"],
    ["figures.csv", "text/csv", "a,b\n1,2", "Copy all"],
    ["data.json", "application/json", '{"a":1}', "Copy"],
    ["notes.txt", "text/plain", "some notes", "Copy"],
  ])("there is one button for the content of %s", async (name, mime_type, content, label) => {
    show(some({ name, mime_type }), text(content));
    const sheet = await screen.findByRole("dialog");
    await within(sheet).findByRole("button", { name: label });
    const buttons = within(sheet).getAllByRole("button", { name: /^Copy/ });
    expect(buttons.map((b) => b.getAttribute("aria-label")).sort()).toEqual([label, "Copy the id"].sort());
  });

  it("as written is copied from its block alone", async () => {
    show(some(), text("# Title"));
    fireEvent.click(await screen.findByRole("button", { name: "As written" }));
    expect(screen.queryByRole("button", { name: "Copy all" })).toBeNull();
    expect(screen.getAllByRole("button", { name: "Copy" })).toHaveLength(1);
  });
});
