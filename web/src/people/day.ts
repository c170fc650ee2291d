/** The start of a day in the browser's time zone. */
export const startOf = (day: string) => new Date(`${day}T00:00:00`);
/** The latest day of date fields. Without one, browsers take six digits for a year, which is no date to them later. */
export const dayMax = "9999-12-31";
