// Actions, and plain data, as short text that stands in an address: of links and of puzzles.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Six bits a letter. @param {Iterable<number>} bytes */
export function lettersOf(bytes) {
  let out = "", bits = 0, held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 6; bits -= 6) out += ALPHABET[(held >> (bits - 6)) & 63];
  }
  return bits ? out + ALPHABET[(held << (6 - bits)) & 63] : out;
}

/** The bytes of such letters; fails for others. @param {string} letters @returns {number[]} */
export function bytesOf(letters) {
  const out = [];
  let bits = 0, held = 0;
  for (const letter of letters) {
    const six = ALPHABET.indexOf(letter);
    if (six < 0) throw new Error(`${JSON.stringify(letter)} is no letter of a link`);
    held = ((held << 6) | six) & 0xffff;
    bits += 6;
    if (bits >= 8) out.push((held >> (bits -= 8)) & 255);
  }
  return out;
}

/** @param {any} data plain JSON */
export const packed = (data) => lettersOf(new TextEncoder().encode(JSON.stringify(data)));

/** @param {string} letters @returns {any} */
export const unpacked = (letters) => JSON.parse(new TextDecoder().decode(new Uint8Array(bytesOf(letters))));
