import { expect, it } from "vitest";
import { hintOf } from "./ErrorNote";

it.each([
  [
    "check the id; the list of runs (assent runs) has those that you may see",
    "check the id; the list of runs has those that you may see",
  ],
  [
    "try again; an administrator can set a new password with: assent auth set-password NAME",
    "try again; an administrator can set a new password",
  ],
  ["name one in encryption_keys; assent keys new makes one", "name one in encryption_keys"],
  ["assent keys new makes one", ""],
  ["reload", "reload"],
  [undefined, ""],
])("hints on pages name no commands: %s", (hint, shown) => expect(hintOf(hint)).toBe(shown));
