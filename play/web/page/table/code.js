// Encode actions and plain data as short URL-safe text, for links and puzzles.

/** Encode as URL-safe base64. @param {Iterable<number>} bytes */
export const lettersOf = (bytes) => {
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

/** Decode URL-safe base64; throw if it is invalid. @param {string} letters @returns {number[]} */
export function bytesOf(letters) {
  const other = /[^\w-]/.exec(letters);
  if (other || letters.length % 4 === 1)
    throw new Error(`${JSON.stringify(other?.[0] ?? letters.slice(0, 40))} is not a letter of a link`);
  return Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

/** A 32-bit FNV-1a hash. @param {Iterable<number>} bytes */
export const hashOf = (bytes) =>
  Array.from(bytes).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);

/** @param {any} data plain JSON */
export const packed = (data) => lettersOf(new TextEncoder().encode(JSON.stringify(data)));

/** @param {string} letters @returns {any} */
export const unpacked = (letters) => JSON.parse(new TextDecoder().decode(new Uint8Array(bytesOf(letters))));
