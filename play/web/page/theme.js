// Light or dark: as the system has it, or as chosen here.

const KEY = "casino-theme";
const system = matchMedia("(prefers-color-scheme: light)");

const now = () => localStorage.getItem(KEY) ?? (system.matches ? "light" : "dark");

function show(button) {
  document.documentElement.dataset.theme = now();
  button.textContent = now() === "light" ? "Dark" : "Light";
  button.setAttribute("aria-label", now() === "light" ? "Dark colours" : "Light colours");
}

export function themed(button) {
  show(button);
  system.addEventListener("change", () => show(button));
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, now() === "light" ? "dark" : "light");
    show(button);
  });
}
