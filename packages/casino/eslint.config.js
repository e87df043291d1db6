import js from "@eslint/js";

const NAMES = [
  "AbortController", "Blob", "Buffer", "clearTimeout", "console", "crypto", "DedicatedWorkerGlobalScope", "document",
  "fetch", "globalThis", "indexedDB", "performance", "process", "queueMicrotask", "Response", "self", "setTimeout",
  "structuredClone", "TextDecoder", "TextEncoder", "URL", "WebAssembly", "Worker",
];

// a sentence, or an expression that matches one, stays in one line
const PROSE = '"[^"]{50,}"|`[^`]{50,}`|/\\^.{50,}/';

export default [
  { ignores: ["dist/", "types/", "policies/"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, globals: Object.fromEntries(NAMES.map((name) => [name, "readonly"])) },
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none" }],
      "prefer-const": "error", eqeqeq: "error", "no-var": "error",
      "max-len": ["error", { code: 120, comments: 120, ignoreUrls: true, ignorePattern: PROSE }],
    },
  },
];
