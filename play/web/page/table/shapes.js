// What a page is told: plain JSON, and no card in it that the person cannot see. Words are messages (words/message.js),
// made text by `format`, `parts` or `speak` of words/index.js in the language that the page has loaded.

/** @import { Message } from "../words/message.js" */
/** @import { Fact } from "../words/facts.js" */

/** How a game begins; with what is done then, this is all that is saved.
 * @typedef {object} Setup
 * @property {string} variant a preset, such as "swazi"
 * @property {number} players
 * @property {string[]} seats PERSON ("you") on exactly one; GUEST, FRIEND or the specs of agents on the others
 * @property {number | string} seed a whole number, or its digits where it is 2^53 or more
 * @property {{ [field: string]: any }} rules switches that differ from the preset
 * @property {boolean} match deal until the match is decided
 * @property {any} position Position JSON to begin from, or null
 */

/** A card is its notation ("9H"); a token is a card or "b" and the value of a standing build ("b9"): what can be chosen.
 * @typedef {string} Token */

/** A pile. @typedef {object} Pile
 * @property {number} count
 * @property {string | null} top if it lies face up
 * @property {string[]} cards all of it from the top down, if it lies face up
 * @property {string[]} unsure those of them whose order the person does not know
 * @property {number} at the seat at whose place it lies: partners may share one pile
 */

/** @typedef {object} Seat
 * @property {number} number
 * @property {string} spec "you", or of the agent; "" where it is not known
 * @property {Message} name
 * @property {boolean} you
 * @property {string[]} hand the cards that are shown
 * @property {number} hidden and how many are not
 * @property {Pile} pile
 * @property {number} points certain already (all of them once the deal is over)
 * @property {boolean} decides
 * @property {number | null} partner
 * @property {Message | null} note such as that it captured last, in games where this seat would get what is left
 */

/** @typedef {object} Build
 * @property {Token} token
 * @property {number} value
 * @property {number} owner
 * @property {boolean} yours of the person's side
 * @property {string[][]} sets in the order in which they were laid
 */

/** What lies on the table. @typedef {object} Scene
 * @property {Message} title the game, which deal and which hand of it
 * @property {Seat[]} seats
 * @property {Build[]} builds
 * @property {string[]} loose in the order in which they were laid
 * @property {string[]} picked cards of a move that is half done
 * @property {number} stock cards to be dealt
 */

/** Something that the person can do.
 * @typedef {object} Move
 * @property {"build" | "add" | "raise" | "capture" | "discard" | "pick" | "sort" | "yes" | "no" | "end" | "count out"} do
 * @property {Message} words as something to do: "Take 7♦ and your build of 8 with the 8♥"
 * @property {string[]} cards all that it touches and a person would point at
 * @property {number[]} builds values of the standing builds that it touches
 * @property {Token[]} tokens both of these as tokens
 * @property {string[]} actions of the catalogue: what `play` takes
 */

/** What is offered while `chosen` tokens are chosen.
 * @typedef {object} Offer
 * @property {Message} prompt what to do now, or what is asked
 * @property {Move[]} moves what the chosen cards can become, at most 24; exact ones and the largest first
 * @property {number} more how many are left out
 * @property {Move[]} plain moves without cards: the end of the turn, answers
 * @property {Move | null} main the one to be set off, if any
 * @property {Token[]} lit tokens that may be chosen (further)
 * @property {boolean} whyDiscard the chosen card may not be discarded, and `whyNot([card], "discard")` says why
 * @property {boolean} whyEnd likewise of the end of the turn: `whyNot([], "end")`
 */

/** One step: a set, a capture, a card laid down, an answer.
 * @typedef {object} Event
 * @property {number} seat
 * @property {Message | null} words a whole sentence; null where there is nothing to tell
 * @property {number} turn counted in the deal; steps of one turn have the same number
 * @property {number} deal
 * @property {string[]} played cards that left the hand
 * @property {string[]} cards all that it moved
 * @property {Fact} fact what was done, of which words are made
 * @property {Sheet | null} ended what the deal came to, if it ended with this
 */

/** A turn of one seat (or its answer inside another's turn) as one sentence, or the end of a deal.
 * @typedef {object} Line
 * @property {number} seat -1 for the end of a deal
 * @property {Message} words "Counter lays down the 5♣; builds 9 with 9♣ from the table"
 * @property {string[]} cards that were moved
 * @property {number} first its first event
 * @property {number} next the first event after it
 * @property {Sheet | null} ended
 */

/** The sheet of a deal. Rows and totals are by side, in the order of `sides`.
 * @typedef {object} Sheet
 * @property {number} deal counted from 1
 * @property {{ seats: number[], name: Message, you: boolean }[]} sides
 * @property {SheetRow[]} rows points by category
 * @property {number[]} points of the deal
 * @property {{ words: Message, counts: number[] }[]} counts cards and spades that were captured
 * @property {{ seat: number, cards: string[], words: Message } | null} left who got what was left on the table
 * @property {SheetMatch | null} match
 * @property {number[]} winners sides that have won the deal, or the match where it is decided: none if it is shared
 * @property {Message} verdict
 * @property {boolean} over the game (or match) is over
 */

/** @typedef {object} SheetRow
 * @property {string} name of the category, as in Game.breakdown
 * @property {Message} words
 * @property {number[]} points
 * @property {string[][]} cards that these points come from, where they come from certain cards
 */

/** @typedef {object} SheetMatch
 * @property {number[]} before
 * @property {number[]} after
 * @property {Message} goal "to 21 points"
 */

