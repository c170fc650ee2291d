import { expect, test } from "vitest";
import { raw } from "../json";
import { forgetToasts, toast, toastTitles } from "../ui/Toasts";
import { hear, nothing, Standing, sayRuns } from "./arrivals";
import { browserName } from "./device";
import { quietAt } from "./quiet";
import { device, setDevice, setSound, soundOn } from "./settings";

const event = (type: string, data: object, actor = { kind: "person" as const, name: "bob" }) => ({
  type,
  run: "run_1",
  data: raw(JSON.stringify(data)),
  actor,
});

test("approvals that arrive are kept until they are settled, and not without end", () => {
  const all = nothing();
  const heard = all.approvals;
  expect(hear(event("approval.needed", { id: "apr_1" }), all)).toBe(true);
  expect(hear(event("approval.escalated", { approval: "apr_2" }), all)).toBe(true);
  expect(hear(event("approval.commented", { approval: "apr_3" }), all)).toBe(false);
  expect(hear(event("run.completed", { id: "run_1" }), all)).toBe(false);
  expect([...heard.keys()]).toEqual(["apr_1", "apr_2"]);
  expect(hear(event("approval.resolved", { approval: "apr_1" }), all)).toBe(false);
  expect([...heard.keys()]).toEqual(["apr_2"]);
  for (let i = 0; i < 1000; i++) hear(event("approval.needed", { id: `apr_n${i}` }), all);
  expect(heard.size).toBe(200);
});

test("what is passed to the user is told, and so are reminders and failed runs", () => {
  const all = nothing();
  const me = { name: "ann", roles: ["manager"] };
  const decided = (decision: object) => hear(event("approval.decided", { id: "apr_1", decision }), all, me);
  expect(decided({ by: "bob", act: "delegate", to: "cem" })).toBe(false);
  expect(decided({ by: "bob", act: "escalate", to: "role:owner" })).toBe(false);
  expect(decided({ by: "ann", act: "escalate" })).toBe(false);
  expect(decided({ by: "bob", act: "approve" })).toBe(false);
  expect([...all.approvals]).toEqual([]);
  expect(decided({ by: "bob", act: "delegate", to: "ann" })).toBe(true);
  all.approvals.clear();
  expect(decided({ by: "bob", act: "escalate", to: "role:manager" })).toBe(true);
  expect(decided({ by: "bob", act: "escalate" })).toBe(true);
  expect(hear(event("approval.reminder", { id: "apr_2" }), all, me)).toBe(true);
  expect(hear(event("approval.reminder", { id: "apr_1" }), all, me)).toBe(true);
  expect([...all.approvals]).toEqual([
    ["apr_1", "new"],
    ["apr_2", "reminder"],
  ]);
  expect(hear(event("run.failed", {}), all, me)).toBe(true);
  expect([...all.runs]).toEqual(["run_1"]);
});

test("runs that stop are told, and pauses unless the user paused them", () => {
  const all = nothing();
  const me = { name: "ann", roles: [] };
  expect(hear(event("run.paused", {}, { kind: "person", name: "ann" }), all, me)).toBe(false);
  expect(all.runs.size).toBe(0);
  expect(hear(event("run.paused", {}), all, me)).toBe(true);
  expect(hear(event("run.limit_reached", {}), all, me)).toBe(true);
  expect(hear(event("run.unpaused", {}), all, me)).toBe(false);
});

test("a notice of runs says what happened to them, and why", () => {
  const run = { id: "run_1", workflow: "order-check", status: "failed" as const, error: "card declined", owner: "ann" };
  const went: unknown[] = [];
  const say = (...runs: Parameters<typeof sayRuns>[0]) => sayRuns(runs, (to) => went.push(to));
  expect(say({ ...run, subject: "A-1" })).toMatchObject({
    title: "Your run failed",
    detail: "Order check · A-1: card declined",
    tone: "bad",
  });
  expect(say({ ...run, error: "x".repeat(1000) }).detail).toHaveLength("Order check: ".length + 161);
  const paused = { ...run, id: "run_2", status: "paused" as const, error: null };
  expect(say(paused)).toMatchObject({ title: "Your run was paused", detail: "Order check", tone: "info" });
  expect(say(paused, { ...paused, id: "run_3" })).toMatchObject({ title: "2 of your runs were paused", tone: "info" });
  expect(say({ ...run, status: "limit_reached" }).title).toBe("Your run stopped at a limit");
  expect(say(run, run).title).toBe("2 of your runs failed");
  const mixed = say(run, paused);
  expect(mixed).toMatchObject({ title: "2 of your runs stopped", tone: "bad" });
  mixed.action?.onSelect();
  expect(went).toEqual([{ to: "/runs", search: { status: "failed,paused", owner: "ann" } }]);
});

test("one notice stands for all that is left, until it is dismissed", () => {
  forgetToasts();
  const told = new Standing<{ id: string }>((items) => ({ title: items.map(({ id }) => id).join(" ") }));
  const go = () => {};
  expect(toastTitles()).toEqual([]);
  told.add([{ id: "a" }, { id: "b" }], go);
  told.add([{ id: "c" }], go);
  expect(toastTitles()).toEqual(["a b c"]);
  told.drop("b");
  told.drop("unknown");
  expect(toastTitles()).toEqual(["a c"]);
  for (let n = 0; n < 9; n++) toast({ title: `passing ${n}` });
  expect(toastTitles()).toEqual(["a c", "passing 5", "passing 6", "passing 7", "passing 8"]);
  forgetToasts(); // dismissed
  told.drop("a");
  expect(toastTitles()).toEqual([]);
  told.add([{ id: "d" }], go);
  expect(toastTitles()).toEqual(["d"]);
  told.drop("d");
  expect(toastTitles()).toEqual([]);
});

test("sound is off until somebody turns it on", () => {
  expect(soundOn()).toBe(false);
  setSound(true);
  expect(soundOn()).toBe(true);
  setSound(false);
  expect(soundOn()).toBe(false);
});

test("a browser remembers who turned push messages on", () => {
  expect(device()).toBeUndefined();
  setDevice({ id: "a1", person: "Ann of Green Gables" });
  expect(device()).toEqual({ id: "a1", person: "Ann of Green Gables" });
  expect(device()).toBe(device()); // React compares
  localStorage.setItem("assent.push", "broken");
  expect(device()).toBeUndefined();
  setDevice(undefined);
  expect(device()).toBeUndefined();
});

test("browsers have names", () => {
  const names = {
    "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0": "Firefox on Android",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604.1":
      "Safari on iPhone",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0":
      "Edge on Windows",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36":
      "Chrome on Linux",
    curl: "Browser",
  };
  for (const [agent, name] of Object.entries(names)) expect(browserName(agent)).toBe(name);
});

test("quiet hours are those of a time zone, and may cross midnight", () => {
  const night = { from: "22:00", to: "07:00", timezone: "Europe/Berlin" };
  const at = (time: string) => new Date(`2026-01-15T${time}:00Z`); // Berlin is an hour ahead
  expect(["20:59", "21:00", "23:30", "05:59", "06:00"].map((time) => quietAt(night, at(time)))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  const noon = { from: "12:00", to: "13:00" };
  expect(["11:59", "12:00", "12:59", "13:00"].map((time) => quietAt(noon, at(time)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(quietAt(undefined, at("00:00"))).toBe(false);
  expect(quietAt({ from: "x", to: "07:00" }, at("00:00"))).toBe(false);
  expect(quietAt({ from: "00:00", to: "23:59", timezone: "Nowhere/Nowhere" }, at("12:00"))).toBe(false);
});
