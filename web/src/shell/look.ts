/** The style of groups and entries in the palette. */
export const groupLook =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-muted";
export const itemLook =
  "flex min-h-9 items-center gap-2.5 rounded-sm px-2 data-[selected=true]:bg-hover pointer-coarse:min-h-11";
