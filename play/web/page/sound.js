// Short clicks for what happens at the table. Nothing is heard before somebody switches them on, with reduced motion or without.

const KEY = "casino-sound";
const LOUD = 0.12;
// By what happens: pitch, when it begins, and how long it lasts, in seconds.
const CLICKS = {
  lay: [[330, 0, 0.06]],
  take: [[440, 0, 0.06], [590, 0.07, 0.08]],
  end: [[440, 0, 0.12], [550, 0.13, 0.12], [660, 0.26, 0.22]],
};
let context = null;

const isOn = () => localStorage.getItem(KEY) === "on";

export function click(kind) {
  if (!kind || !isOn()) return;
  context ??= new AudioContext();
  context.resume(); // a browser may hold it back until the page has been touched
  for (const [pitch, after, lasts] of CLICKS[kind]) tone(pitch, context.currentTime + after, lasts);
}

function tone(pitch, begins, lasts) {
  const wave = context.createOscillator(), volume = context.createGain();
  wave.frequency.value = pitch;
  volume.gain.setValueAtTime(LOUD, begins);
  volume.gain.exponentialRampToValueAtTime(0.001, begins + lasts);
  wave.connect(volume).connect(context.destination);
  wave.start(begins);
  wave.stop(begins + lasts);
}

// What an event sounds like. before, after: the scenes around it.
export function soundOf(before, after, event) {
  if (event.ended) return "end";
  const captured = (scene) => scene.seats.reduce((sum, { pile }) => sum + pile, 0);
  if (captured(after) > captured(before)) return "take";
  return event.cards.length ? "lay" : null;
}

export function sounding(button) {
  const show = () => button.setAttribute("aria-pressed", isOn());
  show();
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, isOn() ? "off" : "on");
    show();
    click("lay");
  });
}
