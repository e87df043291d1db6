// What a page is told: plain JSON, and no card in it that the person cannot see. Words are messages (words/message.js),
// made text by `format`, `parts` or `speak` of words/index.js in the language that the page has loaded.

import type { Fact } from "../words/facts.js";
import type { Message } from "../words/message.js";

/** How a game begins; with what is done then, this is all that is saved. */
export type Setup = {
  variant: string; // a preset, such as "swazi"
  players: number;
  seats: string[]; // PERSON ("you") on exactly one; GUEST, FRIEND or the specs of agents on the others
  seed: number | string; // a whole number, or its digits where it is 2^53 or more
  rules: { [field: string]: any }; // switches that differ from the preset
  match: boolean; // deal until the match is decided
  position: any; // Position JSON to begin from, or null
};

/** A card is its notation ("9H"); a token is a card or "b" and the value of a standing build ("b9"): what can be
 * chosen. */
export type Token = string;

/** A pile. */
export type Pile = {
  count: number;
  top: string | null; // if it lies face up
  cards: string[]; // all of it from the top down, if it lies face up
  unsure: string[]; // those of them whose order the person does not know
  at: number; // the seat at whose place it lies: partners may share one pile
};

export type Seat = {
  number: number;
  kind: Message | null; // what its agent is: a level, if it has one
  name: Message; you: boolean;
  hand: string[]; // the cards that are shown
  hidden: number; // and how many are not
  pile: Pile;
  points: number; // certain already (all of them once the deal is over)
  decides: boolean; partner: number | null;
  note: Message | null; // such as that it captured last, in games where this seat would get what is left
};

export type Build = {
  token: Token; value: number; owner: number;
  yours: boolean; // of the person's side
  sets: string[][]; // in the order in which they were laid
};

/** What lies on the table. */
export type Scene = {
  title: Message; // the game, which deal and which hand of it
  seats: Seat[]; builds: Build[];
  loose: string[]; // in the order in which they were laid
  stock: number; // cards to be dealt
};

/** Something that the person can do. */
export type Move = {
  do: "build" | "add" | "raise" | "capture" | "discard" | "pick" | "sort" | "yes" | "no" | "end" | "count out";
  words: Message; // as something to do: "Take 7♦ and your build of 8 with the 8♥"
  cards: string[]; // all that it touches and a person would point at
  builds: number[]; // values of the standing builds that it touches
  tokens: Token[]; // both of these as tokens
  actions: string[]; // of the catalogue: what `play` takes
};

/** What is offered while `chosen` tokens are chosen. */
export type Offer = {
  prompt: Message; // what to do now, or what is asked
  moves: Move[]; // what the chosen cards can become, at most 24; exact ones and the largest first
  more: number; // how many are left out
  plain: Move[]; // moves without cards: the end of the turn, answers
  main: Move | null; // the one to be set off, if any
  lit: Token[]; // tokens that may be chosen (further)
  whyDiscard: boolean; // the chosen card may not be discarded, and `whyNot([card], "discard")` says why
  whyEnd: boolean; // likewise of the end of the turn: `whyNot([], "end")`
};

/** One step: a set, a capture, a card laid down, an answer. */
export type Event = {
  seat: number;
  words: Message | null; // a whole sentence; null where there is nothing to tell
  turn: number; // counted in the deal; steps of one turn have the same number
  deal: number;
  played: string[]; // cards that left the hand
  cards: string[]; // all that it moved
  fact: Fact; // what was done, of which words are made
  ended: Sheet | null; // what the deal came to, if it ended with this
};

/** A turn of one seat (or its answer inside another's turn) as one sentence, or the end of a deal. */
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
  counts: { words: Message, counts: number[] }[]; // cards and spades that were captured
  piles: string[][]; // what was captured, as it is counted: the spades after the rest, what scores by itself at last
  left: Message | null; // who got what was left on the table
  match: SheetMatch | null;
  winners: number[]; // sides that have won the deal, or the match where it is decided: none if it is shared
  verdict: Message;
  over: boolean; // the game (or match) is over
};

export type SheetRow = {
  words: Message; points: number[];
  cards: string[][]; // that these points come from, where they come from certain cards
};

export type SheetMatch = {
  before: number[]; after: number[];
  goal: Message; // "to 21 points"
};

