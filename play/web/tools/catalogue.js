// Put new texts into the source of a language's catalogue.

/** Replace existing texts in place; append new ones. @param {string} source @param {{ [key: string]: string }} texts */
export function rewritten(source, texts) {
  let out = source;
  const added = [];
  for (const [key, text] of Object.entries(texts)) {
    if (!/^[\w. -]+$/.test(key) || typeof text !== "string") throw new Error(`${JSON.stringify(key)} is not a text`);
    const line = `${JSON.stringify(key)}: ${JSON.stringify(text)}`, name = key.replaceAll(".", "\\.");
    const place = new RegExp(`"${name}": "(?:[^"\\\\]|\\\\.)*"`);
    if (place.test(out)) out = out.replace(place, () => line);
    else added.push(`  ${line},\n`);
  }
  return out.replace(/\};\n$/, () => `${added.join("")}};\n`);
}
