import type { ChannelKind } from "../api/notifications";

/** The keys of each kind of channel, in the order in which people write them. */
export const fieldsOf = {
  email: ["smtp", "password", "from", "to", "plaintext", "dkim"],
  slack: ["token", "signing_secret", "to", "base_url"],
  teams: ["url", "bot"],
  webhook: ["url", "secret", "signing_key"],
  push: [],
} as const satisfies Record<ChannelKind, readonly string[]>;

export const channelOrder = {
  keys: ["channel", "kind", "description", ...new Set(Object.values(fieldsOf).flat())],
} as const;

export const channelTemplate = 'channel: ""\nkind: email\nsmtp: ""\nfrom: ""\n';

export const defaultsOrder = { keys: ["notifications", "description", "events"] } as const;
export const defaultsTemplate = "notifications: default\nevents: {}\n";
export const defaultsName = "default";

/** Words for the pages themselves, which documents may use as well. */
const pages: readonly string[] = ["in_app", "dashboard"];

/** A channel that documents refer to, by its name or its kind; one that is not there says so. */
export const referred = (name: string, channels: readonly { name: string; kind: string }[]): string =>
  pages.includes(name) || Object.hasOwn(fieldsOf, name) || channels.some((one) => one.name === name)
    ? name
    : `${name} (deleted)`;

export const isKind = (value: unknown): value is ChannelKind =>
  typeof value === "string" && Object.hasOwn(fieldsOf, value);

/** Where to read how a channel of a kind is set up. */
export const guide = (kind: ChannelKind): string => `docs/channels-${kind}.md`;
