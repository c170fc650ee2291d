import { EditorView } from "@codemirror/view";

/**
 * Takes the place of a selection by the editor's own means. Left alone, Chromium carries the look of what was there
 * over to what is typed, as a style attribute, and the policy of the page forbids those.
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
