import { useNavigate, useSearch } from "../router";
import { Answer } from "./Answer";
import { Asking } from "./Asking";
import { fromSearch, missing, toSearch } from "./question";

/** Why a person or program may or may not do something. The question is in the URL. */
export function Why() {
  const search = useSearch();
  const navigate = useNavigate();
  const asked = fromSearch(search);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[2fr_3fr]">
      <Asking asked={asked} onAsk={(question) => void navigate({ search: toSearch(question) })} />
      <div aria-live="polite">
        {missing(asked) === undefined ? (
          <Answer asked={asked} />
        ) : (
          <p className="rounded-md border border-dashed p-6 text-center text-muted">
            Choose a person or a program. You see what they may do, by which role or rule, and what is missing.
          </p>
        )}
      </div>
    </div>
  );
}
