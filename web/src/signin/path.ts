const longest = 2048;

/** The page of ours that a URL names, or the home page. Browsers read // and /\ as the start of another host. */
export function safePath(to: string | undefined): string {
  const home = "/";
  if (!to || to.length > longest || !to.startsWith("/") || to.startsWith("//") || to.includes("\\")) return home;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them, and the rest may mean something else
  if (/[\u0000-\u0020\u007f]/.test(to)) return home;
  const url = new URL(to, "http://here.invalid");
  if (url.origin !== "http://here.invalid" || url.pathname.includes("//")) return home;
  if (/^\/(api|sign-in)(\/|$)/.test(url.pathname)) return home;
  return url.pathname + url.search + url.hash;
}
