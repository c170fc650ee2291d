/** The keys in the order in which people write them. */
export const order = {
  schedules: {
    keys: ["schedule", "description", "cron", "timezone", "workflow", "input", "overlap", "catch_up", "enabled"],
  },
  triggers: {
    keys: ["trigger", "description", "workflow", "verify", "secret", "map", "dedupe", "enabled"],
  },
} as const;

/** The zone of this browser, for new schedules. */
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

export const templates = {
  schedules: () => `schedule: ""\ncron: 0 9 * * mon-fri\ntimezone: ${zone()}\nworkflow: ""\n`,
  triggers: () => 'trigger: ""\nworkflow: ""\nverify: standard\nsecret: ""\n',
};
