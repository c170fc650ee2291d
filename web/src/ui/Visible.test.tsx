import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { raw } from "../json";
import { CodeBlock } from "./CodeBlock";
import { JsonView } from "./JsonView";
import { Markdown } from "./Markdown";
import { marked, Visible } from "./Visible";

const spoofed = "Pay invoice \u202egnp.0001 RUE\u202c to Bob\u200b";
const shown = "Pay invoice U+202Egnp.0001 RUEU+202C to BobU+200B";
const hidden = /[\u202a-\u202e\u200b]/;

it("draws plain text as nothing but text", () => {
  const { container } = render(<Visible text="Pay 10 EUR to Bob 👩‍💻" />);
  expect(container.innerHTML).toBe("Pay 10 EUR to Bob 👩‍💻");
});

it("marks what cannot be seen, with its code and its name", () => {
  const { container } = render(<Visible text={spoofed} />);
  expect(container.textContent).toBe(shown);
  expect(container.firstElementChild?.tagName).toBe("BDI");
  expect(screen.getByText("U+202E").title).toBe("Cannot be seen: right-to-left override, which turns text around");
  expect(screen.getByRole("img", { name: "Cannot be seen: zero-width space" }).dir).toBe("ltr");
});

it("keeps letters that run the other way to themselves", () => {
  const { container } = render(<Visible text="שלום" />);
  expect(container.innerHTML).toBe("<bdi>שלום</bdi>");
  expect(marked("שלום")).toBe("שלום");
});

it("puts many in a row together", () => {
  const { container } = render(<Visible text={`x${"\u{e0041}".repeat(1200)}`} />);
  expect(container.textContent).toBe("xU+E0041 and 1,199 more");
});

it.each([
  ["a block of code", <CodeBlock key="c" text={spoofed} />, shown],
  ["a payload", <JsonView key="j" value={raw(JSON.stringify({ [spoofed]: [spoofed] }))} />, shown],
  ["what is no JSON", <JsonView key="n" value={{ $json: spoofed }} />, shown],
  ["Markdown", <Markdown key="m" text={`**${spoofed}** and \`${spoofed}\``} />, shown],
  ["code in Markdown", <Markdown key="f" text={`\`\`\`\n${spoofed}\n\`\`\``} />, shown],
])("%s hides nothing", (_, element, want) => {
  const { container } = render(element);
  expect(container.textContent).toContain(want);
  expect(container.textContent).not.toMatch(hidden);
});
