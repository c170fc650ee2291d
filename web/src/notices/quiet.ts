/** A time of day at which a person is not disturbed. */
export interface Hours {
  from: string;
  to: string;
  timezone?: string;
}

/** Whether a moment is in quiet hours, which may cross midnight. Hours that cannot be read are none. */
export function quietAt(hours: Hours | null | undefined, at: Date): boolean {
  const from = minutesOf(hours?.from);
  const to = minutesOf(hours?.to);
  if (!hours || from === undefined || to === undefined || from === to) return false;
  const now = minutesOf(clockIn(hours.timezone || "UTC", at));
  if (now === undefined) return false;
  return from < to ? now >= from && now < to : now >= from || now < to;
}

function minutesOf(text: string | undefined): number | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text ?? "") ?? [];
  return hours === undefined || minutes === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

function clockIn(timeZone: string, at: Date): string | undefined {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
      at,
    );
  } catch {
    return undefined; // a time zone that this browser does not know
  }
}
