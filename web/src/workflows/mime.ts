/** How a dragged step is called among the things that can be dragged. */
export const stepMime = "application/x-assent-step";
