import { useId } from "react";
import { thenWord } from "../words/fields";
import { ChoiceAt, ListAt, NumberAt, type Part, TextAt, TickAt, textOf } from "./Fields";
import { deadline } from "./model/edit";
import type { Deadline } from "./model/flow";
import { RoleNames } from "./RoleNames";
import { TextField } from "./TextField";

/** Who is asked where no gate says it. */
export interface Asked {
  role?: string;
  people?: string[];
  quorum?: number;
  timeout?: Deadline;
}

/** A role or people, how many of them, and what happens at the deadline. */
export function AskFields(props: {
  part: Part;
  asked: Asked;
  roles: readonly string[];
  /** How they are called: "the people between layers". */
  who: string;
  unset: string;
  thens: readonly string[];
}) {
  const { part, asked, roles, who, unset, thens } = props;
  const list = useId();
  const { timeout } = asked;
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-2">
      <RoleNames id={list} roles={roles} />
      <TextAt
        part={part}
        path={["role"]}
        label="Role"
        list={list}
        what={`the role of ${who}`}
        value={asked.role}
        placeholder={unset}
      />
      <ListAt
        part={part}
        path={["people"]}
        label="Or people"
        what={who}
        value={asked.people}
        hint="Names, or role:press"
      />
      <NumberAt
        part={part}
        path={["quorum"]}
        label="Approvals needed"
        className="col-span-2"
        what={`how many of ${who} have to agree`}
        value={asked.quorum}
        placeholder="1"
        from={1}
        whole
      />
      <TextField
        label="Deadline"
        value={textOf(timeout?.after)}
        placeholder="None"
        hint="Such as 4h or 2d"
        error={part.fault(["timeout", "after"])}
        disabled={!part.editable}
        onChange={(value) =>
          timeout && value
            ? part.change(["timeout", "after"], value, `Change the deadline of ${who}`, true)
            : part.change(
                ["timeout"],
                value ? deadline(value, "pause") : undefined,
                `Change the deadline of ${who}`,
                true,
              )
        }
      />
      <ChoiceAt
        part={part}
        path={["timeout", "then"]}
        label="Then"
        what={`what happens at the deadline of ${who}`}
        value={timeout?.then}
        disabled={!timeout}
        options={[...(timeout?.then ? [] : [{ value: "", label: "–" }])].concat(
          thens.map((value) => ({ value, label: thenWord[value] ?? value })),
        )}
      />
      {timeout?.then === "approve" && (
        <TickAt
          part={part}
          path={["timeout", "irreversible"]}
          label="Even if the next steps cannot be undone"
          on={timeout.irreversible === true}
          className="col-span-2 mb-2"
        />
      )}
    </div>
  );
}
