import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Markdown } from "./Markdown";
import { readMarkdown } from "./readMarkdown";

describe("Markdown", () => {
  it("draws headings, lists, tables, quotes, code and emphasis", () => {
    const { container } = render(
      <Markdown
        text={
          "# Title\n\nSome **bold** and *slanted* `code` snake_case_word\n\n- one\n- two\n  - inner\n\n3. third\n\n> said\n\n| A | B |\n|---|--:|\n| 1 | 2 |\n\n```js\n<b>x</b>\n```\n\n---"
        }
      />,
    );
    expect(container.querySelector("h3")?.textContent).toBe("Title");
    expect(container.querySelector("strong")?.textContent).toBe("bold");
    expect(container.querySelector("em")?.textContent).toBe("slanted");
    expect(container.querySelectorAll("ul > li")).toHaveLength(3);
    expect(container.querySelector("ul ul li")?.textContent).toBe("inner");
    expect(container.querySelector("ol")?.getAttribute("start")).toBe("3");
    expect(container.querySelector("blockquote")?.textContent).toBe("said");
    expect([...container.querySelectorAll("td")].map((c) => c.textContent)).toEqual(["1", "2"]);
    expect(container.querySelector("pre")?.textContent).toBe("<b>x</b>");
    expect(container.querySelector("hr")).toBeTruthy();
    expect(container.textContent).toContain("snake_case_word");
  });

  it("has no way to HTML", () => {
    const evil = '<script>alert(1)</script> <img src=x onerror=alert(1)> <a href="javascript:alert(1)">x</a>';
    const { container } = render(<Markdown text={evil} />);
    expect(container.textContent).toContain(evil);
    for (const tag of ["script", "img", "a", "iframe"]) expect(container.querySelector(tag), tag).toBeNull();
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//evil.example",
    "/api/v1/sign-out",
    " java\tscript:x",
  ])("%s is no link", (address) => {
    const { container } = render(<Markdown text={`[click](${address}) ![pic](${address})`} />);
    expect(container.querySelector("a,img")).toBeNull();
    expect(container.textContent).toContain("click");
  });

  it("links leave in a new tab that learns nothing, and show their host", () => {
    render(<Markdown text="[Your bank](https://evil.example/login) and https://example.com/a." />);
    const [bank, bare] = screen.getAllByRole("link");
    expect(bank?.getAttribute("rel")).toBe("noopener noreferrer");
    expect(bank?.getAttribute("target")).toBe("_blank");
    expect(bank?.textContent).toContain("evil.example");
    expect(bare?.getAttribute("href")).toBe("https://example.com/a");
  });

  it.each([
    ["[".repeat(200_000)],
    ["*a ".repeat(80_000)],
    ["`".repeat(200_000)],
    [`|\n-${" ".repeat(100_000)}x`],
    ["> ".repeat(50_000)],
    ["- ".repeat(50_000)],
    ["a\n".repeat(100_000)],
  ])("takes no long time over %.12s…", (text) => {
    const before = performance.now();
    expect(readMarkdown(text).length).toBeGreaterThan(0);
    expect(performance.now() - before).toBeLessThan(3000);
  });
});
