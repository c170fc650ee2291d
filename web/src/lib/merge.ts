// Lets later classes win over earlier ones of the same kind: "px-2 p-4" is "p-4".
//
// The library for this knows all of Tailwind; it was a tenth of the code in the first view and a sixth of the time to
// draw it. We use a few hundred classes: merge.test.ts collects them from the sources and compares every pair with the
// library's result, so a class of a new kind fails there until it has a line here.

/** Kinds whose classes are a single word. */
const words: Record<string, string> = {};
const alone = (kind: string, names: string) => {
  for (const name of names.split(" ")) words[name] = kind;
};
alone("display", "block inline inline-block inline-flex flex grid contents hidden table");
alone("position", "absolute fixed relative sticky static");
alone("reader", "sr-only not-sr-only");
alone("visibility", "visible invisible collapse");
alone("float", "float-left float-right");
alone("border-w", "border");
for (const side of ["x", "y", "t", "r", "b", "l"]) alone(`border-w-${side}`, `border-${side}`);
alone("flex-direction", "flex-row flex-col flex-row-reverse flex-col-reverse");
alone("flex-wrap", "flex-wrap flex-nowrap");
alone("shrink", "shrink");
alone("grow", "grow");
alone("font-style", "italic not-italic");
alone("decoration-line", "underline no-underline line-through");
alone("transform-case", "uppercase lowercase capitalize normal-case");
alone("figures", "tabular-nums");
alone("text-overflow", "truncate");
alone("filter", "filter");
alone("divide-y", "divide-y");
alone("field-sizing", "field-sizing-content");
alone("container", "@container");
alone("outline-w", "outline");
alone("outline-style", "outline-none outline-hidden");
alone("decoration-style", "decoration-dotted decoration-dashed decoration-solid");
alone("border-style", "border-dashed border-dotted border-solid");
alone("text-align", "text-left text-center text-right");
alone("font-weight", "font-normal font-medium font-semibold font-bold");
alone("font-family", "font-sans font-mono");
alone("text-size", "text-meta text-small text-control text-body text-lead text-heading text-number");

/** Kinds whose classes share a prefix; the value is the kind. The longest prefix wins. */
const beginnings: Record<string, string> = {
  text: "text-color",
  bg: "bg",
  border: "border-color",
  flex: "flex",
  outline: "outline-color",
  col: "col-start-end",
  decoration: "decoration-thickness",
  break: "break",
  list: "list-style",
  align: "vertical-align",
};
const same =
  "p px py pt pr pb pl m mx my mt mr mb ml w h size min-w min-h max-w max-h gap gap-x gap-y space-x space-y inset inset-x inset-y " +
  "top right bottom left z order basis col-start col-end row-span grid-cols grid-rows grid-flow auto-cols opacity duration leading tracking underline-offset " +
  "outline-offset rotate translate-x translate-y brightness cursor origin object overscroll touch select pointer-events whitespace " +
  "line-clamp transition fill stroke shadow rounded rounded-t rounded-b rounded-l rounded-r overflow overflow-x overflow-y items " +
  "accent justify self content shrink grow appearance animate wrap columns scroll-mt scroll-mb";
for (const name of same.split(" ")) beginnings[name] = name;

const sides = (kind: string) => ["x", "y", "t", "r", "b", "l"].map((side) => kind + side);
/** Other kinds that a kind replaces. */
const replaces: Record<string, string[]> = {
  p: sides("p"),
  px: ["pr", "pl"],
  py: ["pt", "pb"],
  m: sides("m"),
  mx: ["mr", "ml"],
  my: ["mt", "mb"],
  size: ["w", "h"],
  gap: ["gap-x", "gap-y"],
  inset: ["inset-x", "inset-y", "top", "right", "bottom", "left"],
  "inset-x": ["right", "left"],
  "inset-y": ["top", "bottom"],
  overflow: ["overflow-x", "overflow-y"],
  flex: ["basis", "grow", "shrink"],
  "text-size": ["leading"],
  "line-clamp": ["display", "overflow"],
  "border-w": sides("border-w-"),
  "border-w-x": ["border-w-r", "border-w-l"],
  "border-w-y": ["border-w-t", "border-w-b"],
  rounded: ["rounded-t", "rounded-b", "rounded-l", "rounded-r"],
};

/** The kind of a class without its conditions; undefined if unknown, so it stays. */
export function kindOf(name: string): string | undefined {
  if (words[name]) return words[name];
  if (name.startsWith("[")) return name.slice(0, name.indexOf(":"));
  const plain = name.startsWith("-") ? name.slice(1) : name;
  for (let end = plain.lastIndexOf("-", plain.search(/[[(]|$/)); end > 0; end = plain.lastIndexOf("-", end - 1)) {
    const kind = beginnings[plain.slice(0, end)];
    if (kind) return exact(kind, plain.slice(end + 1));
  }
  return undefined;
}

/** Some prefixes mean a width or a size if a number or length follows, else a colour. */
function exact(kind: string, value: string): string {
  const number = /^\d|^\[[\d.]/.test(value);
  if (kind === "text-color" && number) return "text-size";
  if (kind === "outline-color" && number) return "outline-w";
  if (kind === "border-color") {
    if (number) return "border-w";
    const [side = "", width = ""] = value.split("-");
    if (/^[xytrbl]$/.test(side)) return /^\d/.test(width) ? `border-w-${side}` : `border-color-${side}`;
  }
  return kind;
}

/** The conditions of a class ("hover:", "max-sm:", "!") in a fixed order, and the class. */
export function split(token: string): [conditions: string, name: string] {
  const parts = token.split(/:(?![^[(]*[\])])/);
  let name = parts.pop() ?? "";
  const important = name.endsWith("!") || name.startsWith("!");
  if (important) name = name.replace("!", "");
  return [`${parts.sort().join(":")}${important ? "!" : ""}|`, name];
}

const known = new Map<string, string>();
const knownMax = 1000;

/** Classes without those that a later one replaces. */
export function merge(classes: string): string {
  const before = known.get(classes);
  if (before !== undefined) return before;
  const taken = new Set<string>();
  const kept: string[] = [];
  for (const token of classes.split(/\s+/).reverse()) {
    if (token === "") continue;
    const [conditions, name] = split(token);
    const kind = kindOf(name);
    if (kind !== undefined) {
      if (taken.has(conditions + kind)) continue;
      for (const one of [kind, ...(replaces[kind] ?? [])]) taken.add(conditions + one);
    }
    kept.push(token);
  }
  const merged = kept.reverse().join(" ");
  if (known.size >= knownMax) known.clear();
  known.set(classes, merged);
  return merged;
}
