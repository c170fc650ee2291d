import { Ban, CircleCheck, Ellipsis, KeyRound, Shield, Trash2, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import { useMe } from "../api";
import { type Account, useAccounts, usePutAccount, useRemoveAccount } from "../api/access";
import {
  Avatar,
  Badge,
  Button,
  Card,
  Dialog,
  EmptyState,
  ErrorNote,
  Field,
  IconButton,
  Input,
  Menu,
  MenuItem,
  MenuSeparator,
  SkeletonRows,
  Time,
} from "../ui";
import { Visible } from "../ui/Visible";
import { Once } from "./Once";
import { RolePicker, roleText } from "./RolePicker";
import { newPassword } from "./secret";

type Doing = { what: "invite" } | { what: "roles" | "password" | "disable" | "remove"; account: Account };

/** The people who sign in here. */
export function Accounts() {
  const { data, error } = useAccounts();
  const { data: me } = useMe();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  return (
    <>
      {me?.local && (
        <p className="mb-4 rounded-md bg-info-bg px-4 py-3 text-info-text">
          This server runs in local mode: no sign-in is needed on this machine. Accounts count once sign-in is on.
        </p>
      )}
      <Card
        title="Accounts"
        flush
        actions={
          <Button size="small" onClick={() => setDoing({ what: "invite" })}>
            <UserPlus aria-hidden /> Invite
          </Button>
        }
      >
        {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={3} />}
        {data?.items.length === 0 && (
          <EmptyState icon={Users} title="No accounts">
            Invite the people who approve, watch or administer. People of an identity provider need no account.
          </EmptyState>
        )}
        <ul aria-label="Accounts" className="divide-y">
          {data?.items.map((account) => (
            <li key={account.name} className="flex items-center gap-3 px-4 py-2.5">
              <Avatar name={account.name} decorative />
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 font-medium">
                  <span className="min-w-0 break-words">
                    <Visible text={account.name} />
                  </span>
                  {account.name === me?.name && <Badge tone="accent">You</Badge>}
                  {account.disabled && <Badge tone="bad">Disabled</Badge>}
                </p>
                <p className="text-small break-words text-muted">
                  <Visible text={roleText(account.roles)} />
                  {" · "}
                  {account.signed_in_at ? (
                    <>
                      signed in <Time at={account.signed_in_at} />
                    </>
                  ) : (
                    "never signed in"
                  )}
                </p>
              </div>
              <More account={account} onDo={setDoing} />
            </li>
          ))}
        </ul>
      </Card>
      {doing?.what === "invite" && <Invite taken={data?.items.map((one) => one.name) ?? []} onClose={close} />}
      {doing?.what === "roles" && <EditRoles account={doing.account} onClose={close} />}
      {doing?.what === "password" && <ResetPassword account={doing.account} onClose={close} />}
      {doing?.what === "disable" && <Disable account={doing.account} onClose={close} />}
      {doing?.what === "remove" && <Remove account={doing.account} onClose={close} />}
    </>
  );
}

function More({ account, onDo }: { account: Account; onDo: (doing: Doing) => void }) {
  const choose = (what: "roles" | "password" | "disable" | "remove") => () => onDo({ what, account });
  return (
    <Menu
      trigger={
        <IconButton label={`Change ${account.name}`}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem icon={Shield} onSelect={choose("roles")}>
        Change roles
      </MenuItem>
      <MenuItem icon={KeyRound} onSelect={choose("password")}>
        New password
      </MenuItem>
      <MenuItem icon={account.disabled ? CircleCheck : Ban} onSelect={choose("disable")}>
        {account.disabled ? "Enable" : "Disable"}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} tone="bad" onSelect={choose("remove")}>
        Remove
      </MenuItem>
    </Menu>
  );
}

function Invite({ taken, onClose }: { taken: string[]; onClose: () => void }) {
  const put = usePutAccount();
  const [name, setName] = useState("");
  const [roles, setRoles] = useState<string[]>(["approver"]);
  const [password] = useState(newPassword);
  const wrong = taken.includes(name.trim()) ? "This name is taken" : undefined;
  if (put.data)
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={`${put.data.name} can sign in`}
        footer={
          <Button look="filled" onClick={onClose}>
            Done
          </Button>
        }
      >
        <p className="mb-3">
          Tell them the address <code className="break-all">{location.origin}</code>, the name{" "}
          <strong>{put.data.name}</strong>, and this password.
        </p>
        <Once
          label="First password"
          secret={password}
          note="It is shown only now. They can change it after signing in."
        />
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Invite a person"
      description="Creates an account with a first password, which you pass on."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={put.isPending}
            disabled={name.trim() === "" || wrong !== undefined}
            onClick={() => put.mutate({ name: name.trim(), only: "create", change: { password, roles } })}
          >
            Create account
          </Button>
        </>
      }
    >
      <Field label="Name" hint="How they sign in, and how decisions are recorded" error={wrong}>
        <Input value={name} autoComplete="off" autoFocus onChange={(e) => setName(e.target.value)} />
      </Field>
      <RolePicker value={roles} onChange={setRoles} />
      {put.error && <ErrorNote error={put.error} />}
    </Dialog>
  );
}

function EditRoles({ account, onClose }: { account: Account; onClose: () => void }) {
  const put = usePutAccount();
  const [roles, setRoles] = useState(account.roles);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Roles of ${account.name}`}
      description="They count at once, in every open session."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={put.isPending}
            onClick={() =>
              put.mutate({ name: account.name, only: "change", change: { roles } }, { onSuccess: onClose })
            }
          >
            Save
          </Button>
        </>
      }
    >
      <RolePicker value={roles} onChange={setRoles} />
      {put.error && <ErrorNote error={put.error} />}
    </Dialog>
  );
}

function ResetPassword({ account, onClose }: { account: Account; onClose: () => void }) {
  const put = usePutAccount();
  const [password] = useState(newPassword);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`New password for ${account.name}`}
      description={put.data ? undefined : "They are signed out everywhere, and need the new one."}
      footer={
        put.data ? (
          <Button look="filled" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="filled"
              loading={put.isPending}
              onClick={() => put.mutate({ name: account.name, only: "change", change: { password } })}
            >
              Set a new password
            </Button>
          </>
        )
      }
    >
      {put.data && (
        <Once
          label="New password"
          secret={password}
          note="It is shown only now. They can change it after signing in."
        />
      )}
      {put.error && <ErrorNote error={put.error} />}
    </Dialog>
  );
}

function Disable({ account, onClose }: { account: Account; onClose: () => void }) {
  const put = usePutAccount();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${account.disabled ? "Enable" : "Disable"} ${account.name}`}
      description={
        account.disabled
          ? "They can sign in again, with the same roles."
          : "They are signed out everywhere and can't sign in until you enable the account."
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={account.disabled ? "filled" : "danger"}
            loading={put.isPending}
            onClick={() =>
              put.mutate(
                { name: account.name, only: "change", change: { disabled: !account.disabled } },
                { onSuccess: onClose },
              )
            }
          >
            {account.disabled ? "Enable" : "Disable"}
          </Button>
        </>
      }
    >
      {put.error && <ErrorNote error={put.error} />}
    </Dialog>
  );
}

function Remove({ account, onClose }: { account: Account; onClose: () => void }) {
  const remove = useRemoveAccount();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Remove ${account.name}`}
      description="They are signed out everywhere, and their tokens are revoked. Their decisions stay in the record."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            loading={remove.isPending}
            onClick={() => remove.mutate({ name: account.name }, { onSuccess: onClose })}
          >
            Remove
          </Button>
        </>
      }
    >
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
