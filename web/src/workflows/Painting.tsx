import { useStoreApi } from "@xyflow/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import type { Link } from "./Lines";
import { paint, type Role, roles, type Spot } from "./paint";

/**
 * All nodes and links of a large workflow that are not elements of the page, in one picture. It is redrawn for every
 * frame of a move, which is cheaper than laying out, styling and drawing hundreds of elements once.
 */
export function Painting(props: { spots: readonly Spot[]; links: readonly Link[]; picked?: string }) {
  const { spots, links, picked } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = useStoreApi();
  const content = useRef({ spots, links, picked });
  const repaint = useRef(() => {});

  useLayoutEffect(() => {
    content.current = { spots, links, picked };
    repaint.current();
  }, [spots, links, picked]);

  useEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext("2d");
    if (!element || !ctx) return;
    let theme = themeOf(element);
    const draw = () => {
      const { transform, width, height, nodeLookup } = store.getState();
      const ratio = devicePixelRatio;
      const size = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
      if (element.width !== size.width) element.width = size.width;
      if (element.height !== size.height) element.height = size.height;
      const view = { x: transform[0], y: transform[1], zoom: transform[2] };
      paint(ctx, { ...content.current, view, pane: { width, height }, ratio, ...theme, elements: nodeLookup });
    };
    repaint.current = draw;
    draw();
    // At once, not with the next frame: the elements beside the painting move in this one.
    const stop = store.subscribe((now, before) => {
      if (
        now.transform !== before.transform ||
        now.nodes !== before.nodes ||
        now.width !== before.width ||
        now.height !== before.height
      )
        draw();
    });
    const restyle = () => {
      theme = themeOf(element);
      draw();
    };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", restyle);
    const chosen = new MutationObserver(restyle);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    let there = true;
    void document.fonts?.ready.then(() => there && restyle());
    return () => {
      there = false;
      repaint.current = () => {};
      stop();
      dark.removeEventListener("change", restyle);
      chosen.disconnect();
    };
  }, [store]);

  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={`Picture of ${spots.length} steps and gates. The outline lists them.`}
      className="painting"
    />
  );
}

function themeOf(element: Element): { colours: Record<Role, string>; font: string } {
  const style = getComputedStyle(element);
  const colours = Object.fromEntries(roles.map((role) => [role, style.getPropertyValue(`--${role}`).trim()]));
  return { colours: colours as Record<Role, string>, font: style.fontFamily };
}