/** The table as the person sees it.
 * @typedef {object} Seen
 * @property {number} version another after every change
 * @property {string} variant
 * @property {number} person
 * @property {Message[]} names
 * @property {Scene} scene
 * @property {boolean} over
 * @property {boolean} mine the person decides now
 * @property {boolean} waiting an agent does: `advance` goes on
 * @property {number} decides the seat that decides, -1 if none
 * @property {boolean} undo
 * @property {boolean} begun the person has done something in this turn
 * @property {boolean} played its hand card of this turn is played
 * @property {boolean} endsItself nothing is left but to end the turn
 * @property {Message | null} question
 * @property {Move[]} moves
 * @property {Line[]} log everything that was done, turn by turn
 * @property {News} news
 * @property {SheetMatch | null} match the score so far
 * @property {Sheet | null} sheet of the last deal, once the game is over
 */

/** What the others did since the person's last turn.
 * @typedef {object} News
 * @property {Line[]} lines
 * @property {{ [token: string]: number }} cards moved, and by whom
 */

/** The table as it was before an event. @typedef {object} Past
 * @property {number} step
 * @property {number[]} steps events that can be looked at
 * @property {Scene} scene
 * @property {News} news
 * @property {Line | null} next what was done then
 */

/** What an agent would do. @typedef {object} Hint
 * @property {Message} agent its name
 * @property {Message} words "take 7♦ with the 7♠; end"
 * @property {string[]} actions the turn it would play
 * @property {Token[]} tokens of the first move of it
 * @property {Message | null} value "expects to end 1.2 points ahead of the others"
 * @property {HintRow[]} rows the best turns, best first
 */

/** @typedef {object} HintRow
 * @property {Message} words
 * @property {string[]} actions
 * @property {number | null} value points more than the others
 * @property {number} error half of its 95 % interval, 0 where it is exact
 * @property {number} share how likely the agent plays it, 0 to 1
 * @property {boolean} best nothing is better beyond the intervals
 */

/** A step of a record. @typedef {object} ReplayStep
 * @property {number} seat
 * @property {Message} words
 * @property {number} deal
 * @property {boolean} begins a turn, or an answer inside one
 */

/** A record at one of its steps. @typedef {object} Replayed
 * @property {number} step
 * @property {number} person -1 where nobody was
 * @property {Message[]} names
 * @property {Scene} scene
 * @property {Line | null} next the turn that was played from here
 * @property {Line[]} log of the whole record
 * @property {any} position Position JSON, with all hands
 * @property {Sheet | null} sheet
 */

/** A turn beside the best there was.
 * @typedef {object} Judged
 * @property {"same" | "level" | "mistake" | "better"} kind level: no difference beyond the interval
 * @property {Message} words "cost 1.5 points, give or take 0.4"
 * @property {Message} played
 * @property {Message} best
 * @property {number[]} answer the actions of the best
 * @property {number} lost points a deal that the best turn is worth more than what was played; negative: less
 * @property {number} error half of the 95 % interval of `lost`; 0 where it is exact
 * @property {boolean} exact by the solver
 * @property {any} position Position JSON
 */

/** A decision of a finished game looked at again. @typedef {Judged & { step: number }} Verdict */

/** A turn that was tried in an exercise. @typedef {Judged & { then: Message | null, instead: Message | null, behind: [Message, Message] | null }} Tried
 *   then: what whoever comes next would do; instead: the same after the best turn, where this one is a mistake; behind: where it
 *   is none, the next best turn and what it would have cost
 */

/** @typedef {object} Summary
 * @property {number} decisions
 * @property {number} looked how many of them have a verdict
 * @property {number} same
 * @property {number} mistakes
 * @property {number} net points lost in all, gains taken off
 * @property {number} error of it
 * @property {Verdict[]} worst mistakes first, then the rest by loss, without those that are the same
 * @property {Message} words
 * @property {Message} count how many were the same, how many mistakes
 */

/** A switch of the house rules. @typedef {object} Switch
 * @property {string} field
 * @property {Message} question
 * @property {any} value as it is now
 * @property {any} usual as the preset has it
 * @property {{ value: any, words: Message, refused: Message | null }[]} choices refused: why not, with all else as it is
 */

/** @typedef {object} SwitchGroup
 * @property {string} name
 * @property {Message} title
 * @property {boolean} common those that people mostly ask for
 * @property {Switch[]} switches
 */

/** A game as a first page shows it. @typedef {object} GameAbout
 * @property {string} name
 * @property {Message} title
 * @property {Message} line
 * @property {Message} kind for whom it is, such as "good to begin with"
 * @property {boolean} starter
 * @property {Sitting[]} sittings
 */

/** A game with so many players. @typedef {object} Sitting
 * @property {number} players
 * @property {boolean} partners
 * @property {number} turns each
 * @property {number} minutes of a deal
 * @property {boolean} match one can be played
 * @property {Message} words
 */

/** @typedef {object} AgentAbout
 * @property {string} spec
 * @property {Message} title
 * @property {Message} line
 */

/** A sheet of rules. @typedef {object} RulesSection
 * @property {string} name
 * @property {Message} title
 * @property {Message[]} lines
 */

/** A saved game. @typedef {object} Saved
 * @property {string} format
 * @property {number} rulesVersion
 * @property {Setup} setup
 * @property {(string[] | null)[]} changes the actions of every step, null where one was taken back
 */

export const PERSON = "you";
export const GUEST = "person"; // somebody else at this device
export const FRIEND = "friend"; // somebody elsewhere, by links
