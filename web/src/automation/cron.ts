/** Times that people choose in a form; any others are written as five fields, as in cron. */
export interface Times {
  repeat: "daily" | "weekdays" | "weekly" | "monthly" | "custom";
  /** HH:MM */
  at: string;
  /** Of weekly: 0 is Sunday. Of monthly: the day of the month. */
  day: number;
}

export const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const short = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const two = (n: number) => String(n).padStart(2, "0");

function weekday(field: string): number | undefined {
  const named = short.indexOf(field.toLowerCase());
  if (named >= 0) return named;
  return /^[0-7]$/.test(field) ? Number(field) % 7 : undefined;
}

/** How the form shows these times. */
export function readTimes(cron: string): Times {
  const [minute = "", hour = "", date = "", month = "", day = "", ...more] = cron.trim().split(/\s+/);
  const custom: Times = { repeat: "custom", at: "09:00", day: 1 };
  const plain = /^\d{1,2}$/.test(minute) && /^\d{1,2}$/.test(hour) && Number(minute) < 60 && Number(hour) < 24;
  if (!plain || month !== "*" || more.length > 0) return custom;
  const at = `${two(Number(hour))}:${two(Number(minute))}`;
  if (date === "*" && day === "*") return { repeat: "daily", at, day: 1 };
  if (date === "*" && /^(mon-fri|1-5)$/i.test(day)) return { repeat: "weekdays", at, day: 1 };
  const named = weekday(day);
  if (date === "*" && named !== undefined) return { repeat: "weekly", at, day: named };
  if (day === "*" && /^([1-9]|[12]\d|3[01])$/.test(date)) return { repeat: "monthly", at, day: Number(date) };
  return custom;
}

/** The five fields; those of custom times are kept as they are. */
export function writeTimes(times: Times, before: string): string {
  const [hour = "9", minute = "0"] = times.at.split(":");
  const clock = `${Number(minute)} ${Number(hour)}`;
  switch (times.repeat) {
    case "daily":
      return `${clock} * * *`;
    case "weekdays":
      return `${clock} * * mon-fri`;
    case "weekly":
      return `${clock} * * ${short[times.day % 7]}`;
    case "monthly":
      return `${clock} ${Math.min(Math.max(times.day, 1), 31)} * *`;
    case "custom":
      return before;
  }
}
