// Apply the chosen colours and sizes before the first frame; everything else waits for the modules.
try {
  const { theme = "system", fourColours, text = "1", hand = "right" } = JSON.parse(localStorage["casino-settings"]);
  Object.assign(document.documentElement.dataset, { theme, colours: fourColours ? "four" : "two", size: text,
    hand });
} catch { // no settings are stored
}
