import { describe, expect } from "vitest";
import { gone, largeWorkflow, see, stage, still, story, until, workerAgent } from "./harness";
import { inBothThemes } from "./pages";

const steps = 500;

describe(`the editor with ${steps} steps`, () => {
  // More than a page of a list has, which is 200.
  const spares = Array.from(
    { length: 230 },
    (_, i) => `agent: spare_${String(i).padStart(3, "0")}\nkind: scripted\nanswers: [{ output: { done: true } }]\n`,
  );
  const ward = "role: ward_9\ndescription: Decides for ward 9\npermissions: [view, approve]\n";
  const at = stage({
    load: [],
    documents: async () => [largeWorkflow("large", steps), workerAgent, ward, ...spares].join("---\n"),
  });
  const ann = at.person("ann", "admin");
  const copy = () => ann.get("/workflows/large/working_copy").catch(() => undefined);

  story("shows all of them, moves one with the mouse and one by keyboard, edits it and saves", async () => {
    const page = await at.open("/workflows/large", { as: ann });
    const nodes = page.locator(".react-flow__node");
    const picture = page.getByRole("img", { name: `Picture of ${steps + 1} steps and gates` });
    await see(picture);
    await until("the picture to be painted", async () => (await picture.evaluate(coloured)) > 0.05);
    expect(await nodes.count(), "elements for steps that cannot be read").toBe(0);
    await inBothThemes(page, "editor-large-desktop", () => at.look(page));
    // From afar: the one under the pointer can be moved, and chosen.
    const pane = await picture.boundingBox();
    if (!pane) throw new Error("The picture has no place on the page.");
    const over = { x: pane.x + pane.width / 2, y: pane.y + pane.height / 2 };
    await until("a step under the pointer", async () => {
      over.y += 3;
      await page.mouse.move(over.x, over.y);
      return (await nodes.count()) === 1;
    });
    const far = (await nodes.getAttribute("data-id")) ?? "";
    await page.mouse.down();
    await page.mouse.move(over.x - 20, over.y, { steps: 4 });
    await page.mouse.up();
    const first = await until("the move from afar is saved", async () => (await copy())?.layout[far]);
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await page.mouse.click(over.x - 20, over.y);
    await see(name);
    expect(await name.inputValue()).toBe(far);
    await page.keyboard.press("Escape");
    await gone(name);
    await page.keyboard.press("Control+z");
    await until("the move is undone", async () => (await copy())?.layout[far]?.x !== first.x);
    await page.getByRole("button", { name: "Show everything" }).click();
    await until("no step in full", async () => (await nodes.getByText("Agent Worker").count()) === 0);
    // From the keyboard: the first step is chosen, comes near, and can be read.
    const canvas = page.getByRole("application", { name: /^Canvas/ });
    await canvas.focus();
    await page.keyboard.press("ArrowDown");
    await see(name);
    const id = await name.inputValue();
    const chosen = page.locator(`.react-flow__node[data-id="${id}"]`);
    await see(chosen.getByText("Agent Worker"));
    // Only what is in view is drawn in full.
    expect(await nodes.count()).toBeLessThan(100);
    // Connected with the mouse to one that is no neighbour.
    await still(chosen);
    const other = page.locator('.react-flow__node[data-id^="step_02"]').first();
    await see(other);
    await still(other);
    const from = await chosen.locator(".react-flow__handle-bottom").boundingBox();
    const to = await other.locator(".react-flow__handle-top").boundingBox();
    if (!from || !to) throw new Error("A handle has no place on the page.");
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 });
    await page.mouse.up();
    const before = (await ann.get("/workflows/large/versions/1")).yaml as string;
    const mentions = (yaml: string) => yaml.split(id).length;
    await until("the connection is saved", async () => mentions((await copy())?.yaml ?? "") > mentions(before));
    await canvas.focus();
    await page.keyboard.press("Control+z");
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
    ).toEqual([expect.stringMatching(/^- \{ id: step_\d+, agent: worker, needs: \[.*\], timeout: 9m \}$/)]);
    // Others to wait for are found by name.
    await page.getByRole("searchbox", { name: "Search steps to wait for" }).fill("step 499");
    await see(page.getByText("Step 499 (comes later)"));
    // Agents beyond the first page of the list, and roles of the server that no approval uses yet.
    await page.getByRole("searchbox", { name: "Search agents, tools and workflows" }).fill("spare 229");
    await page.getByRole("button", { name: /^Spare 229/ }).click();
    await see(page.getByRole("complementary", { name: "Spare 229" }));
    await page.getByRole("searchbox", { name: "Search agents, tools and workflows" }).fill("");
    await page
      .getByRole("region", { name: "People" })
      .getByRole("button", { name: /^Approval/ })
      .click();
    const role = page.getByRole("combobox", { name: "Role", exact: true });
    await see(role);
    expect(
      await role.evaluate((field) => [...((field as HTMLInputElement).list?.options ?? [])].map((o) => o.value)),
    ).toContain("ward_9");
  });
});

/** The part of a picture that is painted. Runs in the page. */
function coloured(canvas: Element): number {
  const { width, height } = canvas as HTMLCanvasElement;
  const data = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
  let seen = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]) seen++;
  return (4 * seen) / Math.max(1, data.length);
}
