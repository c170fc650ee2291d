import { type FormEvent, useState } from "react";
import { putDocument, putWorkingCopy, type Template, useAgents, useWorkflows } from "../api";
import { pretty, treeOf } from "../json";
import { useNavigate } from "../router";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { blank, renamed } from "./model/edit";

/** "IT ticket triage" becomes it-ticket-triage. */
export const nameFrom = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_.]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);

/** Names a new workflow and makes its working copy, with the agents of its template that are missing. */
export default function NewDialog(props: { from?: Template; taken: ReadonlySet<string>; onClose: () => void }) {
  const { from, taken, onClose } = props;
  const navigate = useNavigate();
  const { data: agents } = useAgents();
  const { data: workflows } = useWorkflows();
  const [title, setTitle] = useState(from && !taken.has(from.name) ? from.title : "");
  const [description, setDescription] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const name = nameFrom(title);
  const problem = title && !name ? "Use letters or digits." : taken.has(name) ? `“${name}” already exists.` : undefined;

  const create = async (event: FormEvent) => {
    event.preventDefault();
    if (!name || problem) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const known = new Set([
        ...(agents?.items ?? []).map((d) => `agent ${d.name}`),
        ...(workflows?.items ?? []).map((d) => `workflow ${d.name}`),
      ]);
      for (const use of from?.uses ?? []) {
        const kind = use.kind === "workflow" ? "workflow" : "agent";
        if (!known.has(`${kind} ${use.name}`)) await putDocument(kind, use.name, use.yaml);
      }
      const yaml = from ? renamed(from.yaml, name) : blank(name, description.trim());
      const samples = from?.input ? [{ name: "Example", input: pretty(treeOf(from.input)) }] : [];
      await putWorkingCopy(name, { yaml, base: 0, layout: {}, samples }, 0);
      await navigate({ to: "/workflows/$id", params: { id: name } });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={from ? `New workflow from “${from.title}”` : "New workflow"}
      description={
        from
          ? "Its agents are created if they are missing. Nothing is published yet."
          : "It starts empty. Nothing is published until you say so."
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="new-workflow" look="filled" loading={busy} disabled={!name || !!problem}>
            Create
          </Button>
        </>
      }
    >
      <form id="new-workflow" onSubmit={create}>
        <Field
          label="Name"
          hint={name ? `Runs and files refer to it as ${name}.` : "For example, IT ticket triage"}
          error={problem}
        >
          <Input value={title} onChange={(e) => setTitle(e.target.value)} autoFocus autoComplete="off" />
        </Field>
        {!from && (
          <Field label="Purpose" hint="A sentence for lists (optional)">
            <Input value={description} onChange={(e) => setDescription(e.target.value)} autoComplete="off" />
          </Field>
        )}
        {failure !== undefined && <ErrorNote error={failure} />}
      </form>
    </Dialog>
  );
}
