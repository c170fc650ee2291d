/** If no field asks for it, a dialog itself gets the focus, not its close button. */
export function focusAll(event: Event): void {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
}
