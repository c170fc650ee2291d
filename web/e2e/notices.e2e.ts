import type { CDPSession, Page, Worker } from "playwright-core";
import { describe, expect } from "vitest";
import { becomes, gone, type Json, leadsTo, patiently, refusing, says, see, stage, story, until } from "./harness";

describe("what is new", () => {
  const at = stage();
  const ann = at.person("ann", "approver");
  const bob = at.person("bob", "approver");
  const carl = at.person("carl", "admin");

  story("a notice, the title and the icon tell of an approval; several at once are one notice", async () => {
    const page = await at.open("/runs", { as: ann });
    const toasts = page.getByRole("region", { name: /^Notifications/ }).getByRole("listitem");
    await until(
      "the watcher",
      async () => (await page.evaluate(() => performance.getEntriesByName("assent.notices").length)) > 0,
    );
    let one: Json;
    await patiently(page, async () => {
      one = await ann.asked("refund", { customer: "Nora", amount: 10 });
      await says(toasts, one.title);
      await until("the title", async () => /^\(1\) Runs/.test(await page.title()));
      const icon = page.locator('link[rel="icon"]');
      await until("the icon", async () => /^data:image\/svg/.test((await icon.getAttribute("href")) ?? ""));
      await at.look(page);
      await toasts.getByRole("button", { name: "Open" }).click();
      await leadsTo(page, new RegExp(`^/approvals/${one.id}`));
    });
    // Not while the person types; and those that arrive meanwhile are one.
    await page.goBack();
    const field = page.getByRole("textbox", { name: "Started by" });
    await field.click();
    await Promise.all([1, 2, 3].map((n) => ann.asked("refund", { customer: `C${n}`, amount: n })));
    await until("the count", async () => /^\(4\) Runs/.test(await page.title()));
    expect(await page.getByText("waiting for you").count()).toBe(0);
    await field.blur();
    await see(toasts.filter({ hasText: "3 new approvals waiting for you" }));
    await ann.decide(one.id, "approve");
    await until("the count", async () => /^\(3\) Runs/.test(await page.title()));
    // The notice stays, and counts what is left.
    const { items } = await ann.get("/approvals?status=pending&mine=true");
    const [first, second, third] = items as Json[];
    await ann.decide(first.id, "approve");
    await see(toasts.filter({ hasText: "2 new approvals waiting for you" }));
    await ann.decide(second.id, "approve");
    await see(toasts.filter({ hasText: third.title }));
    await toasts.getByRole("button", { name: "Close" }).click();
    await gone(toasts);
    // What another person hands over arrives again, and goes when it is settled elsewhere.
    await bob.decide(third.id, "delegate", { to: "ann", comment: "You know the customer." });
    await see(toasts.filter({ hasText: "Pay the refund?" }));
    await ann.decide(third.id, "approve");
    await gone(toasts);
    // A run of one's own that failed.
    const failed = await ann.start("fragile");
    await see(toasts.filter({ hasText: "Your run failed" }));
    const { error } = await ann.get(`/runs/${failed}`);
    await see(toasts.filter({ hasText: error.message }));
    await at.look(page);
    await toasts.getByRole("button", { name: "Open" }).click();
    await leadsTo(page, new RegExp(`^/runs/${failed}`));
    await gone(toasts);
    // One that another person paused, until it goes on.
    await page.goBack();
    const { run } = await ann.asked("refund", { customer: "Ola", amount: 12 });
    await see(toasts.filter({ hasText: "Pay the refund?" }));
    await toasts.getByRole("button", { name: "Close" }).click();
    await carl.post(`/runs/${run}/commands`, { type: "pause" });
    await see(toasts.filter({ hasText: "Your run was paused" }));
    await at.look(page);
    await carl.post(`/runs/${run}/commands`, { type: "resume" });
    await gone(toasts);
  });
});

