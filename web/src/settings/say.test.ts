import { expect, test } from "vitest";
import type { Setting } from "../api/settings";
import { bySubject, matches, settingName, settingValue } from "./say";

const one = (name: string, more: Partial<Setting> = {}): Setting => ({
  name,
  summary: "",
  value: "",
  secret: false,
  set: false,
  source: "default",
  from: "default",
  flag: `--${name}`,
  env: `ASSENT_${name}`,
  ...more,
});

test("settings have a subject; new ones are not lost", () => {
  const groups = bySubject([one("retain_runs"), one("new_thing"), one("addr"), one("oidc_issuer")]);
  expect(groups.map(({ name, items }) => [name, items.map((i) => i.name)])).toEqual([
    ["Server", ["addr"]],
    ["Sign-in", ["oidc_issuer"]],
    ["Retention", ["retain_runs"]],
    ["Other", ["new_thing"]],
  ]);
});

test("names in words", () => {
  expect(["addr", "oidc_client_id", "public_url", "log_level"].map(settingName)).toEqual([
    "Address",
    "OIDC client ID",
    "Public URL",
    "Log level",
  ]);
});

test("values in words", () => {
  const shown = [
    ["retain_runs", "0s"],
    ["session_idle", "8h0m0s"],
    ["session_idle", "1h30m0s"],
    ["drain", "30s"],
    ["allow_private", "false"],
  ].map(([name = "", value]) => settingValue(one(name, { value })));
  expect(shown).toEqual(["Forever", "8h", "1h30m", "30s", "No"]);
});

test("all words have to be found", () => {
  const level = one("log_level", { value: "warn", summary: "log level" });
  expect(matches(level, "LOG warn")).toBe(true);
  expect(matches(level, "log drain")).toBe(false);
});
