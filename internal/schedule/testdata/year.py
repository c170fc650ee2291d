"""Writes year.txt: the times of 2024 at which the schedules of TestAYearOfTwoProcesses are due.

It knows nothing of the code under test: each reading of the clock is turned into UTC with Python's zoneinfo. A reading
that is skipped counts as the first one after the gap, and one that occurs twice as its first occurrence.

    python3 internal/schedule/testdata/year.py > internal/schedule/testdata/year.txt
"""

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca"]
FIRST, LAST = date(2023, 12, 30), date(2025, 1, 6)


def instant(reading, zone):
    while True:
        at = reading.replace(tzinfo=zone, fold=0).astimezone(timezone.utc)
        if at.astimezone(zone).replace(tzinfo=None) == reading:
            return at
        reading += timedelta(minutes=1)


def days():
    day = FIRST
    while day <= LAST:
        yield datetime(day.year, day.month, day.day)
        day += timedelta(days=1)


def nightly():  # 30 2 * * *
    return [day + timedelta(hours=2, minutes=30) for day in days()]


def weekend():  # */30 1-3 * * sun
    return [day + timedelta(minutes=m) for day in days() if day.isoweekday() == 7 for m in range(60, 240, 30)]


def runs(times, step):
    """Folds times into runs with one distance: their first and their number."""
    left = set(times)
    for first in sorted(left):
        if first in left:
            at, n = first, 0
            while at in left:
                left.remove(at)
                at, n = at + step, n + 1
            yield first, n


print("# Written by year.py. Schedule, zone, first time in UTC, hours from each to the next, how many.")
for name, readings, step in [("nightly", nightly(), timedelta(days=1)), ("weekend", weekend(), timedelta(days=7))]:
    for zone in ZONES:
        for first, n in runs((instant(r, ZoneInfo(zone)) for r in readings), step):
            print(name, zone, first.strftime("%Y-%m-%dT%H:%MZ"), int(step.total_seconds()) // 3600, n)
