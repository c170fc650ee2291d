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

export const previewOn = () => read(previewKey);
export const setPreview = (on: boolean) => write(previewKey, on);
