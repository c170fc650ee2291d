import type { Locator, Page } from "playwright-core";
import { becomes, focused } from "./stage";

/** More stops than any page has between two things. */
const stopsMax = 150;
/** Longer than between two letters of a word. */
const wordMs = 600;

/**
 * Whether the focus is there, and what is wrong with where it is; empty if people can see it. Runs in the page, and once
 * for each stop: stories press Tab a thousand times.
 */
function stop(target: Element): { there: boolean; wrong: string } {
  return { there: target === document.activeElement, wrong: unseen() };

  function unseen(): string {
    const active = document.activeElement;
    if (!active || active === document.body) return ""; // around the page, in the browser's own bar
    if (active.matches("main, [role=dialog]")) return ""; // all of it, where a page or a dialog begins
    if (active.matches("input[type=time], input[type=date]")) return ""; // parts that the browser draws
    const name = `${active.tagName.toLowerCase()} “${active.getAttribute("aria-label") ?? active.textContent?.trim().slice(0, 40)}”`;
    const { left, right, top, bottom } = active.getBoundingClientRect();
    if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight)
      return `the focus is out of view: ${name}`;
    // Some controls show it on what surrounds them, such as the card of a choice.
    for (let e: Element | null = active, n = 0; e && n < 4; e = e.parentElement, n++) {
      const { outlineStyle, outlineWidth } = getComputedStyle(e);
      if (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) return "";
      if (e.classList.contains("cm-editor")) return "";
    }
    return `the focus is not visible: ${name}`;
  }
}

/** A user without a mouse: the focus moves by Tab alone, and is visible wherever it stops. */
export class Keyboard {
  private typedAt = 0;

  constructor(readonly page: Page) {}

  /** Leaves the navigation behind, by the link for that. */
  async skip(): Promise<void> {
    await this.page.keyboard.press("Tab");
    await this.page.keyboard.press("Enter");
    await focused(this.page.locator("main"));
  }

  /** Goes there by Tab, or back by Shift and Tab. */
  async to(what: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await what.first().waitFor({ state: "visible" });
    for (let n = 0; n < stopsMax; n++) {
      const { there, wrong } = await what.first().evaluate(stop);
      if (n > 0 && wrong) throw new Error(wrong);
      if (there) return;
      await this.page.keyboard.press(key);
    }
    throw new Error(`No ${key} leads to ${what}`);
  }

  /** Goes there and presses a key. */
  async press(what: Locator, key = "Enter", way: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await this.to(what, way);
    // Enter in the middle of a word presses nothing.
    const pause = this.typedAt + wordMs - Date.now();
    if (pause > 0) await this.page.waitForTimeout(pause);
    await this.page.keyboard.press(key);
    if (key === "Space") this.typedAt = Date.now();
  }

  /** Types where the focus is. */
  async write(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.typedAt = Date.now();
  }

  /** Goes to a field and types into it, in place of what is there. */
  async type(field: Locator, text: string): Promise<void> {
    await this.to(field);
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.write(text);
  }

  /** Chooses an option in a list that opens. */
  async choose(list: Locator, option: string | RegExp): Promise<void> {
    await this.press(list);
    const wanted = this.page.getByRole("option", { name: option, exact: true });
    await wanted.waitFor({ state: "visible" });
    const here = () => wanted.evaluate((e) => e === document.activeElement);
    for (let n = 0; n < stopsMax && !(await here()); n++) await this.page.keyboard.press("ArrowDown");
    await this.page.keyboard.press("Enter");
    await wanted.waitFor({ state: "hidden" });
    await focused(list);
  }

  /** Waits until the focus is in there: where it came from, or what is nearest to that. */
  async within(what: Locator): Promise<void> {
    await becomes(() => what.first().evaluate((e) => e.contains(document.activeElement)), true, `the focus in ${what}`);
    const { wrong } = await what.first().evaluate(stop);
    if (wrong) throw new Error(wrong);
  }
}
