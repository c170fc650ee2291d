import { KeyRound, SearchX } from "lucide-react";
import { useState } from "react";
import { type Setting, useSettings } from "../api/settings";
import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Badge, Button, Card, EmptyState, ErrorNote, Input, SkeletonRows } from "../ui";
import { Ticked } from "../ui/Ticked";
import { Visible } from "../ui/Visible";
import { format, settingSource } from "../words";
import { bySubject, matches, settingName, settingValue } from "./say";

/** What the server was started with, and where each value comes from. */
export function ServerPage() {
  const { data, error, refetch } = useSettings();
  const search = useSearch();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const changed = search.changed === "true";
  const show = (on: boolean) => void navigate({ search: on ? { changed: "true" } : {} }, { replace: true });
  const shown = (data?.items ?? []).filter(
    (one) => (!changed || one.source !== "default") && (text.trim() === "" || matches(one, text.trim())),
  );
  const own = data?.items.filter((one) => one.source !== "default").length ?? 0;
  return (
    <Page
      title="Settings"
      lead={
        data ? (
          <>
            Version <Visible text={data.version || "unknown"} /> · {format.plural(own, "setting")} changed ·{" "}
            {data.file ? (
              <>
                read from <code className="break-all">{data.file}</code>
              </>
            ) : (
              "no configuration file"
            )}
          </>
        ) : (
          "What the server was started with"
        )
      }
    >
      <p className="mb-4 max-w-3xl text-small text-muted">
        Settings are changed where the server is started: by a flag, an environment variable or the configuration file,
        in that order. They take effect when it starts again. Secrets are never shown.
      </p>
      <search className="mb-4 flex flex-wrap items-center gap-3">
        <Input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting…"
          className="w-64 max-sm:w-full"
          value={text}
          onChange={(e) => setText(e.target.value)}
        />
        <Ticked label="Only changed ones" checked={changed} onChange={show} />
      </search>
      {error ? (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
      ) : (
        !data && <SkeletonRows rows={8} />
      )}
      {data && shown.length === 0 && (
        <EmptyState icon={SearchX} title="No matches">
          {changed ? "Nothing else is set: all other values are the defaults." : "No setting has these words."}
        </EmptyState>
      )}
      <div className="grid max-w-5xl gap-4">
        {bySubject(shown).map(({ name, items }) => (
          <Card key={name} title={name} flush>
            <ul aria-label={name} className="divide-y">
              {items.map((one) => (
                <One key={one.name} setting={one} />
              ))}
            </ul>
          </Card>
        ))}
      </div>
    </Page>
  );
}

function One({ setting }: { setting: Setting }) {
  const source = settingSource[setting.source];
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 md:grid-cols-[1.2fr_1fr_1fr]">
      <div className="min-w-0">
        <p className="font-medium">{settingName(setting.name)}</p>
        <p className="text-small break-words text-muted">{sentence(setting.summary)}</p>
      </div>
      <p className="min-w-0 break-words md:pt-0.5">
        <Value setting={setting} />
      </p>
      <div className="min-w-0 text-small">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={source.tone} title={source.sentence}>
            {source.label}
          </Badge>
          {setting.source !== "default" && (
            <code className="min-w-0 break-all">
              <Visible text={setting.from} />
            </code>
          )}
        </p>
        <p className="mt-1 text-muted">
          <code className="break-all">{setting.env}</code>
        </p>
      </div>
    </li>
  );
}

function Value({ setting }: { setting: Setting }) {
  if (setting.secret)
    return (
      <span className="inline-flex items-center gap-1.5">
        <KeyRound aria-hidden className="size-4 text-muted" />
        {setting.set ? "Set" : <span className="text-muted">Not set</span>}
      </span>
    );
  if (!setting.set) return <span className="text-muted">Not set</span>;
  return (
    <code className="break-all">
      <Visible text={settingValue(setting)} />
    </code>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
