/**
 * The subject, unless it only repeats values of the proposal, which are shown anyway, by name: "120 · Iben Dahl". The
 * early view (first/head.ts) draws it by the same rule, so that nothing moves.
 */
export function subjectBeside(subject: string | undefined, proposed: unknown): string {
  const values = typeof proposed === "object" && proposed !== null ? Object.values(proposed) : [];
  const told = (part: string) =>
    values.some((v) => (typeof v === "number" ? Number(part.replaceAll(/[^\d.-]/g, "") || "x") === v : v === part));
  return subject?.split(" · ").every(told) ? "" : (subject ?? "");
}
