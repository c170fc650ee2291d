import { EditorView } from "@codemirror/view";

/**
 * Replaces a selection through the editor's own API. Otherwise Chromium copies the style of the replaced text to the
 * typed text as a style attribute, which the page's CSP forbids.
 */
export const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    if (main.empty || view.state.readOnly || event.isComposing || event.data === null) return false;
    if (event.inputType !== "insertText") return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
  compositionstart(_, view) {
    if (!view.state.selection.main.empty && !view.state.readOnly)
      view.dispatch(view.state.replaceSelection(""), { userEvent: "delete.selection" });
    return false;
  },
});
