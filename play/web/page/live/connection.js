// A connection between two pages, by WebRTC. A door is an offer that waits with the other's key in its lock: a page
// that was told of it while both could talk comes back through it, also after a reload, and nobody has to send a link.

import { wait } from "../playing.js";
import { candidatesOf, descriptionOf, wayOf } from "./signalling.js";

/** @import { Way } from "./signalling.js" */

/** One's own end. @typedef {{ pc: RTCPeerConnection, channel: RTCDataChannel }} End */
/** @typedef {{ name: string, word: string }} Key */

const LOOKING = 2000; // milliseconds, for the places at which this page can be reached
const AGAIN = 5000, TRIES = 120; // milliseconds between two, and how many: somebody has to send a link meanwhile

/** Not every browser has it, and not every address: seals need a secure one. */
export const canConnect = () => "RTCPeerConnection" in window && Boolean(crypto.subtle);

export const newCertificate = () =>
  RTCPeerConnection.generateCertificate(/** @type {EcKeyGenParams} */ ({ name: "ECDSA", namedCurve: "P-256" }));

/** @returns {Key} */
export function newKey() {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => (byte % 36).toString(36)).join("");
  return { name: letters.slice(0, 8), word: `${letters}${letters.slice(8)}` };
}

/** Of whoever hosts the page: it tells a device its address outside of its network. */
const stun = () => document.querySelector("meta[name='stun']")?.getAttribute("content") ?? "";

/** Whether pages of two networks may find each other. */
export const isFar = () => stun() !== "";

/** Whoever listens to its channel does so before anything is offered or answered. @param {RTCCertificate} certificate
 * @returns {End} */
export function newEnd(certificate) {
  const pc = new RTCPeerConnection({ certificates: [certificate], iceServers: stun() ? [{ urls: stun() }] : [] });
  return { pc, channel: pc.createDataChannel("casino", { negotiated: true, id: 0 }) };
}

/** @param {End} end @param {boolean} [soon] as soon as one place is known @returns {Promise<Way>} */
export async function offer({ pc }, soon) {
  if (!pc.localDescription) await pc.setLocalDescription(await pc.createOffer());
  return wayFrom(pc, soon);
}

/** @param {End} end @param {Way} way of the offer @param {Key} [key] that the door expects @returns {Promise<Way>} */
export async function answer({ pc }, way, key) {
  await pc.setRemoteDescription(descriptionOf(way, "offer"));
  const { sdp = "" } = await pc.createAnswer();
  const named = key ? sdp.replace(/ice-ufrag:.*/, `ice-ufrag:${key.name}`).replace(/ice-pwd:.*/, `ice-pwd:${key.word}`)
    : sdp;
  await pc.setLocalDescription({ type: "answer", sdp: named });
  return wayFrom(pc);
}

/** @param {End} end @param {Way} way of the answer */
export async function accept({ pc }, way) {
  if (pc.signalingState === "have-local-offer") await pc.setRemoteDescription(descriptionOf(way, "answer"));
}

/** Until the channel is open the other's places are looked up and tried anew: names may take a while to be found, and a
 * browser gives up after half a minute. @param {End} end @param {Way} way */
export async function insist({ pc, channel }, { name, places }) {
  for (let left = TRIES; left > 0 && channel.readyState === "connecting" && pc.signalingState !== "closed"; left--) {
    await wait(AGAIN);
    for (const candidate of candidatesOf(places))
      await pc.addIceCandidate({ candidate, sdpMid: "0", usernameFragment: name }).catch(() => {});
  }
}

/** @param {RTCPeerConnection} pc @param {boolean} [soon] */
async function wayFrom(pc, soon) {
  const way = () => wayOf(pc.localDescription?.sdp ?? "");
  const found = new Promise((/** @type {(nothing: void) => void} */ done) => {
    const look = () => (pc.iceGatheringState === "complete" || (soon && way().places.length)) && done();
    pc.onicegatheringstatechange = pc.onicecandidate = look;
    look();
  });
  await Promise.race([found, wait(LOOKING)]);
  return way();
}
