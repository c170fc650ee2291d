import { Power } from "lucide-react";
import { useNavigate } from "../router";
import { Button } from "../ui";
import { Visible } from "../ui/Visible";
import { change, type Model } from "./model";
import type { Work } from "./useWork";

/**
 * Asks whether to disable the rule that a notice of an automatic approval led to. Opening the link changes nothing:
 * the rule is disabled in the draft when asked to, and in force when that is published.
 */
export function DisableRule({
  name,
  model,
  work,
  editable,
}: {
  name: string;
  model: Model;
  work: Work;
  editable: boolean;
}) {
  const navigate = useNavigate();
  const close = () => void navigate({ search: {} }, { replace: true });
  const card = [...model.rules, ...model.automatic].find((rule) => rule.name === name);
  const said = !card
    ? "This rule is no longer part of the policy."
    : !card.enabled
      ? work.dirty
        ? "This rule is disabled in your draft. Publish it: from then on, people are asked instead."
        : "This rule is disabled."
      : editable
        ? "If you disable this rule, people are asked again in the cases that it approves now."
        : "You don't have permission to change rules. Ask an administrator to disable this one.";
  return (
    <section aria-labelledby="disable-rule" className="mb-4 max-w-4xl rounded-md border bg-sunken px-4 py-3">
      <h2 id="disable-rule" className="font-semibold break-words">
        {card?.enabled && editable ? "Disable " : ""}“<Visible text={name} />”{card?.enabled && editable ? "?" : ""}
      </h2>
      <p className="mt-0.5">{said}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        {card?.enabled && editable && (
          <Button look="filled" onClick={() => work.set(change(work.text, card.path, [[["enabled"], false]]))}>
            <Power aria-hidden /> Disable rule
          </Button>
        )}
        <Button onClick={close}>{card?.enabled && editable ? "Keep it" : "Close"}</Button>
      </div>
    </section>
  );
}
