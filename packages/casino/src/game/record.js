/** Game records: a deal or a match as text that people can read and the program can replay. Header lines `key: value`,
 * an empty line, then a line for each turn: the seat, a colon, its actions separated by semicolons. Answers of other
 * seats begin with their seat: `2> yes`. Forced actions are included. */

import { actionText } from "./actions.js";
import { checkedSeed, Game } from "./game.js";
import { use } from "../kernels/kernels.js";
import { rulesOf } from "./rules.js";
import { closest, oneLine, parseJson, shortRepr, trimmed, within } from "./validate.js";

/** A record that cannot be replayed. The message says in which line, and why. */
export class RecordError extends Error {
  name = "RecordError";
}

/** @returns {string} */
const format = () => use().constant("record", "FORMAT");

/** Write JSON as Python does, so that records are identical byte for byte. @param {any} value @returns {string} */
export function dumps(value) {
  if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
  if (value && typeof value === "object")
    return `{${Object.entries(value).map(([key, one]) => `${dumps(key)}: ${dumps(one)}`).join(", ")}}`;
  const text = JSON.stringify(value);
  return text.replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Write the record of a game. start: its seed, or the Game in which it began. @param {Game | number | bigint} start
 * @param {Game} game */
export function writeRecord(start, game) {
  if (!(start instanceof Game) && game.seed !== null && BigInt(checkedSeed(start)) !== BigInt(game.seed))
    throw new Error(`seed = ${start}; the game was dealt from seed ${game.seed}`);
  const lines = [
    format(),
    `variant: ${game.rules.name}`,
    `players: ${game.rules.players}`,
    `rules: ${dumps(game.rules.differences())}`,
    `rules_version: ${use().constant("rules", "RULES_VERSION")}`,
    `match: ${Boolean(game.record.get(0, "match"))}`,
    start instanceof Game ? `position: ${dumps(start.toJson())}` : `seed: ${checkedSeed(start)}`,
  ];
  if (game.over) lines.push(`result: ${game.scores().join(" ")}`);
  return `${[...lines, "", ...turnLines(game.log)].join("\n")}\n`;
}

/** A line for each turn. @param {Game["log"]} log */
function turnLines(log) {
  /** @type {string[][]} */
  const turns = [];
  let mover;
  for (const [seat, action, begins] of log) {
    const text = actionText(action);
    if (begins || !turns.length) {
      mover = seat;
      turns.push([`${seat}: ${text}`]);
    } else turns[turns.length - 1].push(seat === mover ? text : `${seat}> ${text}`);
  }
  return turns.map((turn) => turn.join("; "));
}

/** Parse a record into the game at its start and the actions with their line numbers; throw RecordError if they cannot
 * be replayed. @param {string} text @returns {{ game: Game, actions: [line: number, action: string][] }} */
export function readRecord(text) {
  const { game, actions } = read(text);
  return { game, actions };
}

/** Play a record to its end. @param {string} text @returns {Game} */
export function replay(text) {
  return read(text).end;
}

/** @param {string} text */
function read(text) {
  if (typeof text !== "string") throw new RecordError("a record must be a string");
  const rows = text.split(/\r\n|[\n\r]/);
  if (trimmed(rows[0]) !== format()) throw new RecordError(`line 1: must be '${format()}'`);
  const keys = use().constant("record", "_KEYS");
  /** @type {Map<string, string>} */
  const head = new Map();
  let line = 1;
  for (; line < rows.length && trimmed(rows[line]); line++) {
    const [key, value] = parted(rows[line]);
    if (value === null || !keys.includes(key))
      throw new RecordError(`line ${line + 1}: unknown key ${shortRepr(key)}${closest(key, keys)}`);
    if (head.has(key)) throw new RecordError(`line ${line + 1}: duplicate key '${key}'`);
    head.set(key, trimmed(value));
  }
  const game = started(head), end = game.clone();
  /** @type {[number, string][]} */
  const actions = [];
  for (line++; line < rows.length; line++) {
    const [mover, moves] = parted(rows[line]);
    if (trimmed(rows[line]) && moves === null)
      throw new RecordError(`line ${line + 1}: must be SEAT: ACTION; ACTION ...`);
    for (const move of (moves ?? "").split(";").map(trimmed).filter(Boolean)) {
      const at = move.lastIndexOf(">"), action = trimmed(move.slice(at + 1));
      play(end, line + 1, trimmed(at < 0 ? mover : move.slice(0, at)), action);
      actions.push([line + 1, action]);
    }
  }
  checkResult(head.get("result"), end);
  return { game, actions, end };
}

/** Play an action of a line. @param {Game} game @param {number} line @param {string} seat @param {string} action */
function play(game, line, seat, action) {
  if (!game.over && seat !== String(game.seat))
    throw new RecordError(`line ${line}: seat ${shortRepr(seat)}; seat ${game.seat} decides here`);
  try {
    game.apply(action);
  } catch (error) {
    throw new RecordError(`line ${line}: ${oneLine(error, 4000)}`, { cause: error });
  }
}

/** @param {string | undefined} said @param {Game} game */
function checkResult(said, game) {
  const scores = game.scores().join(" ");
  if (said !== undefined && !game.over)
    throw new RecordError(`result: ${shortRepr(said)}, but the game is not over`);
  if (said !== undefined && said !== scores)
    throw new RecordError(`result: ${shortRepr(said)}; the moves give ${shortRepr(scores)}`);
}

/** Split a row at its first colon; the second part is null if there is none. @param {string} row
 * @returns {[string, string | null]} */
function parted(row) {
  const at = row.indexOf(":");
  return at < 0 ? [row, null] : [row.slice(0, at), row.slice(at + 1)];
}

/** @param {Map<string, string>} head */
function started(head) {
  const version = use().constant("rules", "RULES_VERSION");
  const given = head.get("rules_version");
  if (given !== String(version))
    throw new RecordError(`rules_version: ${shortRepr(given ?? null)}; this program plays version ${version}`);
  const match = head.get("match") ?? "false";
  if (match !== "true" && match !== "false")
    throw new RecordError(`match: ${shortRepr(match)}; it must be true or false`);
  for (const key of head.has("position") ? [] : ["variant", "players", "seed"]) {
    if (!head.has(key)) throw new RecordError(`header: ${key} is missing`);
  }
  return within("header", () => (head.has("position") ? fromPosition(head) : fromSeed(head, match)),
    RecordError);
}

/** The game of the position, which the rest of the header may say again. @param {Map<string, string>} head */
function fromPosition(head) {
  const game = Game.fromJson(parseJson(head.get("position") ?? "", "position"), { skipForced: false });
  const { rules } = game, match = Boolean(game.record.get(0, "match"));
  if (head.has("seed")) throw new Error("a record begins from a seed or from a position, not from both");
  const again = new Map([["variant", rules.name], ["players", `${rules.players}`], ["match", `${match}`]]);
  const changes = head.get("rules");
  if (changes !== undefined) {
    const stated = rulesOf(rules.name, rules.players, parseJson(changes, "rules"));
    again.set("rules", stated.key === rules.key ? changes : dumps(rules.differences()));
  }
  for (const [key, value] of again) {
    const said = head.get(key) ?? value;
    if (said !== value) throw new Error(`${key}: ${shortRepr(said)}, but the position says ${shortRepr(value)}`);
  }
  return game;
}

/** @param {Map<string, string>} head @param {string} match */
function fromSeed(head, match) {
  const changes = parseJson(head.get("rules") ?? "{}", "rules");
  const rules = rulesOf(head.get("variant"), Number(digits(head.get("players") ?? "", "players")), changes);
  const seed = digits(head.get("seed") ?? "", "seed");
  return new Game(rules, rules.players, seed > Number.MAX_SAFE_INTEGER ? seed : Number(seed),
    { match: match === "true", skipForced: false });
}

/** @param {string} text @param {string} where */
function digits(text, where) {
  if (!/^[0-9]{1,20}$/.test(text)) throw new Error(`${where}: ${shortRepr(text)}; it must be a whole number`);
  return BigInt(text);
}
