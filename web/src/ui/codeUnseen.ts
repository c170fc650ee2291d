import { highlightSpecialChars } from "@codemirror/view";
import { codeOf, unseenInEditors, unseenName } from "../words/unseen";
import { markLook } from "./Visible";

/** Marks invisible characters as texts outside of editors do; they have no effect then. */
export const unseen = highlightSpecialChars({
  specialChars: unseenInEditors(),
  render: (code) => {
    const char = String.fromCodePoint(code);
    const mark = document.createElement("span");
    mark.textContent = codeOf(char);
    mark.title = `Cannot be seen: ${unseenName(char)}`;
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", mark.title);
    mark.dir = "ltr";
    mark.dataset.unseen = "";
    mark.className = markLook;
    return mark;
  },
});
