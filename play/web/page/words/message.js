// Messages: a key with arguments, which a catalogue of templates turns into a sentence. Independent of the language.
//
// A template is text with arguments in braces, as in ICU MessageFormat:
//   {name}                                   the argument
//   {n, plural, =0 {none} one {# card} other {# cards}}    by the language's plural rules; # is the number
//   {who, select, you {take} other {takes}}   by the argument (for a seat: you, self, do, partner, they)
//   {cards, list}  {cards, list, plus}        a list: "A, B and C", or with the words of `list.plus` between its parts
// Apostrophes are not doubled; a literal brace is written '{'.

/** A card by its notation, such as 9H. @typedef {{ card: string }} CardArg */
/** The value of a card or build, written as a word: 9, jack, ace. @typedef {{ rank: number }} RankArg */
/** The grammatical person for a seat: addressed, reflexive, imperative, the listener's partner, somebody else.
 * @typedef {"you" | "self" | "do" | "partner" | "they"} As */
/** @typedef {{ seat: number, as: As, name: Message }} SeatArg */
/** @typedef {{ key: string, args?: { [name: string]: any } }} Message */
/** A language: `locale` and templates by key. @typedef {{ locale: string, [key: string]: string }} Catalogue */
/** A part of a formatted message; a page may draw its card, or set the name of its seat in bold.
 * @typedef {{ text: string, card?: string, seat?: number }} Part */

/** @param {string} key @param {{ [name: string]: any }} [args] @returns {Message} */
export const say = (key, args) => (args ? { key, args } : { key });

/** @param {string} name @returns {CardArg} */
export const cardArg = (name) => ({ card: name });

/** @param {number} value @returns {RankArg} */
export const rankArg = (value) => ({ rank: value });

/** @typedef {string | Hole} Piece */
/** @typedef {{ name: string, kind: string, style: string, cases: Map<string, Piece[]> | null }} Hole */

/** @type {Map<string, Piece[]>} */
const parsed = new Map();

/** @param {string} template @returns {Piece[]} */
function piecesOf(template) {
  let found = parsed.get(template);
  if (!found) {
    const reader = new Reader(template);
    found = reader.pieces();
    if (!reader.done) throw new Error(`template ${JSON.stringify(template)}: unexpected }`);
    parsed.set(template, found);
  }
  return found;
}

