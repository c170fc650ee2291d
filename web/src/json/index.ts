export { CannotPatch, countChanges, mergePatch, same } from "./patch";
export { isRaw, isStandIn, plain, type Raw, raw, rawOf, stringify, textOf } from "./raw";
export { at, compact, plainText, pretty, type Tree, treeOf } from "./tree";
