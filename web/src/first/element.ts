/** An element with text and child elements. */
export function element(name: string, className: string, children: (Node | string)[] = []): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
