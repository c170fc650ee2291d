import { api, data } from "../api/client";
import { device, setDevice } from "./settings";

/** Why this browser cannot get push messages. */
export type Missing = "insecure" | "ios" | "unsupported";

/** Whether this browser can get push messages. On iPhones only the installed app can. */
export function missing(): Missing | undefined {
  if (!isSecureContext) return "insecure";
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return undefined;
  return /iPhone|iPad/.test(navigator.userAgent) ? "ios" : "unsupported";
}

/** The name of this browser, for the list of a person's browsers. */
export function browserName(agent = navigator.userAgent): string {
  const browsers: [RegExp, string][] = [
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/SamsungBrowser/, "Samsung Internet"],
    [/Firefox|FxiOS/, "Firefox"],
    [/Chrome|CriOS|Chromium/, "Chrome"],
    [/Safari/, "Safari"],
  ];
  const systems: [RegExp, string][] = [
    [/iPhone/, "iPhone"],
    [/iPad/, "iPad"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "Mac"],
    [/CrOS/, "ChromeOS"],
    [/Linux/, "Linux"],
  ];
  const first = (list: [RegExp, string][]) => list.find(([sign]) => sign.test(agent))?.[1];
  return [first(browsers) ?? "Browser", first(systems)].filter(Boolean).join(" on ");
}

const worker = () => navigator.serviceWorker.register("/worker.js", { updateViaCache: "none" });

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (c) => c.charCodeAt(0));
}

function same(a: ArrayBuffer | null | undefined, b: Uint8Array): boolean {
  if (!a) return false;
  const bytes = new Uint8Array(a);
  return bytes.length === b.length && bytes.every((v, i) => v === b[i]);
}

/** The subscription of this browser; one with another key is replaced, since messages signed with ours would fail. */
async function subscription(): Promise<PushSubscription> {
  const registration = await worker();
  await navigator.serviceWorker.ready;
  const { key } = await data(api.GET("/api/v1/push/key", {}));
  const wanted = bytesOf(key);
  const there = await registration.pushManager.getSubscription();
  if (there && same(there.options.applicationServerKey, wanted)) return there;
  await there?.unsubscribe();
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
}

/**
 * One after the other, in all tabs: a page that has just been opened may still be telling the server where this browser
 * can be reached when it is turned off.
 */
const inTurn = (act: () => Promise<void>): Promise<void> => navigator.locks.request("assent.push", act);

async function put(person: string): Promise<void> {
  const { endpoint, keys } = (await subscription()).toJSON();
  const body = { endpoint: endpoint ?? "", keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" } };
  const { id } = await data(api.PUT("/api/v1/me/push", { body: { ...body, browser: browserName() } }));
  setDevice({ id, person });
}

/** The person did not allow notifications. */
export class NotAllowed extends Error {}

/** Turns push messages on in this browser. Browsers ask the person, and only after a click. */
export async function turnOn(person: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new NotAllowed();
  await inTurn(() => put(person));
}

/** Turns them off, here and on the server. */
export async function turnOff(): Promise<void> {
  await inTurn(async () => {
    const id = device()?.id;
    setDevice(undefined);
    const registration = await navigator.serviceWorker.getRegistration("/");
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    if (id) await data(api.DELETE("/api/v1/me/push", { params: { query: { id } } }));
  });
}

/** Whether push messages are on in this browser, for this person. */
export const isOn = (person: string | undefined) =>
  device()?.person === person && missing() === undefined && Notification.permission === "granted";

/** Tells the server again where this browser can be reached: signing out has removed it, and it counts for 30 days. */
export async function renew(person: string): Promise<void> {
  if (isOn(person))
    await inTurn(async () => {
      if (isOn(person)) await put(person);
    });
}

/** Closes the notification of an approval that is settled. */
export async function withdraw(approval: string): Promise<void> {
  if (!("serviceWorker" in navigator) || device() === undefined) return;
  const registration = await navigator.serviceWorker.getRegistration("/");
  for (const shown of (await registration?.getNotifications()) ?? []) {
    const open = (shown.data as { open?: string } | null)?.open ?? "";
    if (open.split("?")[0] === `/approvals/${approval}`) shown.close();
  }
}
