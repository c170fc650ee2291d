/** A link within a line; on touch screens its hit area is larger than the line. */
export const lineLink =
  "underline-offset-2 hover:underline pointer-coarse:-my-2 pointer-coarse:inline-block pointer-coarse:min-w-11 pointer-coarse:py-3";
