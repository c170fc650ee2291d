import { Check, X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useMay } from "../api";
import { type RoleOrigin, usePermissions, useWhy } from "../api/access";
import { Card, ErrorNote, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { actions, groups, isAction } from "../words/actions";
import { author } from "../words/author";
import type { Question } from "./question";
import { roleText } from "./RolePicker";

interface One {
  action: string;
  allowed: boolean;
  because: string;
  with_role: string[];
}

/** Yes or no, and why. */
export function Answer({ asked }: { asked: Question }) {
  return asked.target === "approval" ? <OnApproval asked={asked} /> : <InGeneral asked={asked} />;
}

function OnApproval({ asked }: { asked: Question }) {
  const { data, error } = useWhy(asked.approval, asked.user, asked.roles);
  if (error) return <ErrorNote error={error} />;
  if (!data) return <SkeletonRows rows={5} />;
  return (
    <Shown
      asked={asked}
      user={data.user}
      items={data.acts.map((one) => ({ ...one, action: one.act }))}
      roles={<Visible text={roleText(data.roles)} />}
    />
  );
}

function InGeneral({ asked }: { asked: Question }) {
  const { data, error } = usePermissions(asked, true);
  if (error) return <ErrorNote error={error} />;
  if (!data) return <SkeletonRows rows={5} />;
  return (
    <Shown
      asked={asked}
      user={data.user}
      items={data.actions}
      roles={<Visible text={data.roles.length > 0 ? data.roles.map(origin).join(", ") : "No roles"} />}
      standsFor={data.for}
      note={
        asked.as === "person" && (asked.action === "" || actions[asked.action].about !== "server")
          ? "This is about runs that others own. The owner of a run, and people who are asked by name, may do more; " +
            "the person who started a run may be excluded from deciding. To check that, choose one approval."
          : undefined
      }
    />
  );
}

function origin(role: RoleOrigin): string {
  const from = role.withdrawn
    ? "withdrawn"
    : role.built_in
      ? "built in"
      : role.version > 0
        ? `saved by ${author(role.by)}`
        : "only a name";
  return `${format.title(role.name)} (${from})`;
}

interface ShownProps {
  asked: Question;
  user: string;
  items: One[];
  roles: ReactNode;
  standsFor?: string[];
  note?: string;
}

function Shown({ asked, user, items, roles, standsFor = [], note }: ShownProps) {
  const card = useRef<HTMLElement>(null);
  const question = JSON.stringify(asked);
  // Below the form, on narrow screens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each question
  useEffect(() => {
    if (!matchMedia("(min-width: 64rem)").matches) card.current?.scrollIntoView({ block: "nearest" });
  }, [question]);
  const only = items.find((one) => one.action === asked.action);
  return (
    <Card
      title={<Visible text={`What ${user} may do`} />}
      flush
      role="region"
      aria-label="Answer"
      ref={card}
      className="scroll-mb-20"
    >
      {only ? <Verdict one={only} user={user} /> : <All items={items} />}
      <div className="space-y-1 border-t px-4 py-3 text-small break-words text-muted">
        <p>Roles checked: {roles}</p>
        {standsFor.length > 0 && (
          <p>
            Stands in for <Visible text={standsFor.join(", ")} />
          </p>
        )}
        {note && <p>{note}</p>}
      </div>
    </Card>
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const wordOf = (name: string) => (isAction(name) ? actions[name].label : format.title(name));

/** The answer about one action. */
function Verdict({ one, user }: { one: One; user: string }) {
  const Icon = one.allowed ? Check : X;
  return (
    <div className="flex items-start gap-3 p-4">
      <span
        className={`flex size-8 shrink-0 items-center justify-center rounded-full ${one.allowed ? "bg-ok-bg text-ok-text" : "bg-bad-bg text-bad-text"}`}
      >
        <Icon aria-hidden className="size-5" />
      </span>
      <div className="min-w-0">
        <p className="mb-0.5 text-control font-semibold break-words">
          <Visible text={`${one.allowed ? `Yes, ${user} may` : `No, ${user} may not`} ${lower(wordOf(one.action))}`} />
        </p>
        <Reason one={one} />
      </div>
    </div>
  );
}

/** Every action, by what it is about. */
function All({ items }: { items: One[] }) {
  const shown = groups
    .map(({ about, title }) => ({
      title,
      items: items.filter((one) => isAction(one.action) && actions[one.action].about === about),
    }))
    .filter((group) => group.items.length > 0);
  return shown.map(({ title, items }, i) => (
    <section key={title} aria-label={title} className={i > 0 ? "border-t" : undefined}>
      <h3 className="px-4 pt-3 pb-1 text-small font-semibold text-muted">{title}</h3>
      <ul aria-label={title} className="divide-y">
        {items.map((one) => {
          const Icon = one.allowed ? Check : X;
          return (
            <li key={one.action} className="flex items-start gap-3 px-4 py-2.5">
              <Icon
                role="img"
                aria-label={one.allowed ? "Allowed" : "Not allowed"}
                className={`mt-0.5 size-4 shrink-0 ${one.allowed ? "text-ok-text" : "text-bad-text"}`}
              />
              <div className="min-w-0">
                <p className="font-medium">{wordOf(one.action)}</p>
                <Reason one={one} />
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  ));
}

/** A reason as a sentence about the approval that was chosen, not about its id. */
function sentence(because: string): string {
  const text = because.replace(/\bapr_[0-9a-z_]+/g, "this approval");
  return /^(the|this|it|not|no)\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** By which role or rule, and what would be needed. */
function Reason({ one }: { one: One }) {
  const may = useMay();
  const told = !one.allowed && may("admin"); // only administrators are told which roles exist
  return (
    <div className="text-small break-words text-muted">
      <p>
        <Visible text={sentence(one.because)} />
      </p>
      {told && (
        <p>
          {one.with_role.length > 0 ? (
            <>
              {one.with_role.length > 1 ? "One of these roles would allow it: " : "This role would allow it: "}
              <Visible text={roleText(one.with_role)} />
            </>
          ) : (
            "No other role would allow it."
          )}
        </p>
      )}
    </div>
  );
}
