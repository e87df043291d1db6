// A WebRTC connection between two pages. A door is a waiting offer, its key the credentials of the answer; both are
// exchanged while the pages are connected, so that a page can reconnect without a link, even after a reload.

import { wait } from "../playing.js";
import { candidatesOf, descriptionOf, wayOf } from "./signalling.js";

/** @import { Way } from "./signalling.js" */

/** This page's end of a connection. @typedef {{ pc: RTCPeerConnection, channel: RTCDataChannel }} End */
/** @typedef {{ name: string, word: string }} Key ICE user name and password */

const LOOKING = 2000; // milliseconds, for gathering ICE candidates
const AGAIN = 5000, TRIES = 120; // milliseconds between tries, and their number: people need time to send the link

/** Whether this browser supports WebRTC and the page is a secure context, which seals need. */
export const canConnect = () => "RTCPeerConnection" in window && Boolean(crypto.subtle);

export const newCertificate = () =>
  RTCPeerConnection.generateCertificate(/** @type {EcKeyGenParams} */ ({ name: "ECDSA", namedCurve: "P-256" }));

/** @returns {Key} */
export function newKey() {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => (byte % 36).toString(36)).join("");
  return { name: letters.slice(0, 8), word: `${letters}${letters.slice(8)}` };
}

/** The STUN server that the page's host names, by which a device learns its public address; "" for none. */
const stun = () => document.querySelector("meta[name='stun']")?.getAttribute("content") ?? "";

/** Whether pages in different networks may connect. */
export const isFar = () => stun() !== "";

/** Make an end. Attach listeners to its channel before you offer or answer. @param {RTCCertificate} certificate
 * @returns {End} */
export function newEnd(certificate) {
  const pc = new RTCPeerConnection({ certificates: [certificate], iceServers: stun() ? [{ urls: stun() }] : [] });
  return { pc, channel: pc.createDataChannel("casino", { negotiated: true, id: 0 }) };
}

/** @param {End} end @param {boolean} [soon] return as soon as one candidate is known @returns {Promise<Way>} */
export async function offer({ pc }, soon) {
  if (!pc.localDescription) await pc.setLocalDescription(await pc.createOffer());
  return wayFrom(pc, soon);
}

/** @param {End} end @param {Way} way of the offer @param {Key} [key] of the door @returns {Promise<Way>} */
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

/** Add the other's candidates again until the channel is open: mDNS names may take a while to resolve, and a browser
 * gives up after half a minute. @param {End} end @param {Way} way */
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
