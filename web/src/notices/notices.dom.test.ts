import { expect, test } from "vitest";
import { raw } from "../json";
import { hear } from "./arrivals";
import { browserName } from "./device";
import { quietAt } from "./quiet";
import { device, setDevice, setSound, soundOn } from "./settings";

const event = (type: string, data: object) => ({ type, run: "run_1", data: raw(JSON.stringify(data)) });

test("approvals that arrive are kept until they are settled, and not without end", () => {
  const heard = new Set<string>();
  expect(hear(event("approval.needed", { id: "apr_1" }), heard)).toBe(true);
  expect(hear(event("approval.escalated", { approval: "apr_2" }), heard)).toBe(true);
  expect(hear(event("approval.commented", { approval: "apr_3" }), heard)).toBe(false);
  expect(hear(event("run.completed", { id: "run_1" }), heard)).toBe(false);
  expect([...heard]).toEqual(["apr_1", "apr_2"]);
  expect(hear(event("approval.resolved", { approval: "apr_1" }), heard)).toBe(false);
  expect([...heard]).toEqual(["apr_2"]);
  for (let i = 0; i < 1000; i++) hear(event("approval.needed", { id: `apr_n${i}` }), heard);
  expect(heard.size).toBe(200);
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