describe("push messages", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  /**
   * Chromium's own push service is not reachable here, so subscribing is the one thing that is replaced: by keys that the
   * page creates, at an address that no server has. The worker, its notifications and the server are the real ones.
   */
  const subscribing = async (page: Page) => {
    await page.context().grantPermissions(["notifications"], { origin: at.server.url });
    await page.addInitScript(() => {
      let there: unknown = null;
      PushManager.prototype.getSubscription = async () => there as PushSubscription | null;
      PushManager.prototype.subscribe = async (options) => {
        const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
        const text = (bytes: ArrayBuffer) =>
          btoa(String.fromCharCode(...new Uint8Array(bytes)))
            .replaceAll("+", "-")
            .replaceAll("/", "_")
            .replaceAll("=", "");
        const keys = {
          p256dh: text(await crypto.subtle.exportKey("raw", pair.publicKey)),
          auth: text(crypto.getRandomValues(new Uint8Array(16)).buffer),
        };
        const key = options?.applicationServerKey as Uint8Array<ArrayBuffer>;
        there = {
          options: { applicationServerKey: key.buffer },
          toJSON: () => ({ endpoint: "https://127.0.0.1:1/push/1", keys }),
          unsubscribe: async () => {
            there = null;
            return true;
          },
        };
        return there as PushSubscription;
      };
    });
  };

  /** Delivers messages to the worker of a page, as the browser does. */
  const postman = async (page: Page) => {
    const cdp: CDPSession = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) =>
      cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const [one] = registrations;
        if (one) resolve(one.registrationId);
      }),
    );
    await cdp.send("ServiceWorker.enable");
    const registrationId = await registered;
    return (message: object) =>
      cdp.send("ServiceWorker.deliverPushMessage", {
        origin: at.server.url,
        registrationId,
        data: JSON.stringify({ tag: "t1", at: Date.now(), ...message }),
      });
  };

  const shown = (page: Page) =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      return (await registration.getNotifications()).map(({ title, body, tag, silent }) => ({
        title,
        body,
        tag,
        silent,
      }));
    });

  /** Delivers a message until it is shown: browsers lose those to a worker that is just starting. */
  const arrives = (page: Page, deliver: (message: object) => Promise<unknown>, message: object) =>
    until("a notification", async () => {
      await deliver(message);
      for (const end = Date.now() + 10_000; Date.now() < end; await page.waitForTimeout(50))
        if ((await shown(page)).length === 1) return true;
      return false;
    });

  /** Clicks the first notification: no part of the page, so there is nothing to point at. */
  const click = (worker: Worker) =>
    worker.evaluate(async () => {
      // The types of workers are not those of pages.
      const scope = globalThis as unknown as EventTarget & { registration: ServiceWorkerRegistration } & {
        NotificationEvent: new (type: string, init: { notification: unknown }) => Event;
      };
      const [notification] = await scope.registration.getNotifications();
      scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
    });

  /** Notes the badge: browsers without windows of installed apps draw none. */
  const badges = (worker: Worker) =>
    worker.evaluate(() => {
      const scope = globalThis as unknown as { navigator: object; badge?: number };
      Object.assign(Object.getPrototypeOf(scope.navigator), {
        setAppBadge: async (n: number) => {
          scope.badge = n;
        },
        clearAppBadge: async () => {
          scope.badge = 0;
        },
      });
    });
  const badge = (worker: Worker) => worker.evaluate(() => (globalThis as unknown as { badge?: number }).badge);

  story("turned on, shown, rewritten when settled, clicked, and turned off", async () => {
    const first = await at.open("/runs", { as: ann, whole: true });
    await subscribing(first);
    await first.goto(`${at.server.url}/settings/notifications`);
    await see(first.getByText("Off in this browser", { exact: true }));
    await at.look(first);
    await first.getByRole("button", { name: "Turn on in this browser" }).click();
    await see(first.getByText("On in this browser", { exact: true }));
    const listed = await ann.get("/me/push");
    expect(listed.items.length).toBe(1);
    await see(first.getByText("this one"));
    await at.look(first);
    // The service cannot be reached, and the person is told so.
    at.guard(first).expectAnswer(409, /\/me\/push\/.*\/test/);
    await first.getByRole("button", { name: "Send a test message" }).click();
    await see(first.getByRole("alert"));

    const deliver = await postman(first);
    const asked = await ann.asked("refund", { customer: "Pia", amount: 10 });
    const open = `/approvals/${asked.id}`;
    await arrives(first, deliver, { title: asked.title, line: "1 approval needed.", open, asks: true });
    expect((await shown(first))[0]).toMatchObject({ title: asked.title, body: "1 approval needed.", silent: false });
    await deliver({ title: asked.title, line: "Maria approved it.", open, settled: true });
    await until("another text", async () => (await shown(first))[0]?.body === "Maria approved it.");
    expect((await shown(first)).length).toBe(1);

    // The icon of the installed app shows how many ask for a decision.
    const [worker] = first.context().serviceWorkers();
    await badges(worker as Worker);
    await deliver({ title: asked.title, open, asks: true });
    await becomes(() => badge(worker as Worker), 1, "the badge");
    await deliver({ title: asked.title, line: "Maria approved it.", open, settled: true });
    await becomes(() => badge(worker as Worker), 0, "the badge");

    // A click goes to the page in the window that is there.
    await click(worker as Worker);
    await leadsTo(first, new RegExp(`^${open}`));
    await becomes(() => shown(first), []);
    expect(first.context().pages().length).toBe(1);
    // It stores no page and no data.
    expect(await first.evaluate(async () => (await caches.keys()).length)).toBe(0);

    // What is settled elsewhere takes its notification with it.
    await arrives(first, deliver, { title: asked.title, open, asks: true });
    await ann.decide(asked.id, "approve");
    await until("no notification", async () => (await shown(first)).length === 0);

    await first.goto(`${at.server.url}/settings/notifications`);
    await first.getByRole("button", { name: "Turn off" }).click();
    await see(first.getByText("Off in this browser", { exact: true }));
    await until("no browser on the server", async () => (await ann.get("/me/push")).items.length === 0);
    await gone(first.getByText("this one"));
  });

  story("messages that are none, or lead elsewhere, stay here", async () => {
    const page = await at.open("/settings/notifications", { as: ann, view: "phone", whole: true });
    await subscribing(page);
    await page.reload();
    await page.getByRole("button", { name: "Turn on in this browser" }).click();
    await see(page.getByText("On in this browser", { exact: true }));
    const deliver = await postman(page);
    await arrives(page, deliver, { title: "Look", open: "https://evil.invalid/", tag: "evil" });
    const [worker] = page.context().serviceWorkers();
    await click(worker as Worker);
    await leadsTo(page, /^\/inbox/);
  });

  story("the app can be installed", async () => {
    const page = await at.open("/inbox", { as: ann, whole: true });
    const cdp = await page.context().newCDPSession(page);
    const { url, errors } = await cdp.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    expect(url).toMatch(/\.webmanifest$/);
    const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
  });
});

