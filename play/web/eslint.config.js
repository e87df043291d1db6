// The page is read as the package is, with what a browser has beside it.

import casino from "./page/casino/eslint.config.js";

const NAMES = [
  "AudioContext", "atob", "BroadcastChannel", "btoa", "clearInterval", "CSS", "DecompressionStream", "Element",
  "HTMLElement", "HTMLInputElement", "HTMLSelectElement", "RTCPeerConnection", "setInterval", "URLSearchParams", "caches", "confirm", "crypto", "document", "getComputedStyle",
  "history", "innerHeight", "localStorage", "location", "matchMedia", "navigator", "sessionStorage", "window",
];

export default [
  ...casino,
  { languageOptions: { globals: Object.fromEntries(NAMES.map((name) => [name, "readonly"])) } },
  { files: ["page/languages/*.js"], rules: { "max-len": "off" } }, // sentences, one a line
];
