import { ArrowLeft, Sparkles, Spline, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { plain } from "../json";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { Visible } from "../ui/Visible";
import { AddName } from "./AddName";
import { Expression } from "./Expression";
import { fieldsOf, mapField, matchOf, offerOf } from "./model/catalog";
import { setStep } from "./model/edit";
import { doerOf, type StepDef } from "./model/flow";
import { brief, Result } from "./Result";
import { stepTitle } from "./say";
import type { Studio } from "./studio";
import { useScope } from "./useScope";

const MapDialog = lazy(() => import("./MapDialog"));

/** What a step is given: its fields on the left, where each comes from on the right, with the value in the preview. */
export function Mapping({ step, studio }: { step: StepDef; studio: Studio }) {
  const { editor, catalog, preview } = studio;
  const [byHand, setByHand] = useState(false);
  const { sources, scope } = useScope(studio, step.id);
  const offer = offerOf(catalog, step);
  const fields = fieldsOf(offer?.input);
  const given = plain<Record<string, unknown>>(preview?.steps.find((s) => s.id === step.id)?.input) ?? undefined;
  const mapped = step.with;
  const names = [...new Set([...fields.map((f) => f.name), ...Object.keys(mapped ?? {})])];
  const tool = doerOf(step) === "tool";
  const set = (field: string, value: string | undefined) =>
    editor.edit(
      (yaml) => mapField(yaml, step, field, value, fields, sources),
      `Map ${field} of ${stepTitle(step)}`,
      `with ${step.id} ${field}`,
    );
  const mapAll = () =>
    editor.edit(
      (yaml) => {
        let out = yaml;
        for (const field of fields) {
          const match = matchOf(field, sources);
          if (match && mapped?.[field.name] === undefined)
            out = setStep(out, step.id, ["with", field.name], match.path);
        }
        return out;
      },
      `Map the fields of ${stepTitle(step)}`,
    );
  const matchable = fields.some((f) => mapped?.[f.name] === undefined && matchOf(f, sources));
  return (
    <section aria-label="Input">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-control font-semibold">Input</h3>
        {editor.editable && matchable && (
          <Button size="small" onClick={mapAll}>
            <Sparkles aria-hidden /> {mapped ? "Map the rest" : "Fill in"}
          </Button>
        )}
        {names.length > 0 && (
          <Button size="small" onClick={() => setByHand(true)}>
            <Spline aria-hidden /> Map by hand
          </Button>
        )}
      </div>
      {!mapped && !tool && (
        <p className="mb-2 text-small text-muted">
          Automatic: the step gets all fields of the input and of earlier steps, by name.
        </p>
      )}
      <ul className="space-y-2">
        {names.map((name) => {
          const field = fields.find((f) => f.name === name) ?? { name, type: "", required: false };
          const own = mapped?.[name];
          const match = matchOf(field, sources);
          const automatic = own === undefined && !mapped && !tool;
          const missing = field.required && own === undefined && (!automatic || !match?.exact);
          const value = given?.[name];
          return (
            <li key={name} className="rounded-sm border bg-surface p-2">
              <div className="flex flex-wrap items-center gap-x-2">
                <span className="min-w-0 truncate text-control font-medium">
                  <Visible text={name} />
                </span>
                <span className="text-meta text-muted">{field.type}</span>
                {field.required && (
                  <Badge tone={missing ? "bad" : "neutral"}>{missing ? "needs a source" : "required"}</Badge>
                )}
              </div>
              {automatic ? (
                <p className="text-small text-muted">
                  {match?.exact ? (
                    <>
                      <ArrowLeft aria-hidden className="inline size-3" /> <code>{match.path}</code> · {match.because}
                    </>
                  ) : (
                    "Nothing with this name comes before it."
                  )}
                  {match && !match.exact && editor.editable && (
                    <Button size="small" className="mt-1" title={match.because} onClick={() => set(name, match.path)}>
                      Use {match.path}
                    </Button>
                  )}
                </p>
              ) : (
                <div className="mt-1 flex items-center gap-1">
                  <Expression
                    label={`Source of ${name}`}
                    sources={sources}
                    disabled={!editor.editable}
                    value={own === undefined ? "" : typeof own === "string" ? own : JSON.stringify(own)}
                    placeholder={match ? `${match.path} (suggested)` : 'A path such as input.name, or "text"'}
                    onChange={(value) => set(name, value === "" ? undefined : value)}
                  />
                  {own === undefined && match && editor.editable && (
                    <Button size="small" title={match.because} onClick={() => set(name, match.path)}>
                      Use
                    </Button>
                  )}
                  {own !== undefined && editor.editable && (
                    <IconButton label={`Remove the source of ${name}`} onClick={() => set(name, undefined)}>
                      <Trash2 />
                    </IconButton>
                  )}
                </div>
              )}
              {own !== undefined && <Result source={own} scope={scope} />}
              {own === undefined && value !== undefined && (
                <p className="mt-1 truncate text-meta text-muted">
                  With the sample input: <code className="text-ok-text">{brief(value)}</code>
                </p>
              )}
              {!automatic && own !== undefined && match?.path === own && (
                <p className="mt-0.5 text-meta text-muted">{match.because}</p>
              )}
            </li>
          );
        })}
      </ul>
      {editor.editable && (
        <AddName
          label="Name of another field"
          placeholder="Another field…"
          onAdd={(name) => set(name, matchOf({ name, type: "", required: false }, sources)?.path ?? "input")}
        />
      )}
      {byHand && (
        <Suspense>
          <MapDialog step={step} studio={studio} onClose={() => setByHand(false)} />
        </Suspense>
      )}
    </section>
  );
}