describe("the settings and the log of notifications", () => {
  const at = stage();
  const ann = at.person("ann", "approver");

  story("preferences are saved, channels are tried, and a message that failed is sent again", async () => {
    await at.admin.put("/channels/ledger", await refusing("ledger"));
    const page = await at.open("/channels", { as: at.admin });
    await page.getByRole("button", { name: "New channel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("phone");
    await dialog.getByLabel("Mail server").fill("smtp://mail.internal:587"); // goes with the kind
    await dialog.getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: "Push" }).click();
    await dialog.getByLabel("Description").fill("Phones and desktops");
    await at.look(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await see(page.getByText("phone is in force"));
    expect((await at.admin.get("/channels/phone")).yaml).toBe(
      "channel: phone\nkind: push\ndescription: Phones and desktops\n",
    );
    await page.getByRole("button", { name: "Edit what is sent where" }).click();
    // Before anything is chosen, all channels are.
    await dialog.getByRole("group", { name: "An approval needs you" }).getByLabel("phone").click();
    await at.look(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await gone(dialog);
    expect((await at.admin.get("/notifications")).definition.events).toMatchObject({
      "approval.needed": ["ledger"],
      "run.failed": ["ledger", "phone"],
    });
    const mine = await at.open("/settings/notifications", { as: ann });
    await mine.getByRole("combobox", { name: /^Run failed/ }).click();
    await mine.getByRole("option", { name: "Never" }).click();
    await mine.getByRole("combobox", { name: "Quiet hours" }).click();
    await mine.getByRole("option", { name: "Custom" }).click();
    await mine.getByLabel("Until").fill("06:30");
    await mine.getByLabel("E-mail address").fill("ann@example.com");
    await at.look(mine);
    await mine.getByRole("button", { name: "Save" }).click();
    await see(mine.getByText("Saved", { exact: true }));
    expect(await ann.get("/me/notifications")).toMatchObject({
      email: "ann@example.com",
      events: { "run.failed": [] },
      quiet_hours: { from: "22:00", to: "06:30", timezone: "Europe/Berlin" },
    });

    await see(page.getByText("Phones and desktops"));
    await page.getByRole("button", { name: "Test phone" }).click();
    await see(page.getByRole("alert").getByText(/push messages are off in every browser of admin/));
    await at.look(page);
    await ann.put("/me/notifications", {}); // no quiet hours
    const asked = await ann.asked("refund", { customer: "Quinn", amount: 10 });
    const failed = () => at.admin.get(`/deliveries?approval=${asked.id}&status=failed`);
    await until("a message that failed", async () => (await failed()).total > 0);
    await page.getByRole("link", { name: "Sent messages" }).first().click();
    await leadsTo(page, /^\/deliveries/);
    const row = page.getByRole("listitem").filter({ hasText: "responded 410" }).first();
    await see(row);
    await at.look(page);
    const before = (await failed()).items[0].attempts;
    await row.getByRole("button", { name: /^Retry/ }).click();
    await until("another attempt", async () => {
      const [one] = (await at.admin.get(`/deliveries?approval=${asked.id}`)).items;
      return one.status !== "failed" || one.attempts !== before || one.attempts > 1;
    });
    await page.goto(`${at.server.url}/approvals/${asked.id}`);
    await says(
      page.getByRole("region", { name: "Messages" }),
      /Could not tell everyone there on ledger: .*responded 410/,
    );
    await at.look(page);
  });

  story("a channel that is deleted elsewhere is said to be gone, wherever it is on the screen", async () => {
    for (const channel of ["pager", "desk", "shelf"])
      await at.admin.put(`/channels/${channel}`, { channel, kind: "push" });
    const remove = (channel: string) => at.admin.send("DELETE", `/channels/${channel}`);
    await ann.put("/me/notifications", { events: { "run.failed": ["pager"] } });
    const mine = await at.open("/settings/notifications", { as: ann });
    const page = await at.open("/channels", { as: at.admin });
    await see(mine.getByRole("checkbox", { name: "pager", exact: true }));
    await see(page.getByRole("button", { name: "Test pager" }));
    // In a list, and where a person chose it: their other choices can be saved all the same.
    await remove("pager");
    await see(page.getByText("The channel pager was deleted"));
    await gone(page.getByRole("button", { name: "Test pager" }));
    await see(mine.getByRole("checkbox", { name: "pager (deleted)" }));
    await see(mine.getByText(/No channel is left for this/));
    await mine.getByLabel("E-mail address").fill("ann@example.com");
    await at.look(mine);
    await mine.getByRole("button", { name: "Save" }).click();
    await see(mine.getByText("Saved", { exact: true }));
    expect(await ann.get("/me/notifications")).toMatchObject({
      email: "ann@example.com",
      events: { "run.failed": ["pager"] },
    });
    // While it is edited.
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Edit desk" }).click();
    await dialog.getByLabel("Description").fill("Phones and desktops");
    await remove("desk");
    await see(dialog.getByText(/This channel was deleted while you were editing/));
    await at.look(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await gone(dialog);
    // While the user is asked whether to delete it.
    await page.getByRole("button", { name: "Delete shelf" }).click();
    await see(dialog.getByRole("button", { name: "Delete" }));
    await remove("shelf");
    await see(dialog.getByText("This channel has already been deleted."));
    expect(await dialog.getByRole("button", { name: "Delete" }).count()).toBe(0);
    await at.look(page);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await gone(dialog);
  });
});
