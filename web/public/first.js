// Before the first paint, so that nobody sees the wrong theme flash by.
try {
  const theme = localStorage.getItem("assent.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}

// The frame of the page stands in the document (web/first.go). It is painted first; then the program, which the
// browser fetches meanwhile, begins: libraries and our own in a task each, so that slow machines can answer to touch in
// between. While developing there are no such links: the program begins by itself.
addEventListener("DOMContentLoaded", () => {
  const parts = document.querySelectorAll("link[data-program]");
  let begun = false;
  const begin = async () => {
    if (begun) return;
    begun = true;
    try {
      for (const { href } of parts) {
        await import(href);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } catch {
      document.getElementById("root").replaceChildren("Assent could not be loaded. Please reload the page.");
    }
  };
  if (document.hidden) begin(); // hidden pages paint nothing
  setTimeout(begin, 300); // whatever the paint waits for, people should not
  requestAnimationFrame(() => setTimeout(begin, 0));
});
