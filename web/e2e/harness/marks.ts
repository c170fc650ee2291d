export interface Marks {
  /** One of each element, in the order of the document. */
  all: string[];
  /** Where the elements within it end. */
  ends: number[];
}

/**
 * What axe can judge about each element, as short marks: elements with the same mark have the same colours, roles and
 * kind of name, in a window of the same size and in the same theme. A mark covers the element's attributes, those of
 * everything around it, the kinds of its children, and whether it has a name and is large enough to be pressed. Texts
 * and numbers may differ. Runs in the page, and leaves the elements there as `marked`.
 */
export function marks(): Marks {
  /** Attributes whose value names something or is a text: it matters whether it is there. */
  const free =
    /^(id|for|name|href|src|srcset|value|title|alt|placeholder|datetime|d|points|transform|viewbox|content|aria-(label|valuetext|valuenow|roledescription|keyshortcuts|placeholder|posinset|setsize|rowcount|rowindex))$/;
  /** Attributes that refer to other elements. */
  const refers = /^(for|aria-(labelledby|describedby|controls|owns|activedescendant|details|errormessage))$/;
  /** Attributes that styles depend on, of the element and of those within it. */
  const styled =
    /^(class|style|role|hidden|disabled|dir|data-.*|aria-(hidden|disabled|selected|checked|pressed|expanded|current|invalid|busy|sort))$/;
  const all: string[] = [];
  const ends: number[] = [];
  const elements: Element[] = [];
  const filled = (e: Element | null) => /\S/.test(e?.textContent ?? "");

  /** 53 bits of a text; the marks of a page are thousands at most. */
  const hash = (text: string) => {
    let a = 0xdeadbeef;
    let b = 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      a = Math.imul(a ^ c, 2654435761);
      b = Math.imul(b ^ c, 1597334677);
    }
    return ((a >>> 0) + (b >>> 0) * 4294967296).toString(36);
  };

  const attribute = ({ name, value }: Attr) => {
    if (refers.test(name)) {
      const all = value.split(/\s+/).map((id) => document.getElementById(id));
      return `${name}:${all.map((e) => (e ? filled(e) || e.hasAttribute("aria-label") : "none"))}`;
    }
    if (free.test(name)) return `${name}:${value.trim() !== ""}`;
    return `${name}=${value.replaceAll(/\d+/g, "0")}`;
  };

  const walk = (e: Element, around: string) => {
    const attributes = [...e.attributes];
    const looks = [
      around,
      e.tagName,
      ...attributes
        .filter(({ name }) => styled.test(name))
        .map(attribute)
        .sort(),
    ];
    const place = hash(looks.join("|"));
    const parts = [place, ...attributes.map(attribute).sort()];
    parts.push(...new Set([...e.children].map((c) => `${c.tagName} ${c.getAttribute("role")}`)));
    parts.push(
      String(filled(e)),
      String([...e.childNodes].some((n) => n.nodeType === 3 && /\S/.test(n.nodeValue ?? ""))),
    );
    if (e instanceof HTMLElement && (e.tabIndex >= 0 || "labels" in e)) {
      const { width, height } = e.getBoundingClientRect();
      const { labels } = e as HTMLInputElement;
      parts.push(String(width < 24 || height < 24), String([...(labels ?? [])].map(filled)));
      parts.push(...[":checked", ":disabled", ":invalid", ":placeholder-shown"].filter((state) => e.matches(state)));
    }
    if (e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth) parts.push("scrolls");
    const at = all.push(hash(parts.join("|"))) - 1;
    elements.push(e);
    for (const child of e.children) walk(child, place);
    ends[at] = all.length;
  };
  walk(document.documentElement, String(document.title.trim() !== ""));
  Object.assign(globalThis, { marked: elements });
  return { all, ends };
}

/** The largest parts of the page, as places in its elements, in which every mark is known. */
export function knownParts({ all, ends }: Marks, known: (mark: string) => boolean): number[] {
  const before = [0]; // how many unknown marks come before a place
  for (const mark of all) before.push((before.at(-1) ?? 0) + (known(mark) ? 0 : 1));
  const parts: number[] = [];
  for (let at = 0; at < all.length; ) {
    const end = ends[at] ?? all.length;
    if (before[end] === before[at]) {
      parts.push(at);
      at = end;
    } else at++;
  }
  return parts;
}
