import { describe, expect, it } from "vitest";
import type { ApprovalList } from "../api/types";
import { Rows } from "./rows";
import { someApproval } from "./testing";

/** A server with n rows that can be taken away, paging by id. */
function server(n: number, cap = Number.POSITIVE_INFINITY) {
  const ids = Array.from({ length: n }, (_, i) => i);
  const asked: [string, number][] = [];
  const read = async (cursor: string, limit: number): Promise<ApprovalList> => {
    asked.push([cursor, limit]);
    const from = cursor === "" ? 0 : ids.findIndex((i) => i > Number(cursor));
    const items = from < 0 ? [] : ids.slice(from, from + limit);
    const more = from >= 0 && from + limit < ids.length;
    return {
      items: items.map((i) => someApproval({ id: `apr_${i}`, title: `Row ${i}` })),
      next_cursor: more ? String(items.at(-1)) : "",
      total: Math.min(cap, ids.length),
      total_is_lower_bound: ids.length > cap,
    };
  };
  return { read, asked, ids };
}

/** Until nothing changes any more; the server above answers without a clock. */
async function quiet(rows: Rows) {
  for (let before = -1; before !== rows.changes; ) {
    before = rows.changes;
    for (let i = 0; i < 20; i++) await Promise.resolve();
  }
}
const sizes = { page: 10, pagesMax: 4, hopMax: 50 };

describe("rows", () => {
  it("are read where they are looked at", async () => {
    const { read, asked } = server(95);
    const rows = await new Rows(read, sizes).open();
    expect(rows.length).toBe(95);
    expect(rows.at(3)?.title).toBe("Row 3");
    expect(rows.at(14)).toBeUndefined();
    rows.want(8, 16);
    await quiet(rows);
    expect(rows.at(14)?.title).toBe("Row 14");
    expect(asked.every(([, limit]) => limit === 10)).toBe(true);
  });

  it("reach a far place in a few hops and keep only a few pages", async () => {
    const { read, asked } = server(1000);
    const rows = await new Rows(read, sizes).open();
    rows.want(900, 908);
    await quiet(rows);
    expect(rows.at(905)?.title).toBe("Row 905");
    expect(asked.length).toBeLessThan(24);
    for (let i = 0; i < 1000; i += 10) {
      rows.want(i, i + 9);
      await quiet(rows);
      expect(rows.at(i)?.title).toBe(`Row ${i}`);
      expect(rows.kept).toBeLessThanOrEqual(50);
    }
    expect(rows.length).toBe(1000);
  });

  it("grow where the server stopped counting", async () => {
    const { read, asked } = server(95, 20);
    const rows = await new Rows(read, sizes).open();
    expect([rows.total, rows.atLeast]).toEqual([20, true]);
    const lengths = [rows.length];
    for (let i = 0; i < 20; i++) {
      rows.want(rows.length - 5, rows.length - 1);
      await quiet(rows);
      if (lengths.at(-1) !== rows.length) lengths.push(rows.length);
    }
    // What is known and room for one hop (10 + 50, 70 + 50), until the end was seen.
    expect(lengths).toEqual([60, 120, 95]);
    expect(asked.length).toBe(7);
    expect(rows.at(94)?.title).toBe("Row 94");
  });

  it("keep their places when one goes", async () => {
    const { read } = server(30);
    const rows = await new Rows(read, sizes).open();
    rows.want(0, 29);
    await quiet(rows);
    rows.remove("apr_4");
    rows.remove("apr_5");
    rows.remove("apr_0");
    rows.remove("apr_0");
    expect(rows.length).toBe(27);
    expect([0, 1, 2, 3, 4].map((i) => rows.at(i)?.id)).toEqual(["apr_1", "apr_2", "apr_3", "apr_6", "apr_7"]);
    expect(rows.indexOf("apr_4")).toBe(-1);
    expect(rows.indexOf("apr_6")).toBe(3);
    expect(rows.at(26)?.id).toBe("apr_29");
    expect(rows.at(27)).toBeUndefined();
    expect(rows.loaded()).toHaveLength(27);
  });

  it("show each once after the server lost some and pages were read again", async () => {
    const { read, ids } = server(200);
    const rows = await new Rows(read, sizes).open();
    for (let i = 0; i < 200; i += 10) {
      rows.want(i, i + 9);
      await quiet(rows);
    }
    for (const gone of [3, 4, 55]) ids.splice(ids.indexOf(gone), 1);
    const seen: string[] = [];
    for (let i = 0; i < rows.length; i++) {
      rows.want(i, i);
      await quiet(rows);
      const id = rows.at(i)?.id;
      if (id) seen.push(id);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(197);
  });

  it("take only newer forms of a row", async () => {
    const { read } = server(5);
    const rows = await new Rows(read, sizes).open();
    rows.patch(someApproval({ id: "apr_2", title: "New", version: 3 }));
    rows.patch(someApproval({ id: "apr_2", title: "Old", version: 2 }));
    rows.patch(someApproval({ id: "apr_99", title: "Elsewhere", version: 2 }));
    expect(rows.get("apr_2")?.title).toBe("New");
    expect(rows.length).toBe(5);
  });

  it("tell what went wrong, and go on when it works again", async () => {
    const { read } = server(30);
    let broken = false;
    const rows = await new Rows(
      (cursor, limit) => (broken ? Promise.reject(new Error("broken")) : read(cursor, limit)),
      sizes,
    ).open();
    broken = true;
    rows.want(10, 19);
    await quiet(rows);
    expect(rows.error?.message).toBe("broken");
    broken = false;
    rows.want(10, 19);
    await quiet(rows);
    expect(rows.error).toBeUndefined();
    expect(rows.at(12)?.id).toBe("apr_12");
    rows.stop();
  });
});
