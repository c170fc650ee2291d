import { describe, expect } from "vitest";
import { largeWorkflow, see, stage, still, story, until, workerAgent } from "./harness";
import { inBothThemes } from "./pages";

const steps = 500;

describe(`the editor with ${steps} steps`, () => {
  const at = stage({ load: [], documents: async () => `${largeWorkflow("large", steps)}---\n${workerAgent}` });
  const ann = at.person("ann", "admin");
  const copy = () => ann.get("/workflows/large/working_copy").catch(() => undefined);

  story("shows all of them, moves one with the mouse and one by keyboard, edits it and saves", async () => {
    const page = await at.open("/workflows/large", { as: ann });
    const nodes = page.locator(".react-flow__node");
    await until("nodes", async () => (await nodes.count()) > 400);
    await inBothThemes(page, "editor-large-desktop", () => at.look(page));
    // From the keyboard: the first step is chosen, comes near, and can be read.
    const canvas = page.getByRole("application", { name: /^Canvas/ });
    await canvas.focus();
    await page.keyboard.press("ArrowDown");
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await see(name);
    const id = await name.inputValue();
    const chosen = page.locator(`.react-flow__node[data-id="${id}"]`);
    await see(chosen.getByText("Agent Worker"));
    // Only what is in view is drawn in full.
    await until("few in full", async () => (await page.locator(".react-flow__handle-top").count()) < 100);
    await page.keyboard.press("Alt+Shift+ArrowLeft");
    const moved = await until("the move is saved", async () => (await copy())?.layout[id]);
    expect(Object.keys((await copy()).layout).length).toBe(steps + 1);
    // With the mouse.
    await still(chosen); // it comes near
    const box = await chosen.boundingBox();
    if (!box) throw new Error("The step has no place on the page.");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 30, { steps: 4 });
    await page.mouse.up();
    await until("the second move is saved", async () => (await copy()).layout[id].x > moved.x);
    // And an edit: the text differs in that alone.
    await page.getByRole("textbox", { name: "Timeout" }).fill("9m");
    const before = (await ann.get("/workflows/large/versions/1")).yaml as string;
    const after = await until("the edit is saved", async () => {
      const { yaml } = await copy();
      return yaml !== before && (yaml as string);
    });
    const was = before.split("\n");
    expect(
      after
        .split("\n")
        .filter((line) => !was.includes(line))
        .map((line) => line.trim()),
    ).toEqual(["timeout: 9m"]);
    // Others to wait for are found by name.
    await page.getByRole("searchbox", { name: "Search steps to wait for" }).fill("step 499");
    await see(page.getByText("Step 499 (comes later)"));
  });
});
