/** A rule that another page drafted, on its way to the policy page. */
export interface OfferedRule {
  name: string;
  trigger: Record<string, unknown>;
  action: Record<string, unknown>;
}

const place = "assent.policy.offer";

export function offerRule(rule: OfferedRule): void {
  sessionStorage.setItem(place, JSON.stringify(rule));
}

/** The offered rule, once. */
export function takeOffer(): OfferedRule | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(place) ?? "null") as OfferedRule | null;
    sessionStorage.removeItem(place);
    return found && typeof found.name === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}
