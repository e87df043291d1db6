// Short sounds for events at the table. They are off until the person switches them on, whether or not motion is
// reduced.

import { settings } from "./settings.js";

/** @import { Event, Scene } from "./table/shapes.js" */

/** @typedef {"lay" | "take" | "end" | "win"} Kind */

// By kind of event, times in seconds: notes (hertz, start, duration, volume) and knocks of a card (start, volume).
/** @type {Record<Kind, { notes: [number, number, number, number][], knocks: [number, number][] }>} */
const SOUNDS = {
  lay: { notes: [], knocks: [[0, 0.5]] },
  take: { notes: [[587, 0.05, 0.14, 0.05]], knocks: [[0, 0.5], [0.07, 0.35]] },
  end: { notes: [[440, 0, 0.2, 0.07], [554, 0.14, 0.2, 0.07], [659, 0.28, 0.4, 0.07]], knocks: [] },
  win: { notes: [[523, 0, 0.18, 0.08], [659, 0.14, 0.18, 0.08], [784, 0.28, 0.18, 0.08], [1047, 0.42, 0.7, 0.09],
    [784, 0.42, 0.7, 0.05]], knocks: [] },
};

/** @type {AudioContext | null} */
let context = null;

/** @param {Kind | null} kind */
export function click(kind) {
  if (!kind || !settings.sound) return;
  context ??= new AudioContext();
  context.resume(); // browsers may suspend audio until the page is touched
  const { notes, knocks } = SOUNDS[kind], now = context.currentTime;
  for (const [pitch, after, lasts, loud] of notes) tone(context, pitch, now + after, lasts, loud);
  for (const [after, loud] of knocks) knock(context, now + after, loud);
}

/** @param {AudioContext} air @param {number} begins @param {number} lasts @param {number} loud */
function fading(air, begins, lasts, loud) {
  const volume = air.createGain();
  volume.gain.setValueAtTime(0.0001, begins);
  volume.gain.exponentialRampToValueAtTime(loud, begins + 0.008);
  volume.gain.exponentialRampToValueAtTime(0.0001, begins + lasts);
  volume.connect(air.destination);
  return volume;
}

/** @param {AudioContext} air @param {number} pitch @param {number} begins @param {number} lasts @param {number} loud */
function tone(air, pitch, begins, lasts, loud) {
  const wave = air.createOscillator();
  wave.type = "triangle";
  wave.frequency.value = pitch;
  wave.connect(fading(air, begins, lasts, loud));
  wave.start(begins);
  wave.stop(begins + lasts);
}

/** A short burst of noise, as of a card on cloth. @param {AudioContext} air @param {number} begins
 * @param {number} loud */
function knock(air, begins, loud) {
  const noise = air.createBuffer(1, Math.round(air.sampleRate * 0.06), air.sampleRate),
    samples = noise.getChannelData(0);
  for (let k = 0; k < samples.length; k++)
    samples[k] = (2 * Math.random() - 1) * Math.exp(-k / (air.sampleRate * 0.012));
  const source = air.createBufferSource(), dull = air.createBiquadFilter();
  source.buffer = noise;
  dull.type = "lowpass";
  dull.frequency.value = 1400;
  source.connect(dull).connect(fading(air, begins, 0.06, loud));
  source.start(begins);
}

/** The sound of an event. @param {Scene} before @param {Scene} after @param {Event} event @returns {Kind | null} */
export function soundOf(before, after, event) {
  if (event.ended) return "end";
  const captured = (/** @type {Scene} */ scene) => scene.seats.reduce((sum, { pile }) => sum + pile.count, 0);
  if (captured(after) > captured(before)) return "take";
  return event.cards.length ? "lay" : null;
}
