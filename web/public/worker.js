// The service worker shows push messages, and does nothing else. It has no fetch handler and no cache: pages and data
// always come from the server, so an upgrade is in force with the next page and nothing is readable offline.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** What a message says: internal/notify/push/payload.go. Anything else is shown as a plain notice. */
function read(data) {
  try {
    const said = data.json();
    if (typeof said === "object" && said !== null && typeof said.title === "string") return said;
  } catch {
    // Not ours, or damaged.
  }
  return { title: "Assent", line: "Something happened.", open: "/inbox", tag: "unknown" };
}

self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));

async function show({ title, line, open, tag, key, at, settled, asks }) {
  const shown = await self.registration.getNotifications({ tag });
  const again = key !== undefined && shown.some((old) => old.data?.key === key);
  const windows = await self.clients.matchAll({ type: "window" });
  // The page in front shows it, and says so itself.
  const watched = windows.some((client) => client.visibilityState === "visible" && client.focused);
  if (settled && shown.length === 0 && watched) return;
  await self.registration.showNotification(title, {
    body: line ?? "",
    tag,
    data: { open, key },
    timestamp: at,
    icon: "/icon-192.png",
    badge: "/badge-96.png",
    // Rewriting what is shown is no reason to ring again, nor is a message that arrives twice, but a reminder is.
    silent: settled === true || again,
    renotify: settled !== true && !again,
    requireInteraction: asks === true,
  });
  await count();
}

/** The number on the icon of the installed app: what waits according to the notifications that are shown. */
async function count() {
  if (!("setAppBadge" in self.navigator)) return;
  const asking = (await self.registration.getNotifications()).filter((n) => n.requireInteraction);
  await (asking.length > 0 ? self.navigator.setAppBadge(asking.length) : self.navigator.clearAppBadge()).catch(
    () => {},
  );
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.open));
});

/** Opens a page of this server in a window that is there, or in a new one. */
async function open(path) {
  const url = new URL(typeof path === "string" ? path : "/inbox", self.location.origin);
  const target = url.origin === self.location.origin ? url.href : `${self.location.origin}/inbox`;
  await count();
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const windows = all.filter((client) => !new URL(client.url).pathname.startsWith("/api/"));
  const there = windows.find((client) => client.url === target) ?? windows[0];
  if (!there) return self.clients.openWindow(target);
  await there.focus().catch(() => {});
  if (there.url !== target && !(await asked(there, target))) {
    await there.navigate(target).catch(() => self.clients.openWindow(target));
  }
}

/** How long a page may take to answer. */
const answerMs = 1500;

/** Asks a page to go somewhere by itself, so that a decision in progress and typed text are kept. */
function asked(client, target) {
  const { port1, port2 } = new MessageChannel();
  client.postMessage({ kind: "open", path: target.slice(self.location.origin.length) }, [port2]);
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), answerMs);
  });
}

// The browser replaced its subscription: tell the server where messages go from now on.
self.addEventListener("pushsubscriptionchange", (event) => {
  const options = event.oldSubscription?.options ?? event.newSubscription?.options;
  if (options) event.waitUntil(renew(event.newSubscription, options));
});

async function renew(fresh, options) {
  const subscription = fresh ?? (await self.registration.pushManager.subscribe(options));
  const { endpoint, keys } = subscription.toJSON();
  await fetch("/api/v1/me/push", {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ endpoint, keys }),
  });
}
