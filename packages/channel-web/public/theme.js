/** Light or dark: what the person chose, else what the system says. `theme-boot.js` has set the first colours already. */

const KEY = "trunkline:theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen() {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

function show(choice) {
  const dark = choice === "dark" || (choice === "system" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.querySelector('meta[name="theme-color"]').content = dark ? "#15171c" : "#ffffff";
}

/** Connects the radio buttons named `theme` inside an element. */
export function watchTheme(root) {
  const paint = () => {
    const choice = chosen();
    root.querySelector(`input[value="${choice}"]`).checked = true;
    show(choice);
  };
  root.addEventListener("change", (event) => {
    try {
      localStorage.setItem(KEY, event.target.value);
    } catch {
      // Then it holds until the page is loaded again.
    }
    show(event.target.value);
  });
  system.addEventListener("change", () => show(chosen()));
  // Another tab chose.
  addEventListener("storage", (event) => event.key === KEY && paint());
  paint();
}