/** The arguments that a template uses. @param {string} template @returns {string[]} */
export function argumentsOf(template) {
  const named = (/** @type {Piece} */ piece) => {
    if (typeof piece === "string") return [];
    /** @type {string[]} */
    const inside = [...(piece.cases?.values() ?? [])].flat().flatMap(named);
    return [piece.name, ...inside];
  };
  return [...new Set(piecesOf(template).flatMap(named))];
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  get done() {
    return this.at >= this.text.length;
  }

  /** Text and holes up to a closing brace. @returns {Piece[]} */
  pieces() {
    /** @type {Piece[]} */
    const out = [];
    let text = "";
    while (!this.done && this.text[this.at] !== "}") {
      if (this.text.startsWith("'{'", this.at) || this.text.startsWith("'}'", this.at)) {
        text += this.text[this.at + 1];
        this.at += 3;
      } else if (this.text[this.at] === "{") {
        if (text) out.push(text);
        text = "";
        out.push(this.hole());
      } else {
        text += this.text[this.at++];
      }
    }
    if (text) out.push(text);
    return out;
  }

  /** @returns {Hole} */
  hole() {
    this.take("{");
    const name = this.word(), kind = this.next(",") ? this.word() : "";
    let style = "", cases = null;
    if (kind === "plural" || kind === "select") {
      this.take(",");
      cases = new Map();
      while (this.space() && this.text[this.at] !== "}") {
        const label = this.word();
        this.take("{");
        cases.set(label, this.pieces());
        this.take("}");
      }
      if (!cases.has("other")) throw new Error(`template ${JSON.stringify(this.text)}: ${name} needs a case other`);
    } else if (this.next(",")) {
      style = this.word();
    }
    this.take("}");
    return { name, kind, style, cases };
  }

  space() {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
    return !this.done;
  }

  /** @param {string} sign */
  next(sign) {
    this.space();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  /** @param {string} sign */
  take(sign) {
    if (!this.next(sign)) throw new Error(`template ${JSON.stringify(this.text)}: expected ${sign} at ${this.at}`);
  }

  word() {
    this.space();
    const found = /^[\w=.-]+/.exec(this.text.slice(this.at));
    if (!found) throw new Error(`template ${JSON.stringify(this.text)}: expected a word at ${this.at}`);
    this.at += found[0].length;
    return found[0];
  }
}

/** Formats messages with a catalogue, and with `fallback` for keys that it lacks. */
export class Speaker {
  /** @param {Catalogue} catalogue @param {Catalogue} [fallback] @param {"sign" | "name"} [cards] */
  constructor(catalogue, fallback = catalogue, cards = "sign") {
    this.catalogue = catalogue;
    this.fallback = fallback;
    this.cards = cards;
    this.rules = new Intl.PluralRules(catalogue.locale);
    this.others = new Intl.PluralRules(fallback.locale); // of templates that the language lacks
    this.lists = new Intl.ListFormat(catalogue.locale, { type: "conjunction" });
    this.numbers = new Intl.NumberFormat(catalogue.locale, { useGrouping: false, maximumFractionDigits: 2 });
  }

  /** @param {Message} message @returns {Part[]} */
  parts(message) {
    const template = this.template(message.key), rules = message.key in this.catalogue ? this.rules : this.others;
    return joined(this.fill(piecesOf(template), message.args ?? {}, null, rules));
  }

  /** @param {string} key */
  template(key) {
    const found = this.catalogue[key] ?? this.fallback[key];
    if (found === undefined) throw new Error(`no words for ${JSON.stringify(key)}`);
    return found;
  }

  /** @param {Piece[]} pieces @param {{ [name: string]: any }} args @param {number | null} counted
   * @param {Intl.PluralRules} [rules] @returns {Part[]} */
  fill(pieces, args, counted, rules = this.rules) {
    return pieces.flatMap((piece) => {
      if (typeof piece !== "string") return this.hole(piece, args, counted, rules);
      return [{ text: counted === null ? piece : piece.replaceAll("#", this.numbers.format(counted)) }];
    });
  }

  /** @param {Hole} hole @param {{ [name: string]: any }} args @param {number | null} counted
   * @param {Intl.PluralRules} rules @returns {Part[]} */
  hole(hole, args, counted, rules) {
    const value = args[hole.name];
    if (value === undefined) throw new Error(`a message needs the argument ${hole.name}`);
    if (hole.kind === "plural") {
      const cases = /** @type {Map<string, Piece[]>} */ (hole.cases), number = Number(value);
      const found = cases.get(`=${number}`) ?? cases.get(rules.select(number)) ?? cases.get("other");
      return this.fill(found ?? [], args, number, rules);
    }
    if (hole.kind === "select") {
      const cases = /** @type {Map<string, Piece[]>} */ (hole.cases);
      return this.fill(cases.get(kindOf(value)) ?? cases.get("other") ?? [], args, counted, rules);
    }
    if (hole.kind === "list") return this.list(Array.isArray(value) ? value : [value], hole.style);
    if (hole.kind === "decimal") return [{ text: this.decimal(Number(value)) }];
    return this.value(value);
  }

  /** Format with one decimal place. @param {number} value */
  decimal(value) {
    return value.toLocaleString(this.catalogue.locale,
      { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false });
  }

  /** @param {any} value @returns {Part[]} */
  value(value) {
    if (typeof value === "string") return [{ text: value }];
    if (typeof value === "number") return [{ text: this.numbers.format(value) }];
    if (Array.isArray(value)) return this.list(value, "");
    if ("card" in value) return [{ text: this.card(value.card), card: value.card }];
    if ("rank" in value) return [{ text: this.template(`rank.${value.rank}`) }];
    if ("seat" in value) return [{ text: this.parts(value.name).map(({ text }) => text).join(""), seat: value.seat }];
    return this.parts(value);
  }

  /** @param {string} name a card such as TD */
  card(name) {
    const args = { rank: this.template(`card.${this.cards}.${name[0]}`),
      suit: this.template(`card.${this.cards}.${name[1]}`) };
    return this.fill(piecesOf(this.template(`card.${this.cards}`)), args, null)
      .map(({ text }) => text)
      .join("");
  }

  /** @param {any[]} values @param {string} style @returns {Part[]} */
  list(values, style) {
    const items = values.map((value) => this.value(value));
    if (style) return items.flatMap((parts, at) => (at ? [{ text: this.template(`list.${style}`) }, ...parts] : parts));
    const last = this.catalogue["list.last"]; // for languages whose lists no browser can format
    if (last) {
      const before = (/** @type {number} */ at) => (at === items.length - 1 ? last : this.template("list.comma"));
      return items.flatMap((parts, at) => (at ? [{ text: before(at) }, ...parts] : parts));
    }
    const out = [];
    for (const { type, value } of this.lists.formatToParts(items.map((_, at) => `${at}`))) {
      if (type === "element") out.push(...items[Number(value)]);
      else out.push({ text: value });
    }
    return out;
  }
}

/** The label by which an argument selects a case. @param {any} value */
function kindOf(value) {
  if (typeof value === "object" && value !== null) {
    if ("as" in value) return value.as;
    if ("rank" in value) return `${value.rank}`;
    if ("card" in value) return value.card;
  }
  return `${value}`;
}

/** Merge neighbouring plain texts. @param {Part[]} parts @returns {Part[]} */
function joined(parts) {
  /** @type {Part[]} */
  const out = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (last && isPlain(last) && isPlain(part)) last.text += part.text;
    else if (part.text) out.push({ ...part });
  }
  return out;
}

/** @param {Part} part */
const isPlain = (part) => part.card === undefined && part.seat === undefined;

/** Capitalise the first letter. @param {Part[]} parts @param {string} locale @returns {Part[]} */
export function capitalised(parts, locale) {
  const [first, ...rest] = parts;
  if (!first || !first.text) return parts;
  return [{ ...first, text: first.text[0].toLocaleUpperCase(locale) + first.text.slice(1) }, ...rest];
}

/** Format a message as text with a capital first letter. @param {Speaker} speaker @param {Message} message */
export const textOf = (speaker, message) => capitalised(speaker.parts(message), speaker.catalogue.locale)
  .map(({ text }) => text).join("");
