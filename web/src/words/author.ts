/** The name of the person or program that saved a document. */
export const author = (by: string) => by.replace(/^service:/, "");
