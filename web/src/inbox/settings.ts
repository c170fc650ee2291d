/** Whether wide screens show the selected approval beside the list. */
const previewKey = "assent.inbox.preview";
/** Whether similar approvals of a run are one row. */
const groupsKey = "assent.inbox.groups";

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) !== "off";
  } catch {
    return true; // storage is blocked
  }
}

function write(key: string, on: boolean): void {
  try {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, "off");
  } catch {
    // Then it applies to this page only.
  }
}

export const previewOn = () => read(previewKey);
export const setPreview = (on: boolean) => write(previewKey, on);
export const groupsOn = () => read(groupsKey);
export const setGroups = (on: boolean) => write(groupsKey, on);
