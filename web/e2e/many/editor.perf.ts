import { describe, expect } from "vitest";
import { largeWorkflow, type Measured, measured, see, stage, story, workerAgent } from "../harness";

const steps = Number(process.env.STEPS ?? 500);
/** Frames per second while the canvas is moved and zoomed; slow machines set another goal. */
const framesMin = Number(process.env.FRAMES ?? 50);

describe(`the editor with a workflow of ${steps} steps`, () => {
  const at = stage({ load: [], documents: async () => `${largeWorkflow("large", steps)}---\n${workerAgent}` });
  const ann = at.person("ann", "admin");

  story("is moved and zoomed smoothly", async () => {
    const opening = Date.now();
    const page = await at.open("/workflows/large", { as: ann });
    const pane = page.locator(".react-flow__pane").first();
    await see(pane);
    await see(page.locator(".react-flow__node, .painting"));
    const opened = Date.now() - opening;
    const box = await pane.boundingBox();
    if (!box) throw new Error("The canvas has no place on the page.");
    // Beside the nodes: a drag there moves the canvas.
    const corner = { x: box.x + 60, y: box.y + box.height - 60 };
    const drag = async (from: { x: number; y: number }) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      for (let i = 1; i <= 150; i++) {
        await page.mouse.move(from.x + 200 * Math.sin(i / 12), from.y + 120 * Math.sin(i / 9));
      }
      await page.mouse.up();
    };
    const nodes = () => page.locator(".react-flow__node").count();
    const figures: Record<string, Measured & { nodes: number }> = {};
    const figure = async (what: string, act: () => Promise<void>) => {
      figures[what] = { ...(await measured(page, act)), nodes: await nodes() };
    };
    const wheel = async () => {
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      for (let i = 0; i < 60; i++) await page.mouse.wheel(0, i < 30 ? -60 : 60);
    };
    await figure("moved as a whole", () => drag(corner));
    await figure("zoomed", wheel);
    // At a size that can be read, a step is moved as well: the one that the keyboard brings to the middle.
    await page.getByRole("application", { name: /^Canvas/ }).focus();
    await page.keyboard.press("ArrowDown");
    await see(page.getByRole("textbox", { name: "Name", exact: true }));
    const id = await page.getByRole("textbox", { name: "Name", exact: true }).inputValue();
    const step = page.locator(`.react-flow__node[data-id="${id}"]`);
    const place = async () => {
      const found = await step.boundingBox();
      if (!found) throw new Error("The step has no place on the page.");
      return found;
    };
    while ((await place()).width < 200) {
      const { x, y, width, height } = await place();
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.wheel(0, -100);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    const here = await place();
    await figure("a step moved", () => drag({ x: here.x + here.width / 2, y: here.y + here.height / 2 }));
    await figure("moved at reading size", () => drag({ x: box.x + 12, y: box.y + 12 }));
    process.stdout.write(
      `editor of ${steps} steps: opened in ${opened} ms; ` +
        Object.entries(figures)
          .map(
            ([what, f]) =>
              `${what}: ${f.frames} frames/s, longest task ${f.longest} ms and all ${f.work} ms of the processor, ` +
              `${f.nodes} nodes in the page`,
          )
          .join("; ") +
        "\n",
    );
    for (const [what, f] of Object.entries(figures))
      expect(f.frames, `frames per second, ${what}`).toBeGreaterThanOrEqual(framesMin);
  });
});
