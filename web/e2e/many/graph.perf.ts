import { describe, expect } from "vitest";
import { largeWorkflow, measured, see, stage, story, until, workerAgent } from "../harness";

const steps = Number(process.env.STEPS ?? 500);
/** Frames per second while the plan is moved and zoomed; slow machines set another goal. */
const framesMin = Number(process.env.FRAMES ?? 50);

describe(`a run of ${steps} steps`, () => {
  const at = stage({ load: [], documents: async () => `${largeWorkflow("large", steps)}---\n${workerAgent}` });
  const ann = at.person("ann", "admin");

  story("is moved and zoomed smoothly", async () => {
    const run = await ann.start("large");
    await until("the last question", async () => (await ann.run(run)).progress.done >= steps - 1, 120_000);
    const opening = Date.now();
    const page = await at.open(`/runs/${run}?view=graph`, { as: ann });
    const pane = page.locator(".react-flow__pane").first();
    await see(pane);
    await until("nodes", async () => (await page.locator(".react-flow__node").count()) > 0);
    const opened = Date.now() - opening;
    const box = await pane.boundingBox();
    if (!box) throw new Error("The plan has no place on the page.");
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };

    const dragged = await measured(page, async () => {
      await page.mouse.move(middle.x, middle.y);
      await page.mouse.down();
      for (let i = 1; i <= 150; i++) {
        await page.mouse.move(middle.x + 200 * Math.sin(i / 12), middle.y + 120 * Math.sin(i / 9));
      }
      await page.mouse.up();
    });
    const zoomed = await measured(page, async () => {
      await page.keyboard.down("Control");
      for (let i = 0; i < 60; i++) await page.mouse.wheel(0, i < 30 ? -60 : 60);
      await page.keyboard.up("Control");
    });
    process.stdout.write(
      `run of ${steps} steps: opened in ${opened} ms; ${dragged.frames} frames/s moved, ${zoomed.frames} zoomed; ` +
        `longest task ${dragged.longest} and ${zoomed.longest} ms of the processor; ` +
        `${await page.locator(".react-flow__node").count()} nodes in the page\n`,
    );
    expect(dragged.frames, "frames per second while it is moved").toBeGreaterThanOrEqual(framesMin);
    expect(zoomed.frames, "frames per second while it is zoomed").toBeGreaterThanOrEqual(framesMin);
  });
});
