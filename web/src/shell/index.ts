export { type PaletteCommand, useCommands } from "./commands";
export { Page, useTitle } from "./Page";
export { type Shortcut, useShortcuts } from "./shortcuts";
