/** The start of a day in the browser's time zone. */
export const startOf = (day: string) => new Date(`${day}T00:00:00`);
