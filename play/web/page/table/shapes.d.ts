// The data that a page gets: plain JSON, without cards that the person cannot see. Words are messages
// (words/message.js); a Speaker turns them into text in the language that the page has loaded.

import type { Fact } from "../words/facts.js";
import type { Message } from "../words/message.js";

/** How a game begins; a saved game consists of this and the actions. */
export type Setup = {
  variant: string; // a preset, such as "swazi"
  players: number;
  seats: string[]; // PERSON ("you") exactly once; GUEST, FRIEND or specs of agents on the others
  seed: number | string; // a whole number, or its digits where it is 2^53 or more
  rules: { [field: string]: any }; // switches that differ from the preset
  match: boolean; // deal until the match is decided
  position: any; // Position JSON to begin from, or null
};

/** Something that can be chosen: a card in its notation ("9H"), or "b" and the value of a standing build ("b9"). */
export type Token = string;

/** A pile. */
export type Pile = {
  count: number;
  top: string | null; // null: face down, or the pile is empty
  cards: string[]; // from the top down; empty if face down
  unsure: string[]; // the cards whose order the person does not know
  at: number; // the seat where the pile is drawn: partners may share one
};

export type Seat = {
  number: number;
  kind: Message | null; // level or title of its agent; null for people
  name: Message; you: boolean;
  hand: string[]; // the visible cards
  hidden: number; // number of the other cards
  pile: Pile;
  points: number; // already certain; all once the deal is over
  decides: boolean; partner: number | null;
  note: Message | null; // that it captured last, in games where this seat would get the leftovers
};

export type Build = {
  token: Token; value: number; owner: number;
  yours: boolean; // owned by the person's side
  sets: string[][]; // in the order of laying
};

/** The table as drawn. */
export type Scene = {
  title: Message; // the game, the number of the deal and of the hand
  seats: Seat[]; builds: Build[];
  loose: string[]; // in the order of laying
  stock: number; // number of undealt cards
};

/** A move that the person can make. */
export type Move = {
  do: "build" | "add" | "raise" | "capture" | "discard" | "pick" | "sort" | "yes" | "no" | "end" | "count out";
  words: Message; // in the imperative: "Take 7♦ and your build of 8 with the 8♥"
  cards: string[]; // all cards that it uses and a person would point at
  builds: number[]; // values of the standing builds that it uses
  tokens: Token[]; // cards and builds as tokens
  actions: string[]; // of the catalogue: the argument of `play`
};

/** The possible moves while some tokens are chosen. */
export type Offer = {
  prompt: Message; // what to do now, or the question
  moves: Move[]; // moves with the chosen tokens, at most 24; exact matches first, then the largest
  more: number; // number of omitted moves
  plain: Move[]; // moves without cards: the end of the turn, answers
  main: Move | null; // the move to emphasize
  lit: Token[]; // tokens that can be chosen in addition
  whyDiscard: boolean; // the chosen card may not be discarded: `whyNot([card], "discard")` explains
  whyEnd: boolean; // the turn may not end: `whyNot([], "end")` explains
};

/** One step: a set, a capture, a discard, an answer. */
export type Event = {
  seat: number;
  words: Message | null; // a whole sentence; null if there is nothing to say
  turn: number; // number within the deal, the same for all steps of a turn
  deal: number;
  played: string[]; // cards that left the hand
  cards: string[]; // all cards that it moved
  fact: Fact; // its effects, from which words are made
  ended: Sheet | null; // the sheet of the deal, if the step ended it
};

/** A seat's turn (or its answer within another's turn) as one sentence, or the end of a deal. */
export type Line = {
  seat: number; // -1 for the end of a deal
  words: Message; // "Counter lays down the 5♣; builds 9 with 9♣ from the table"
  first: number; // its first event
  next: number; // the first event after it
  ended: Sheet | null;
};

/** The sheet of a deal. Rows and totals are by side, in the order of `sides`. */
export type Sheet = {
  deal: number; // counted from 1
  sides: { seats: number[], name: Message, you: boolean }[];
  rows: SheetRow[]; // points by category
  points: number[]; // of the deal
  counts: { words: Message, counts: number[] }[]; // numbers of captured cards and spades
  piles: string[][]; // captured cards in counting order: plain ones, then spades, then cards that score by themselves
  left: Message | null; // who got what was left on the table
  match: SheetMatch | null;
  winners: number[]; // sides that won the deal, or the match if it is decided; none if shared
  verdict: Message;
  over: boolean; // the game (or match) is over
};

