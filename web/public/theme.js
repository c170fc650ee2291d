// Before the first paint, so that nobody sees the wrong theme flash by.
try {
  const theme = localStorage.getItem("assent.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
