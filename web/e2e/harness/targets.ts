/**
 * Tap targets smaller than a thumb. Runs in the page.
 *
 * Links inside a sentence are exempt, as is common. The browser is asked for the area of a target, so a small box with
 * a large label, or with a larger area around it, is fine.
 */
export function smallTargets(): string[] {
  const least = 44;
  const selector =
    'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="button"], [role="tab"], [role="menuitem"], [role="menuitemradio"], [role="option"], [role="switch"]';
  const out: string[] = [];
  const inSentence = (e: Element) => {
    if (!/^inline(-block)?$/.test(getComputedStyle(e).display) || (e.tagName !== "A" && e.tagName !== "BUTTON"))
      return false;
    if (!/^(inline|block|list-item|table-cell)$/.test(getComputedStyle(e.parentElement ?? e).display)) return false;
    const around = e.parentElement?.textContent?.trim() ?? "";
    return around.length > (e.textContent?.trim().length ?? 0);
  };
  const scrollers = (e: Element) => {
    const out: { top: number; bottom: number; left: number; right: number }[] = [
      { top: 0, bottom: innerHeight, left: 0, right: innerWidth },
    ];
    for (let up = e.parentElement; up; up = up.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(up).overflow)) out.push(up.getBoundingClientRect());
    }
    return out;
  };
  for (const e of document.querySelectorAll<HTMLElement>(selector)) {
    const box = e.getBoundingClientRect();
    const style = getComputedStyle(e);
    if (box.width < 2 || box.height < 2 || style.visibility === "hidden" || style.pointerEvents === "none") continue;
    if (e.closest("[inert], [aria-hidden='true'], .react-flow__viewport") || inSentence(e)) continue;
    if ((e as HTMLButtonElement).disabled) continue;
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const label = e.closest("label") ?? (e.id ? document.querySelector(`label[for="${CSS.escape(e.id)}"]`) : null);
    const mine = (px: number, py: number) => {
      const hit = document.elementFromPoint(px, py);
      return hit !== null && (e.contains(hit) || (label?.contains(hit) ?? false));
    };
    if (!mine(x, y)) continue; // covered, or scrolled away
    const reach = (dx: number, dy: number) => {
      let n = 0;
      while (n < least && mine(x + dx * (n + 1), y + dy * (n + 1))) n++;
      return n;
    };
    const across = box.width >= least - 0.5 ? least : 1 + reach(-1, 0) + reach(1, 0);
    const down = box.height >= least - 0.5 ? least : 1 + reach(0, -1) + reach(0, 1);
    // A link in a list of links may be as short as its word.
    const short = e.tagName === "A" ? false : across < least - 1;
    // Clipped by the edge of a scroll area: it can be scrolled into view.
    const edge = scrollers(e).some(
      (s) => y - least / 2 < s.top || y + least / 2 > s.bottom || x < s.left || box.right > s.right,
    );
    if (!edge && (short || down < least - 1)) {
      const name = e.getAttribute("aria-label") ?? e.textContent?.trim().slice(0, 40) ?? "";
      out.push(`${e.tagName.toLowerCase()} “${name}” is ${across} × ${down} px, less than ${least}`);
    }
  }
  return out;
}
