import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { type Token, useCreateToken, useRevokeToken, useTokens } from "../api/access";
import type { TokenKind } from "../api/types";
import { Badge, Button, Card, Dialog, EmptyState, ErrorNote, Field, Input, Select, SkeletonRows, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { tokenKind } from "../words";
import { Once } from "./Once";
import { RolePicker, roleText } from "./RolePicker";

/** Credentials of programs, and of people's scripts. */
export function Tokens() {
  const { data, error } = useTokens();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  return (
    <>
      <Card
        title="Tokens"
        flush
        actions={
          <Button size="small" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> Create a token
          </Button>
        }
      >
        {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={3} />}
        {data?.items.length === 0 && (
          <EmptyState icon={KeyRound} title="No tokens">
            A token lets a program use the API: start runs, read results, or work as an agent.
          </EmptyState>
        )}
        <ul aria-label="Tokens" className="divide-y">
          {data?.items.map((token) => (
            <li key={token.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-56">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  <Visible text={token.name} />
                  <Badge
                    tone={tokenKind[token.kind].tone}
                    icon={tokenKind[token.kind].icon}
                    title={tokenKind[token.kind].sentence}
                  >
                    {tokenKind[token.kind].label}
                  </Badge>
                  {token.expires_at && Date.parse(token.expires_at) < Date.now() && <Badge tone="bad">Expired</Badge>}
                </p>
                <p className="text-small break-words text-muted">
                  <Visible text={roleText(token.roles)} /> · created <Time at={token.created_at} /> by{" "}
                  <Visible text={token.created_by} /> ·{" "}
                  {token.last_used_at ? (
                    <>
                      used <Time at={token.last_used_at} />
                    </>
                  ) : (
                    "never used"
                  )}
                  {" · "}
                  {token.expires_at ? (
                    <>
                      expires <Time at={token.expires_at} />
                    </>
                  ) : (
                    "does not expire"
                  )}
                </p>
              </div>
              <Button
                size="small"
                look="danger-outlined"
                aria-label={`Revoke the token ${token.name}`}
                onClick={() => setRevoking(token)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      </Card>
      {creating && <Create onClose={() => setCreating(false)} />}
      {revoking && <Revoke token={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

const lasts = { "30": "30 days", "90": "90 days", "365": "1 year", "": "Never" };

function Create({ onClose }: { onClose: () => void }) {
  const create = useCreateToken();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<TokenKind>("service");
  const [days, setDays] = useState("90");
  const [roles, setRoles] = useState<string[]>([]);
  if (create.data?.secret)
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={`Token for ${create.data.name}`}
        footer={
          <Button look="filled" onClick={onClose}>
            Done
          </Button>
        }
      >
        <Once
          label="Secret"
          secret={create.data.secret}
          note="It is shown only now, and stored nowhere. Send it as Authorization: Bearer."
        />
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Create a token"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={create.isPending}
            disabled={name.trim() === ""}
            onClick={() =>
              create.mutate({
                name: name.trim(),
                kind,
                roles,
                ...(days ? { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() } : {}),
              })
            }
          >
            Create
          </Button>
        </>
      }
    >
      <Field label="Name" hint="Its actions are recorded under this name">
        <Input value={name} autoFocus autoComplete="off" onChange={(e) => setName(e.target.value)} />
      </Field>
      <Field label="Acts as" hint={tokenKind[kind].sentence}>
        <Select
          className="w-full"
          value={kind}
          onValueChange={(value) => setKind(value as TokenKind)}
          options={(Object.keys(tokenKind) as TokenKind[]).map((value) => ({ value, label: tokenKind[value].label }))}
        />
      </Field>
      <Field label="Expires">
        <Select
          className="w-full"
          value={days}
          onValueChange={setDays}
          options={Object.entries(lasts).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <RolePicker value={roles} onChange={setRoles} />
      {create.error && <ErrorNote error={create.error} />}
    </Dialog>
  );
}

function Revoke({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useRevokeToken();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke the token ${token.name}`}
      description="Programs that use it lose access at once."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            loading={revoke.isPending}
            onClick={() => revoke.mutate({ id: token.id }, { onSuccess: onClose })}
          >
            Revoke
          </Button>
        </>
      }
    >
      {revoke.error && <ErrorNote error={revoke.error} />}
    </Dialog>
  );
}
