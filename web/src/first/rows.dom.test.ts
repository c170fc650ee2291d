import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { drawRows } from "./rows";

const approval = (title: string, proposed: string) =>
  `{"id":"apr_1","title":${JSON.stringify(title)},"kind":"approval","action":{"type":"step"},"proposed":${proposed},"show":null}`;
const list = (...items: string[]) => `{"items":[${items.join(",")}],"total":${items.length},"next_cursor":null}`;

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  document.body.innerHTML = '<div data-first-row="">…</div><div data-first-row="">…</div>';
});
afterEach(() => vi.unstubAllGlobals());

function draw(answer: string): string[] {
  const places = document.querySelectorAll<HTMLElement>("[data-first-row]");
  drawRows(answer, places);
  return [...places].map((place) => place.textContent?.trim() ?? "");
}

describe("the first rows", () => {
  it("say what is asked, with every digit, and no more than there is room for", () => {
    const refund = approval("Pay the refund?", '{"customer":"Iben Dahl","amount":12345678901234567890}');
    const wanted = "Pay the refund? · Iben Dahl · 12345678901234567890";
    expect(draw(list(refund, refund, refund))).toEqual([wanted, wanted]);
  });

  it("are no more than there are, unless there are none, for which the program has words", () => {
    expect(draw(list())).toEqual(["…", "…"]);
    draw(list(approval("Wipe?", "null")));
    expect(document.body.textContent?.trim()).toBe("Wipe?");
  });

  it("show text as text", () => {
    const [first] = draw(list(approval("<img src=x onerror=alert(1)>", '{"a":"<b>x</b>"}')));
    expect(first).toBe("<img src=x onerror=alert(1)> · <b>x</b>");
    expect(document.querySelector("img, b")).toBeNull();
  });

  it.each(["Pay \u202e0001", "Pay\u200b 1", "Pay\u0007"])(
    "leave what cannot be seen to the program, which marks it: %j",
    (title) => {
      expect(draw(list(approval(title, "null")))[0]).toBe("…");
      expect(draw(list(approval("Pay", JSON.stringify({ to: title }))))[0]).toBe("…");
    },
  );

  it("refuse what is no answer", () => {
    for (const answer of ["", "{", '{"items":[{"title":1', "not found"]) expect(() => draw(answer)).toThrow();
  });
});
