import { Check, X } from "lucide-react";
import { useState } from "react";
import { useApprovals } from "../api";
import { useAccounts, useWhy } from "../api/access";
import type { Act } from "../api/types";
import { Button, Card, ErrorNote, Field, Input, Select, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { act, format } from "../words";
import { roleText } from "./RolePicker";

const others: Record<string, string> = { see: "View it", comment: "Comment" };
const wordOf = (name: string) =>
  others[name] ?? (Object.hasOwn(act, name) ? act[name as Act].label : format.title(name));

/** Why a person may or may not decide an approval. */
export function Why() {
  const { data: accounts } = useAccounts();
  const { data: approvals } = useApprovals({ limit: 50, sort: "newest" });
  const [user, setUser] = useState("");
  const [roles, setRoles] = useState("");
  const [approval, setApproval] = useState("");
  const [asked, setAsked] = useState({ user: "", roles: [] as string[], approval: "" });
  const { data, error, isFetching } = useWhy(asked.approval, asked.user, asked.roles);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[2fr_3fr]">
      <Card title="Question">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const list = roles
              .split(",")
              .map((role) => role.trim())
              .filter(Boolean);
            setAsked({ user: user.trim(), roles: list, approval });
          }}
        >
          <datalist id="people">
            {accounts?.items.map((one) => (
              <option key={one.name} value={one.name} />
            ))}
          </datalist>
          <Field label="May this person">
            <Input list="people" autoComplete="off" value={user} onChange={(e) => setUser(e.target.value)} />
          </Field>
          <Field label="With these roles" hint="Empty: those of the account. Separate several with commas.">
            <Input autoComplete="off" value={roles} onChange={(e) => setRoles(e.target.value)} />
          </Field>
          <Field label="Decide this approval">
            <Select
              className="w-full"
              value={approval}
              placeholder="Choose an approval"
              onValueChange={setApproval}
              options={(approvals?.items ?? []).map((one) => ({ value: one.id, label: one.title }))}
            />
          </Field>
          <Button type="submit" look="filled" disabled={user.trim() === "" || approval === ""}>
            Explain
          </Button>
        </form>
      </Card>
      <div aria-live="polite">
        {error && <ErrorNote error={error} />}
        {isFetching && !data && <SkeletonRows rows={5} />}
        {!data && !error && !isFetching && (
          <p className="rounded-md border border-dashed p-6 text-center text-muted">
            Choose a person and an approval. You see what they may do, and by which role or rule.
          </p>
        )}
        {data && !error && (
          <Card title={`What ${data.user} may do`} flush role="region" aria-label="Answer">
            <p className="px-4 py-2.5 text-small text-muted">
              Roles checked: <Visible text={roleText(data.roles)} />
            </p>
            <ul aria-label="Acts" className="divide-y border-t">
              {data.acts.map((one) => {
                const Icon = one.allowed ? Check : X;
                return (
                  <li key={one.act} className="flex items-start gap-3 px-4 py-2.5">
                    <Icon
                      role="img"
                      aria-label={one.allowed ? "Allowed" : "Not allowed"}
                      className={`mt-0.5 size-4 shrink-0 ${one.allowed ? "text-ok-text" : "text-bad-text"}`}
                    />
                    <div className="min-w-0">
                      <p className="font-medium">{wordOf(one.act)}</p>
                      <p className="text-small break-words text-muted">
                        <Visible text={one.because} />
                      </p>
                    </div>
                  </li>
                );
              })}
            </ul>
          </Card>
        )}
      </div>
    </div>
  );
}
