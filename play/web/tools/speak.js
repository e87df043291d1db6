#!/usr/bin/env node
// Put the translations that a speaker wrote on the page into the language's catalogue.
//
//   node play/web/tools/speak.js casino-zu.json

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { languages } from "../page/languages/languages.js";
import { command } from "./command.js";
import { rewritten } from "./catalogue.js";

command("speak", async () => {
  const { positionals: [file] } = parseArgs({ allowPositionals: true });
  if (!file) throw new Error("give the file that a speaker has sent");
  const { format, language, texts } = JSON.parse(readFileSync(file, "utf8"));
  if (format !== "casino-words 1" || !languages.some(({ code }) => code === language && code !== "en"))
    throw new Error(`${file}: not a language file of the page`);
  const place = new URL(`../page/languages/${language}.js`, import.meta.url);
  writeFileSync(place, rewritten(readFileSync(place, "utf8"), texts));
  process.stdout.write(`${language}: ${Object.keys(texts).length} texts; now node --test play/web/tests/languages.test.js\n`);
});
