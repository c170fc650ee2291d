import { ChevronRight, Sparkles, Trash2 } from "lucide-react";
import { type DragEvent, useMemo, useState } from "react";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Visible } from "../ui/Visible";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { Expression } from "./Expression";
import { fieldsOf, mapField, matchOf, offerOf, type Source } from "./model/catalog";
import type { StepDef } from "./model/flow";
import { lookUp, type Scope } from "./model/source";
import { brief, Result } from "./Result";
import { stepTitle } from "./say";
import type { Studio } from "./studio";
import { useScope } from "./useScope";

const sourceMime = "application/x-assent-source";

/** Sources on the left, the fields of a step on the right: click one for the chosen field, or drag it onto another. */
export default function MapDialog({ step, studio, onClose }: { step: StepDef; studio: Studio; onClose: () => void }) {
  const { editor, catalog } = studio;
  const { sources, scope } = useScope(studio, step.id);
  const fields = fieldsOf(offerOf(catalog, step)?.input);
  const mapped = step.with ?? {};
  const names = [...new Set([...fields.map((f) => f.name), ...Object.keys(mapped)])];
  const [active, setActive] = useState(() => names.find((n) => mapped[n] === undefined) ?? names[0]);
  const [over, setOver] = useState<string>();
  const set = (field: string, value: string | undefined, alone = false) =>
    editor.edit(
      (yaml) => mapField(yaml, step, field, value, fields, sources),
      value === undefined ? `Remove the source of ${field}` : `Map ${field} of ${stepTitle(step)} from ${value}`,
      alone ? `with ${step.id} ${field}` : undefined,
    );
  const use = (path: string, field: string | undefined) => {
    if (!field || !editor.editable) return;
    set(field, path);
    setActive(names.find((n) => n !== field && mapped[n] === undefined) ?? field);
  };
  const onDrop = (event: DragEvent, field: string) => {
    const path = event.dataTransfer.getData(sourceMime);
    setOver(undefined);
    if (!path) return;
    event.preventDefault();
    use(path, field);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Input of ${stepTitle(step)}`}
      description={
        active
          ? `Choose a source for ${active}, or drag it onto another field.`
          : "Add a field in the panel of the step first."
      }
      className="sm:w-[min(960px,calc(100vw-32px))]"
      footer={
        <Button look="filled" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid min-h-[45vh] content-start gap-4 sm:grid-cols-2">
        <section aria-label="Sources" className="min-w-0">
          <h3 className="mb-2 text-control font-semibold">Sources</h3>
          <SourceTree
            sources={sources}
            scope={scope}
            target={active}
            disabled={!editor.editable || !active}
            onUse={(path) => use(path, active)}
          />
        </section>
        <section aria-label="Fields" className="min-w-0">
          <h3 className="mb-2 text-control font-semibold">Fields of {stepTitle(step)}</h3>
          <ul className="space-y-2">
            {names.map((name) => {
              const field = fields.find((f) => f.name === name) ?? { name, type: "", required: false };
              const own = mapped[name];
              const match = own === undefined ? matchOf(field, sources) : undefined;
              return (
                <li
                  key={name}
                  data-field={name}
                  onDragOver={(e) => {
                    if (!e.dataTransfer.types.includes(sourceMime)) return;
                    e.preventDefault();
                    setOver(name);
                  }}
                  onDragLeave={() => setOver(undefined)}
                  onDrop={(e) => onDrop(e, name)}
                  className={cn(
                    "rounded-sm border bg-surface p-2",
                    active === name && "border-accent",
                    over === name && "bg-accent-bg",
                  )}
                >
                  <button
                    type="button"
                    aria-pressed={active === name}
                    onClick={() => setActive(name)}
                    className="flex min-h-(--tap) w-full flex-wrap items-center gap-x-2 text-left"
                  >
                    <span className="text-control font-medium break-all">
                      <Visible text={name} />
                    </span>
                    <span className="text-meta text-muted">{field.type}</span>
                    {field.required && (
                      <Badge tone={own === undefined ? "warn" : "neutral"}>
                        {own === undefined ? "needs a source" : "required"}
                      </Badge>
                    )}
                  </button>
                  <div className="flex items-center gap-1">
                    <Expression
                      label={`Source of ${name}`}
                      sources={sources}
                      disabled={!editor.editable}
                      value={own === undefined ? "" : typeof own === "string" ? own : JSON.stringify(own)}
                      placeholder="Drop a source here, or type one"
                      onFocus={() => setActive(name)}
                      onChange={(value) => set(name, value === "" ? undefined : value, true)}
                    />
                    {own !== undefined && editor.editable && (
                      <IconButton label={`Remove the source of ${name}`} onClick={() => set(name, undefined)}>
                        <Trash2 />
                      </IconButton>
                    )}
                  </div>
                  {own !== undefined && <Result source={own} scope={scope} />}
                  {match && editor.editable && (
                    <Button size="small" className="mt-1" title={match.because} onClick={() => use(match.path, name)}>
                      <Sparkles aria-hidden /> {match.path} · {match.because}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      </div>
    </Dialog>
  );
}

/** The input and the outputs of earlier steps, each with its fields. */
function SourceTree(props: {
  sources: readonly Source[];
  scope: Scope;
  target?: string;
  disabled: boolean;
  onUse: (path: string) => void;
}) {
  const { sources, scope, target, disabled, onUse } = props;
  const groups = useMemo(() => {
    const by = new Map<string, Source[]>();
    for (const s of sources) {
      const root = s.path.split(/[.[]/)[0] ?? s.path;
      by.set(root, [...(by.get(root) ?? []), s]);
    }
    return [...by];
  }, [sources]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () => new Set(groups.length > 8 ? groups.slice(4, -1).map(([root]) => root) : []),
  );
  if (groups.length === 0) return <p className="text-small text-muted">Nothing comes before this step.</p>;
  const word = (root: string) =>
    root === "input" ? "Input of the run" : root === "item" ? "Element of the list" : stepTitle({ id: root });
  return (
    <ul className="space-y-2">
      {groups.map(([root, all]) => {
        const open = !closed.has(root);
        return (
          <li key={root} className="rounded-sm border bg-surface">
            <button
              type="button"
              aria-expanded={open}
              onClick={() =>
                setClosed((now) => (open ? new Set([...now, root]) : new Set([...now].filter((r) => r !== root))))
              }
              className="flex min-h-(--tap) w-full items-center gap-1 px-2 text-left text-control font-medium"
            >
              <ChevronRight aria-hidden className={cn("size-4 text-muted", open && "rotate-90")} />
              <Visible text={word(root)} />
            </button>
            {open && (
              <ul className="pb-1">
                {all.map((s) => {
                  const found = lookUp(s.path, scope);
                  const depth = s.path.split(".").length - 1;
                  return (
                    <li key={s.path}>
                      <button
                        type="button"
                        draggable={!disabled}
                        disabled={disabled}
                        onDragStart={(e) => {
                          e.dataTransfer.setData(sourceMime, s.path);
                          e.dataTransfer.effectAllowed = "copy";
                        }}
                        onClick={() => onUse(s.path)}
                        className="flex min-h-(--tap) w-full cursor-grab items-center gap-2 px-2 text-left text-control hover:bg-hover disabled:cursor-default"
                        style={{ paddingLeft: 12 + depth * 14 }}
                      >
                        <VisuallyHidden>
                          Use {s.path}
                          {target ? ` for ${target}` : ""}:
                        </VisuallyHidden>
                        <code className="break-all">
                          {depth === 0 ? s.path : s.path.slice(s.path.lastIndexOf("."))}
                        </code>
                        <span className="text-meta text-muted">{s.type}</span>
                        {found.kind === "value" && (
                          <span className="ml-auto min-w-0 truncate text-meta text-muted">
                            <Visible text={brief(found.value, 40)} />
                          </span>
                        )}
                      </button>
                    </li>
                  );
                })}
              </ul>
            )}
          </li>
        );
      })}
    </ul>
  );
}
