// A client of the engine protocol in TypeScript, without a dependency: plays a match against the engine.
//
//   node client.mjs swazi -- casino agents serve --agent greedy
//
// The house runs the game. What plays knows its hand alone: it gets the view of its seat and chooses among its turns.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type {
  MoveReply, Request, SeeReply, StateReply, Turn, TurnsReply, View,
} from "./protocol.mjs";

type Send = (line: string) => Promise<string>;
type Reply = { ok: true } | { ok: false; message: string };

/** An engine as a child process, which ends with the pipe. */
function byPipe(command: string[]): Send {
  const child = spawn(command[0]!, command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (line) => {
    child.stdin.write(line + "\n");
    return (await replies.next()).value as string;
  };
}

/** The reply to a request; throw if the engine refuses it. */
async function ask<R>(send: Send, request: Request): Promise<R> {
  const reply = JSON.parse(await send(JSON.stringify(request))) as Reply;
  if (!reply.ok) throw new Error(reply.message);
  return reply as R;
}

/** The player: of the turns that are open to it one that takes most cards, seeing nothing but its view. */
function choose(_view: View, turns: Turn[]): Turn {
  return turns.reduce((best, turn) => (taken(turn) > taken(best) ? turn : best));
}

/** Cards that a turn speaks of taking, from its words: "capture with 9D*; taking 9H, 5C + 4S". */
function taken(turn: Turn): number {
  const words = (turn.text.split("taking")[1] ?? "").split(";")[0]!;
  return words ? words.split(/[,+]/).length : 0;
}

/** A turn's actions one after the other; those without alternative the engine plays by itself. */
async function playTurn(send: Send, begun: StateReply, turn: Turn): Promise<StateReply> {
  let state = begun;
  for (const action of turn.actions) {
    if (state.over || state.seat !== begun.seat) break;
    if (state.legal.includes(action)) state = await ask(send, { do: "apply", action, position: state.position });
  }
  return state;
}

/** A game to its end; returns its last state. */
async function play(send: Send, begun: StateReply, me: number): Promise<StateReply> {
  let state = begun;
  while (!state.over) {
    const position = state.position;
    if (state.seat === me) {
      const { view } = await ask<SeeReply>(send, { do: "see", seat: me, position });
      const { turns } = await ask<TurnsReply>(send, { do: "turns", view });
      state = await playTurn(send, state, choose(view, turns));
    } else {
      const { action } = await ask<MoveReply>(send, { do: "move", position });
      state = await ask(send, { do: "apply", action, position });
    }
  }
  return state;
}

/** The same cards from both seats: a match of two deals. */
async function main(variant: string, engine: string[]): Promise<void> {
  const send = byPipe(engine);
  const points = [0, 0] as [number, number];
  for (const me of [0, 1]) {
    const begun = await ask<StateReply>(send, { do: "new", variant, players: 2, seed: 1 });
    const { scores } = await play(send, begun, me);
    points[0] += scores[me]!;
    points[1] += scores[1 - me]!;
  }
  console.log(`${points[0]} points to ${points[1]}: ${points[0] > points[1] ? "won" : "not won"}`);
  await ask(send, { do: "quit" });
}

await main(process.argv[2] ?? "swazi", process.argv.slice(4)); // after the two dashes
process.exit();
