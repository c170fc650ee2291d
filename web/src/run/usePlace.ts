import { useEffect, useRef } from "react";
import { useNavigate, useSearch } from "../router";

/**
 * The selection lives in the URL. If a step is shown over the page, opening it adds a history entry that Back undoes;
 * closing it goes back over the same entry, so that Back is never needed twice.
 */
export function usePlace(id: string, over: boolean) {
  const navigate = useNavigate();
  const search = useSearch();
  const leaving = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view is never on its way out
  useEffect(() => {
    leaving.current = false;
  }, [search.step]);
  const set = (change: Record<string, string | undefined>, replace = true) => {
    const marked = replace && isOver();
    void navigate({ to: "/runs/$id", params: { id }, search: { ...search, ...change } }, { replace, still: true });
    if (marked || !replace) markOver();
  };
  return {
    step: search.step,
    tab: search.tab,
    setStep: (step?: string) => {
      if (step !== undefined) return set({ step }, !(over && search.step === undefined));
      if (!isOver()) return set({ step });
      if (leaving.current) return; // a second press before the browser has navigated
      leaving.current = true;
      history.back();
    },
    setTab: (tab: string) => set({ tab }),
  };
}

// The mark stays with the history entry, even after a reload.
const isOver = () => history.state?.over === true;
const markOver = () => history.replaceState({ ...history.state, over: true }, "");
