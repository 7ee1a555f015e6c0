// Runs before the page is painted, so that it never flashes in the wrong colours. `theme.js` takes it from there.
(() => {
  let wanted = "system";
  try {
    wanted = localStorage.getItem("trunkline:theme") ?? wanted;
  } catch {
    // Without storage the system decides.
  }
  const dark = wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