/** The table as the person sees it. */
export type Seen = {
  version: number; // another after every change
  person: number; names: Message[]; scene: Scene; over: boolean;
  mine: boolean; // the person decides now
  waiting: boolean; // an agent does: `advance` goes on
  decides: number; // the seat that decides, -1 if none
  undo: boolean;
  begun: boolean; // the person has done something in this turn
  played: boolean; // its hand card of this turn is played
  endsItself: boolean; // nothing is left but to end the turn
  question: Message | null; moves: Move[];
  log: Line[]; // everything that was done, turn by turn
  news: News;
  match: SheetMatch | null; // the score so far
  sheet: Sheet | null; // of the last deal, once the game is over
};

/** What the others did since the person's last turn. */
export type News = {
  lines: Line[];
  cards: { [token: string]: number }; // moved, and by whom
};

/** The table as it was before an event. */
export type Past = {
  steps: number[]; // events that can be looked at
  scene: Scene; news: News;
  next: Line | null; // what was done then
};

/** What an agent would do. */
export type Hint = {
  agent: Message; // its name
  words: Message; // "take 7♦ with the 7♠; end"
  actions: string[]; // the turn it would play
  tokens: Token[]; // of the first move of it
  value: Message | null; // "expects to end 1.2 points ahead of the others"
  rows: HintRow[]; // the best turns, best first
};

export type HintRow = {
  words: Message; actions: string[];
  value: number | null; // points more than the others
  error: number; // half of its 95 % interval, 0 where it is exact
  share: number; // how likely the agent plays it, 0 to 1
  best: boolean; // nothing is better beyond the intervals
};

/** A record at one of its steps. */
export type Replayed = {
  person: number; // -1 where nobody was
  names: Message[]; scene: Scene;
  next: Line | null; // the turn that was played from here
  log: Line[]; // of the whole record
  position: any; // Position JSON, with all hands
  sheet: Sheet | null;
};

/** A turn beside the best there was. */
export type Judged = {
  kind: "same" | "level" | "mistake" | "better" | "unsure"; // level: no difference beyond the interval
  words: Message; // "cost 1.5 points, give or take 0.4"
  played: Message; best: Message;
  answer: number[]; // the actions of the best
  lost: number; // points a deal that the best turn is worth more than what was played; negative: less
  error: number; // half of the 95 % interval of `lost`; 0 where it is exact
  exact: boolean; // by the solver
  position: any; // Position JSON
};

/** A decision of a finished game looked at again. */
export type Verdict = Judged & { step: number };

/** A turn that was tried in an exercise. then: how the deal goes on, turn by turn; instead: the same after the best turn,
 * where this one is a mistake; behind: where it is none, the next best turn and what it would have cost */
export type Tried = Judged & { then: Message[], instead: Message[], behind: [Message, Message] | null };

export type Summary = {
  judged: number; // decisions with a verdict, without what could not be judged
  mistakes: number;
  net: number; // points lost in all, gains taken off
  error: number; // of it
  worst: Verdict[]; // mistakes first, then the rest by loss, without those that are the same
  words: Message;
  count: Message; // how many were the same, how many mistakes
};

/** A switch of the house rules. */
export type Switch = {
  field: string; question: Message;
  value: any; // as it is now
  usual: any; // as the preset has it
  choices: { value: any, words: Message, refused: Message | null }[]; // refused: why not, with all else as it is
};

export type SwitchGroup = {
  name: string; title: Message;
  common: boolean; // those that people mostly ask for
  switches: Switch[];
};

/** A game as a first page shows it. */
export type GameAbout = {
  name: string; title: Message; line: Message;
  kind: Message; // for whom it is, such as "good to begin with"
  starter: boolean; sittings: Sitting[];
};

/** A game with so many players. */
export type Sitting = {
  players: number; partners: boolean;
  minutes: number; // of a deal
  match: boolean; // one can be played
  words: Message;
};

export type AgentAbout = { spec: string; title: Message; line: Message };

/** A sheet of rules. */
export type RulesSection = { name: string; title: Message; lines: Message[] };

/** A saved game. */
export type Saved = {
  format: string; rulesVersion: number; setup: Setup;
  changes: (string[] | null)[]; // the actions of every step, null where one was taken back
};
