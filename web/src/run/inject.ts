/** A step as filled in by the user. */
export interface NewStep {
  name: string;
  agent: string;
  needs: string[];
}

/** A step in the format of workflows. */
export type StepText = Record<string, unknown>;

/** The id of a step in the plan: "Check the VAT" → check_the_vat. */
export function idOf(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}

/** Errors in each step, by field. */
export function faultsOf(steps: NewStep[], taken: string[]): Partial<Record<"name" | "agent", string>>[] {
  return steps.map(({ name, agent }, i) => {
    const id = idOf(name);
    const before = [...taken, ...steps.slice(0, i).map((step) => idOf(step.name))];
    return {
      name:
        id === ""
          ? "Give it a name."
          : /^[a-z]/.test(id)
            ? before.includes(id)
              ? "A step with this name already exists."
              : undefined
            : "Begin with a letter.",
      agent: agent === "" ? "Choose who does it." : undefined,
    };
  });
}

export function textOf(steps: NewStep[]): StepText[] {
  return steps.map(({ name, agent, needs }) => ({ id: idOf(name), agent, ...(needs.length > 0 && { needs }) }));
}
