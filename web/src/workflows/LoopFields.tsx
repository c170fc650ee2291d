import { useId } from "react";
import { fallbackWord, learnWord, loopAtWord, loopWord, optionsOf, replanWord } from "../words/fields";
import type { Path } from "../yaml/splice";
import { type Asked, AskFields } from "./AskFields";
import { ChoiceAt, type Part, TextAt, textOf } from "./Fields";
import { More } from "./More";
import { setFlow, setHumanLoop } from "./model/edit";
import type { Studio } from "./studio";
import { TextField } from "./TextField";

interface HumanLoop extends Asked {
  when?: string;
  summary?: string;
}

interface Loops {
  agent?: { agent?: string; at?: string; timeout?: string; fallback?: string };
  human?: string | HumanLoop;
  replan?: string;
  learn?: string;
}

/** Who reviews the results before the next layer begins: an agent, people, or both. */
export function LoopFields({ studio, part }: { studio: Studio; part: Part }) {
  const { editor, catalog, faultAt } = studio;
  const { flow, editable } = editor;
  const list = useId();
  const loops = (flow.all.loops ?? {}) as Loops;
  const { agent } = loops;
  const human: HumanLoop = typeof loops.human === "object" ? (loops.human ?? {}) : { when: loops.human };
  const people: Part = {
    editable,
    fault: (path) => faultAt(["loops", "human", ...path]),
    change: (path, value, label, typed) =>
      editor.edit((yaml) => setHumanLoop(yaml, path, value), label, typed ? `loops ${path.join(" ")}` : undefined),
  };
  const bad = (paths: Path[]) => paths.some((path) => faultAt(["loops", ...path]) !== undefined);
  return (
    <section aria-label="Between layers">
      <h3 className="mb-1 text-control font-semibold">Between layers</h3>
      <p className="mb-2 text-small text-muted">
        Steps that can run at the same time form a layer. Results can be reviewed before the next one begins.
      </p>
      <datalist id={list}>
        {catalog
          .filter((o) => o.doer === "agent")
          .map((o) => (
            <option key={o.name} value={o.name} />
          ))}
      </datalist>
      <div className="grid grid-cols-2 gap-x-3 gap-y-2">
        <TextField
          label="Agent between layers"
          list={list}
          value={textOf(agent?.agent)}
          placeholder="None"
          disabled={!editable}
          error={faultAt(["loops", "agent", "agent"])}
          hint="May find further steps, or ask"
          onChange={(value) =>
            editor.edit(
              (yaml) => setFlow(yaml, value ? ["loops", "agent", "agent"] : ["loops", "agent"], value || undefined),
              "Change the agent between layers",
              "loops",
            )
          }
        />
        <ChoiceAt
          part={part}
          path={["loops", "agent", "at"]}
          label="It is asked"
          what="when the agent between layers is asked"
          value={agent?.at}
          disabled={!agent}
          options={[{ value: "", label: "By default" }, ...optionsOf(loopAtWord)]}
        />
        <ChoiceAt
          part={people}
          path={["when"]}
          label="People between layers"
          className="col-span-2"
          what="when people are asked between layers"
          value={human.when}
          options={[{ value: "", label: "Not set" }, ...optionsOf(loopWord)]}
        />
      </div>
      <More label="More between layers" wrong={bad([["agent"], ["human"], ["replan"], ["learn"]])}>
        <div className="grid grid-cols-2 gap-x-3 gap-y-2">
          <TextAt
            part={part}
            path={["loops", "agent", "timeout"]}
            label="The agent answers within"
            what="how long the agent between layers may take"
            value={agent?.timeout}
            placeholder="60s"
            disabled={!agent}
          />
          <ChoiceAt
            part={part}
            path={["loops", "agent", "fallback"]}
            label="Without its answer"
            what="what happens without the agent's answer"
            value={agent?.fallback === "continue" ? "" : agent?.fallback}
            disabled={!agent}
            options={[...optionsOf(fallbackWord, "continue")]}
          />
          <ChoiceAt
            part={part}
            path={["loops", "replan"]}
            label="Steps that a run adds"
            className="col-span-2"
            what="who approves steps that a run adds"
            value={loops.replan}
            options={[...optionsOf(replanWord, "auto")]}
          />
          <ChoiceAt
            part={part}
            path={["loops", "learn"]}
            label="Later searches learn"
            className="col-span-2"
            what="what later searches learn from runs"
            value={loops.learn === "tools" ? "" : loops.learn}
            options={[...optionsOf(learnWord, "tools")]}
          />
        </div>
        {human.when && human.when !== "never" && (
          <fieldset>
            <legend className="mb-1 text-small font-medium">People between layers</legend>
            <AskFields
              part={people}
              roles={studio.roles}
              asked={human}
              who="the people between layers"
              unset="As set for the workflow"
              thens={["approve", "reject", "cancel", "pause"]}
            />
            <TextAt
              part={people}
              path={["summary"]}
              label="Summary written by"
              list={list}
              what="who writes the summary between layers"
              value={human.summary}
              placeholder="template"
              hint="template, or the name of an agent"
            />
          </fieldset>
        )}
      </More>
    </section>
  );
}
