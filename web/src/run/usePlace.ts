import { useEffect, useRef } from "react";
import { useNavigate, useSearch } from "../router";

/**
 * What is selected lives in the address. Where a step lies over the page, opening it is a step that the browser's Back
 * takes back; closing it takes the same one back, so that nobody has to go there twice.
 */
export function usePlace(id: string, over: boolean) {
  const navigate = useNavigate();
  const search = useSearch();
  const leaving = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is shown now, nobody is on the way out of it
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
      if (leaving.current) return; // a second press before the browser has gone
      leaving.current = true;
      history.back();
    },
    setTab: (tab: string) => set({ tab }),
  };
}

// The mark stays with the entry of the browser's history, also when the page is loaded again.
const isOver = () => history.state?.over === true;
const markOver = () => history.replaceState({ ...history.state, over: true }, "");
