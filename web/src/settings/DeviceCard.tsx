import { useMutation, useQueryClient } from "@tanstack/react-query";
import { BellOff, BellRing } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "../api";
import { useMyPushes, useRemovePush, useTestPush } from "../api/notifications";
import { keys } from "../api/queries";
import { isOn, type Missing, missing, NotAllowed, turnOff, turnOn } from "../notices/device";
import { useDevice } from "../notices/settings";
import { Badge, Button, Card, ErrorNote, Skeleton, Time, toast } from "../ui";
import { keepFocus } from "../ui/returnFocus";

const why: Record<Missing, string> = {
  insecure: "Push messages need https, or a server on this machine. Ask your administrator for an https address.",
  ios: "On iPhone and iPad, add Assent to the Home Screen first: Share, then Add to Home Screen. Then open it there.",
  unsupported: "This browser does not support push messages.",
};

/** Push messages in this browser, and the user's other browsers. */
export function DeviceCard() {
  const lacks = missing();
  return (
    <Card title="Push messages">
      <p className="mb-3 text-muted">
        A short message on this device when something waits for you, also while Assent is closed. It contains the
        question; you decide in Assent.
      </p>
      {lacks ? <p>{why[lacks]}</p> : <ThisBrowser />}
      <Browsers />
    </Card>
  );
}

function ThisBrowser() {
  const { data: me } = useMe();
  const client = useQueryClient();
  const device = useDevice();
  const { data: list } = useMyPushes();
  const known = list?.items.some((b) => b.id === device?.id) ?? true;
  const on = me !== undefined && isOn(me.name) && known;
  const change = useMutation({
    mutationFn: async (to: { on: boolean; name: string }) => (to.on ? turnOn(to.name) : turnOff()),
    onSettled: () => client.invalidateQueries({ queryKey: keys.myPushes }),
    retry: false,
  });
  const test = useTestPush();
  if (!me) return <Skeleton className="h-9" />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <State on={on} />
        <span className="flex-1" />
        {on && device && (
          <Button
            loading={test.isPending}
            onClick={() =>
              test.mutate(
                { id: device.id },
                {
                  onSuccess: () => toast({ title: "Test message sent", detail: "It appears in a moment.", tone: "ok" }),
                },
              )
            }
          >
            Send a test message
          </Button>
        )}
        <Button
          look={on ? "outlined" : "filled"}
          loading={change.isPending}
          onClick={() => change.mutate({ on: !on, name: me.name })}
        >
          {on ? "Turn off" : "Turn on in this browser"}
        </Button>
      </div>
      <Trouble error={change.error ?? test.error} />
    </>
  );
}

function State({ on }: { on: boolean }) {
  return (
    <Badge tone={on ? "ok" : "neutral"} icon={on ? BellRing : BellOff}>
      {on ? "On in this browser" : "Off in this browser"}
    </Badge>
  );
}

function Trouble({ error }: { error: unknown }): ReactNode {
  if (!error) return null;
  if (error instanceof NotAllowed)
    return (
      <p role="alert" className="mt-2 text-bad-text">
        Your browser blocks notifications from this site. Allow them in the site settings beside the address, then try
        again.
      </p>
    );
  if (error instanceof DOMException)
    return (
      <p role="alert" className="mt-2 text-bad-text">
        Your browser could not subscribe: its push service is not reachable or is turned off.
      </p>
    );
  return (
    <div className="mt-2">
      <ErrorNote error={error} />
    </div>
  );
}

/** All browsers of the user. One that was lost can be removed from here. */
function Browsers() {
  const { data: list, error } = useMyPushes();
  const device = useDevice();
  const remove = useRemovePush();
  if (error) return <ErrorNote error={error} />;
  if (!list || list.items.length === 0) return null;
  return (
    <>
      <h3 className="mt-4 mb-1 text-small font-semibold">Your browsers</h3>
      <ul className="divide-y rounded-md border">
        {list.items.map((browser) => (
          <li key={browser.id} className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
            <span className="min-w-0 flex-1 basis-40 break-words">
              {browser.browser || "Browser"}
              {browser.id === device?.id && <span className="text-muted"> · this one</span>}
            </span>
            <span className="text-small text-muted">
              last used <Time at={browser.renewed_at} />
            </span>
            {browser.id !== device?.id && (
              <Button
                size="small"
                aria-label={`Remove ${browser.browser || "this browser"}`}
                loading={remove.isPending && remove.variables.id === browser.id}
                onClick={() => {
                  keepFocus();
                  remove.mutate({ id: browser.id });
                }}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
