#!/usr/bin/env node
/** The engine protocol on standard input and output: node bin/protocol.js [--agent counter]. See docs/protocol.md. */

import { parseArgs } from "node:util";
import { makeAgent } from "../src/agents/registry.js";
import { loadKernels } from "../src/kernels/kernels.js";
import { MAX_LINE, Session } from "../src/protocol.js";
import { command } from "../../../play/web/tools/command.js";

/** The lines of a stream; of one that is too long a little more than the most that is taken. */
async function* linesOf(stream) {
  let parts = [];
  let length = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; from = end + 1, end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      [parts, length] = [[], 0];
    }
    const rest = chunk.subarray(from);
    if (length <= MAX_LINE) parts.push(rest);
    length += rest.length;
  }
  if (length) yield Buffer.concat(parts);
}

async function main() {
  const { values } = parseArgs({ options: { agent: { type: "string", default: "counter" } } });
  await loadKernels();
  (await makeAgent(values.agent)).close(); // a wrong spec shows at once
  const session = new Session(values.agent);
  for await (const line of linesOf(process.stdin)) {
    const tooLong = line.length > MAX_LINE;
    const text = tooLong ? "" : line.toString("utf8").replace(/\r+$/, "");
    const reply = tooLong ? await session.replyToLine("x".repeat(MAX_LINE + 1)) : await session.replyToLine(text);
    if (!process.stdout.write(`${JSON.stringify(reply)}\n`)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    if (session.finished) break;
  }
  session.close();
}

await command("casino-protocol", main);
