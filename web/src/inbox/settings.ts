/** Whether decisions from the list wait a moment so that they can be taken back. Kept by this browser; on unless "off". */
const undoKey = "assent.inbox.undo";
/** Whether wide screens show the chosen approval beside the list. */
const previewKey = "assent.inbox.preview";

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) !== "off";
  } catch {
    return true; // storage is forbidden here
  }
}

function write(key: string, on: boolean): void {
  try {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, "off");
  } catch {
    // Then it holds for this page only.
  }
}

export const undoOn = () => read(undoKey);
export const setUndo = (on: boolean) => write(undoKey, on);
export const previewOn = () => read(previewKey);
export const setPreview = (on: boolean) => write(previewKey, on);
