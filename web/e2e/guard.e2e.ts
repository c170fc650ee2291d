import { describe, expect } from "vitest";
import { gone, stage, story, until } from "./harness";

// A guard that never bites proves nothing: here it has to.
describe("the guard of every page", () => {
  const at = stage();
  const ann = at.person("ann");

  const faults: Record<string, { make: () => void; found: RegExp }> = {
    // biome-ignore lint/suspicious/noConsole: it is what has to be found
    "a console error": { make: () => console.error("something broke"), found: /console: something broke/ },
    "an uncaught error": {
      make: () => void setTimeout(() => Promise.reject(new Error("lost"))),
      found: /page: .*lost/,
    },
    "a request to another host": {
      make: () => void fetch("http://example.com/pixel.png").catch(() => {}),
      found: /example\.com|Content Security Policy/,
    },
    "a style that the policy forbids": {
      make: () => {
        const style = document.createElement("style");
        style.textContent = "main { color: red }";
        document.head.append(style);
      },
      found: /Content Security Policy/,
    },
    "a failed answer": { make: () => void fetch("/api/v1/runs/run_none"), found: /answer: 404 to GET/ },
    "content that is too wide": {
      make: () => {
        const wide = document.createElement("p");
        wide.textContent = "wide";
        wide.style.width = "3000px";
        document.querySelector("main")?.append(wide);
      },
      found: /cuts content off|scrolls sideways/,
    },
    "a picture without words": {
      make: () => document.querySelector("main")?.append(document.createElement("img")),
      found: /axe image-alt/,
    },
    "a target smaller than a thumb": {
      make: () => {
        const small = document.createElement("button");
        small.textContent = "tiny";
        small.style.cssText = "position:fixed;top:50%;left:50%;width:20px;height:20px;z-index:99";
        document.body.append(small);
      },
      found: /“tiny” is 20 × /,
    },
  };

  for (const [name, { make, found }] of Object.entries(faults)) {
    story(`sees ${name}`, async () => {
      const page = await at.open("/insights", { as: ann, view: "phone" });
      await gone(page.getByRole("status", { name: "Loading" }));
      const guard = at.guard(page);
      await page.evaluate(make);
      await until(name, async () => {
        await guard.look();
        return found.test(guard.verdict().join("\n"));
      });
      expect(guard.verdict().join("\n")).toMatch(found);
      await page.close();
    });
  }

  story("sees colours of the dark theme, and what is new there", async () => {
    const page = await at.open("/insights", { as: ann });
    await gone(page.getByRole("status", { name: "Loading" }));
    const guard = at.guard(page);
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("@media (prefers-color-scheme: dark) { #dim { color: #333; background: #222 } }");
      document.adoptedStyleSheets.push(sheet);
      const dim = document.createElement("p");
      dim.id = "dim";
      dim.textContent = "Hard to read at night";
      document.querySelector("main")?.append(dim);
    });
    await guard.look();
    expect(guard.verdict()).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await guard.look();
    expect(guard.verdict()).toEqual([expect.stringMatching(/axe color-contrast.*#dim/)]);
    await page.emulateMedia({ colorScheme: "light" });
    await guard.look();
    await page.evaluate(() => document.querySelector("main")?.append(document.createElement("img")));
    await page.emulateMedia({ colorScheme: "dark" });
    await guard.look();
    expect(guard.verdict().join("\n")).toMatch(/axe image-alt/);
    // What is new in the theme that was looked at last is seen as well.
    await page.evaluate(() => {
      document.querySelector("main img")?.remove();
      document.querySelector("main")?.append(document.createElement("button"));
    });
    await guard.look();
    expect(guard.verdict().join("\n")).toMatch(/axe button-name/);
    await page.close();
  });

  story("sees that something expected did not come", async () => {
    const page = await at.open("/insights", { as: ann });
    at.guard(page).expectAnswer(409, /decisions/);
    expect(at.guard(page).verdict()).toEqual([expect.stringContaining("expected 409")]);
    at.guard(page).forget();
  });
});
