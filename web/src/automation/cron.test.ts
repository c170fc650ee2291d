import { expect, it } from "vitest";
import { readTimes, writeTimes } from "./cron";

it("reads and writes the times that the form has", () => {
  const known = {
    "30 7 * * *": { repeat: "daily", at: "07:30", day: 1 },
    "0 9 * * mon-fri": { repeat: "weekdays", at: "09:00", day: 1 },
    "5 18 * * sun": { repeat: "weekly", at: "18:05", day: 0 },
    "0 0 31 * *": { repeat: "monthly", at: "00:00", day: 31 },
  };
  for (const [cron, times] of Object.entries(known)) {
    expect(readTimes(cron)).toEqual(times);
    expect(writeTimes(readTimes(cron), "")).toBe(cron);
  }
  expect(readTimes("0 9 * * 7").day).toBe(0);
});

it("leaves other times as they are written", () => {
  for (const cron of [
    "*/15 * * * *",
    "0 9 1 1 *",
    "0 9 1 * mon",
    "0 9 * *",
    "61 9 * * *",
    "0 9 * * mon,fri",
    "0 9 32 * *",
  ]) {
    expect(readTimes(cron).repeat).toBe("custom");
    expect(writeTimes(readTimes(cron), cron)).toBe(cron);
  }
});