export type SheetRow = {
  words: Message; points: number[];
  cards: string[][]; // the scoring cards, in categories that have them
};

export type SheetMatch = {
  before: number[]; after: number[];
  goal: Message; // "to 21 points"
};

/** The table as the person sees it. */
export type Seen = {
  version: number; // increases with every change
  person: number; names: Message[]; scene: Scene; over: boolean;
  mine: boolean; // the person decides now
  waiting: boolean; // somebody else decides: an agent (call `advance`) or another person
  decides: number; // the seat that decides, -1 if none
  undo: boolean; // undo is possible
  begun: boolean; // the person has made a move in this turn
  played: boolean; // the person has played this turn's hand card
  endsItself: boolean; // only the end of the turn is left
  question: Message | null; moves: Move[];
  log: Line[]; // the whole game, turn by turn
  news: News;
  match: SheetMatch | null; // the score so far
  sheet: Sheet | null; // of the last deal, once the game is over
};

/** What the others did since the person's last turn. */
export type News = {
  lines: Line[];
  cards: { [token: string]: number }; // moved cards, with the seat that moved each
};

/** The table as it was before an event. */
export type Past = {
  steps: number[]; // events that can be shown
  scene: Scene; news: News;
  next: Line | null; // the next move
};

/** The turn that an agent or the judge would play. */
export type Hint = {
  agent: Message; // its name
  words: Message; // "take 7♦ with the 7♠; end"
  actions: string[]; // of the whole turn
  tokens: Token[]; // of the turn's first move
  value: Message | null; // "expects to end 1.2 points ahead of the others"
  rows: HintRow[]; // the best turns, best first
};

export type HintRow = {
  words: Message; actions: string[];
  value: number | null; // expected lead over the others, in points
  error: number; // half-width of its 95 % interval, 0 if exact
  share: number; // probability that the agent plays it
  best: boolean; // no turn is certainly better
};

/** A record at one of its steps. */
export type Replayed = {
  person: number; // the person's seat; -1: none
  names: Message[]; scene: Scene;
  next: Line | null; // the turn that was played from here
  log: Line[]; // of the whole record
  position: any; // Position JSON, with all hands
  sheet: Sheet | null;
};

/** A turn compared with the best one. */
export type Judged = {
  kind: "same" | "level" | "mistake" | "better" | "unsure"; // level: no certain difference
  words: Message; // "cost 1.5 points, give or take 0.4"
  played: Message; best: Message;
  answer: number[]; // the actions of the best turn
  lost: number; // points that the turn lost to the best one; negative: gained
  error: number; // half-width of the 95 % interval of `lost`; 0 if exact
  exact: boolean; // judged by the solver
  position: any; // Position JSON
};

/** A reviewed decision of a finished game. */
export type Verdict = Judged & { step: number };

/** A turn that was tried in an exercise. then: the continuation, turn by turn; instead: the continuation of the best
 * turn, if this one is a mistake; behind: else, the next-best turn and its cost */
export type Tried = Judged & { then: Message[], instead: Message[], behind: [Message, Message] | null };

export type Summary = {
  judged: number; // decisions with a verdict, without what could not be judged
  mistakes: number;
  net: number; // net points lost
  error: number; // of it
  worst: Verdict[]; // mistakes first, then the rest by loss, without those of kind "same"
  words: Message;
  count: Message; // the numbers of decisions and of best turns, and the net loss
};

/** A switch of the house rules. */
export type Switch = {
  field: string; question: Message;
  value: any; // now
  usual: any; // in the preset
  choices: { value: any, words: Message, refused: Message | null }[]; // refused: why it clashes with other settings
};

export type SwitchGroup = {
  name: string; title: Message;
  common: boolean; // the switches that people change most
  switches: Switch[];
};

/** A game as the first page shows it. */
export type GameAbout = {
  name: string; title: Message; line: Message;
  kind: Message; // such as "good to begin with"
  starter: boolean; sittings: Sitting[];
};

/** A game with a number of players. */
export type Sitting = {
  players: number; partners: boolean;
  minutes: number; // of a deal
  match: boolean; // a match is possible
  words: Message;
};

export type AgentAbout = { spec: string; title: Message; line: Message };

/** A sheet of rules. */
export type RulesSection = { name: string; title: Message; lines: Message[] };

/** A saved game. */
export type Saved = {
  format: string; rulesVersion: number; setup: Setup;
  changes: (string[] | null)[]; // the actions of each step; null: undo
};
