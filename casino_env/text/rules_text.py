"""The rules of a game as text: a table of sentences, from which the switches of a game select.

The web page shows the same sentences: docs/generate.py copies them into its English.
"""

import re
from typing import Any

from casino_env.rules import Rules

# A sentence: its key on the page, its conditions, its text. A condition names a field or fact (_facts) that must be
# true (`name`), have a value (`name=value`), or not (`!` before either). A key rule.FIELD.VALUE is a condition, too.
# Stealing Bundles, which has no builds, only uses sentences with the condition "bundles" or "any".
Row = tuple[str, str, str]

# What scores points.
WHAT: tuple[Row, ...] = (
    ("aim.cards", "cards_points", "most cards"),
    ("aim.every", "spade_cards", "every spade"),
    ("aim.spades", "spades_points !spade_cards", "most spades"),
    ("aim.five", "five_spades_points !spade_cards", "five spades or more"),
    ("aim.aces", "ace_points", "each ace"),
    ("aim.card", "little_points !spade_cards", "the {card}"),
    ("aim.card", "big_points", "the {card}"),
    ("aim.sweeps", "sweeps", "clearing the table"),
)  # fmt: skip
# Name of a section -> its title and sentences.
SECTIONS: dict[str, tuple[str, tuple[Row, ...]]] = {
    "aim": ("How it goes", (
        ("rules.aim.points", "some_points !partners",
         "The aim is to take cards from the table. Points are for {what, list}. Whoever has most points at the "
         "end has won."),
        ("rules.aim.partners", "some_points partners",
         "The aim is to take cards from the table. Points are for {what, list}. The two partners with most "
         "points at the end have won."),
        ("rules.aim.bundles", "bundles", "The aim is to take cards. Whoever has most of them at the end has won."),
        ("rules.turn", "",
         "On your turn you play one card of your hand: take cards with it, build with it, or lay it down on "
         "the table, where others can take it."),
        ("rules.turn.merge", "equal_builds=merge",
         "Before and after it you may build with cards that lie on the table; then you end your turn."),
        ("rules.turn.bundles", "bundles",
         "On your turn you play one card of your hand: take with it, or lay it down on the table."),
        ("rules.example", "forty multi_capture",
         "An example: the {nine} takes {same} and also {a} + {b}, which come to 9. Or keep it: lay the {b} on "
         "{a}, say 'nine', and the two are a build that your {nine} takes on a later turn."),
        ("rules.example.single", "forty !multi_capture",
         "An example: the {nine} takes {same}. Or keep it: lay the {b} on {a}, say 'nine', and the two are a "
         "build that your {nine} takes on a later turn."),
    )),
    "cards": ("Cards", (
        ("rules.deal", "any !draw_hand",
         "{deck} cards, {table, plural, =0 {none} other {#}} on the table, {hand} to each hand{times, plural, "
         "=1 {} =2 {, dealt twice} other {, dealt # times}}."),
        ("rules.deal.draw", "any draw_hand",
         "{deck} cards, {table, plural, =0 {none} other {#}} on the table; everybody holds {hand} and draws a "
         "card after each turn."),
        ("rule.partners.true", "", "Those who sit opposite each other play together."),
        ("rule.ace_high.true", "", "An ace counts 1 or 14."),
        ("rule.ace_high.false", "", "An ace counts 1."),
        ("rule.courts.value", "pictures", "Ten and below count their number; jack, queen and king 11, 12 and 13."),
        ("rule.courts.any", "pictures", "Jacks, queens and kings have no number: each takes any number of its rank."),
        ("rule.courts.one_or_three", "pictures",
         "Jacks, queens and kings have no number: each takes one or three of its rank."),
        ("rule.courts.one", "pictures", "Jacks, queens and kings have no number: each takes one of its rank."),
        ("rules.recut", "recut",
         "If the first cards on the table are three that score, or three pictures, they are dealt anew."),
        ("rules.lead.rotates", "many_deals next_leader=rotates", "The first to play changes from deal to deal."),
        ("rules.lead.loser", "many_deals next_leader=loser", "Whoever lost the last deal plays first."),
        ("rules.lead.drawn", "many_deals next_leader=drawn", "Who plays first is drawn for every deal."),
    )),
    "taking": ("Taking", (
        ("rule.bundles.true", "any",
         "A card takes all loose cards of its rank, or a whole pile whose top has its rank."),
        ("rules.not.taken", "bundles", "What takes nothing is laid on the table."),
        ("rule.multi_capture.true", "",
         "A card takes loose cards of its number, cards that add up to it, and the build of that number."),
        ("rule.multi_capture.false", "",
         "A card takes one loose card of its number, or one build; nothing is added up."),
        ("rule.capture_tops.true", "tops_in_sums", "The tops of the opponents' piles can be taken like loose cards."),
        ("rule.tops_in_sums.false", "",
         "The top of an opponent's pile comes along if it equals the card and an equal loose card or the build "
         "is taken; it is part of no sum."),
        ("rule.owner_top.false", "!tops_in_sums",
         "Who takes an opponent's build leaves its owner's top, unless an equal loose card comes too."),
        ("rule.chain.all", "capture_tops", "What lies under a top that is taken may be the next, if it is equal."),
        ("rule.pile_capture_needs_table_card.true", "tops_in_sums",
         "Who takes a top takes a loose card or the build as well."),
        ("rule.insist_capture.always", "",
         "A capture takes all it can, and a card that can capture may not be laid down."),
        ("rule.insist_capture.never", "", "You take what you like, and may leave the rest."),
        ("rule.insist_capture.ask", "", "An opponent may insist that a capture takes all it can."),
        ("rule.partner_builds.true", "partners", "If your partner is known to hold a card, you may build for it."),
        ("rule.request.builds.optional", "partner_request=optional request_for=builds",
         "When you take a build of your side, your partner may ask for it; you may refuse."),
        ("rule.request.builds.binding", "partner_request=binding request_for=builds",
         "When you take a build of your side, your partner may ask for it, and gets it."),
        ("rule.request.loose.optional", "partner_request=optional request_for=loose",
         "When you take loose cards alone, your partner may ask for them as their build (Shiya); you may "
         "refuse."),
        ("rule.request.loose.binding", "partner_request=binding request_for=loose",
         "When you take loose cards alone, your partner may ask for them as their build (Shiya), and gets it."),
        ("rule.request.any.optional", "partner_request=optional request_for=any",
         "When you take a build of your side or loose cards alone, your partner may ask for them as their "
         "build; you may refuse."),
        ("rule.request.any.binding", "partner_request=binding request_for=any",
         "When you take a build of your side or loose cards alone, your partner may ask for them as their "
         "build, and gets it."),
    )),
    "building": ("Building", (
        ("rules.word.set", "forty",
         "A set is cards that come to one number, or one card that is worth it: {a} + {b} is a set of 9, and "
         "so is {same}."),
        ("rules.word.build", "",
         "A build is one set or more of the same number, laid together. It belongs to whoever made it, and "
         "only a card of that number takes it, all of it at once."),
        ("rules.word.single", "",
         "A single build has one set. To raise it is to lay a card on it that makes it worth more."),
        ("rule.equal_builds.merge", "",
         "Put cards together for a build that a card in your hand can take. Further sets of that number may be "
         "added to it, also from loose cards alone, before or after your hand card."),
        ("rule.equal_builds.join", "",
         "Put cards together for a build that a card in your hand can take. A set worth a build that stands "
         "joins it, whoever owns it, and makes you its owner."),
        ("rule.equal_builds.never", "",
         "Put cards together for a build that a card in your hand can take. There is only one build of each "
         "number, and nothing is added to it."),
        ("rule.new_builds.by_hand", "",
         "A new build begins with the card from your hand: in its first set, or laid on a loose card of the "
         "same number."),
        ("rule.new_builds.with_hand", "", "A new build holds the card from your hand, in one of its sets."),
        ("rule.keep_backing.true", "", "Keep a card for every build you own."),
        ("rule.keep_backing.false", "", "You need a card for a build when you make it, and not after."),
        ("rule.build_limit", "build_limit",
         "Own {n, plural, one {one build} other {# builds}} at most when your turn ends."),
        ("rule.second_build_in_turn.true", "build_limit equal_builds=merge",
         "One more may be made without a hand card if one of them is taken in the same turn."),
        ("rule.limit_first_phase_only.true", "build_limit", "That limit ends with the last deal of cards."),
        ("rule.raise_by.opponents", "", "A single build of an opponent may be raised with a card from your hand."),
        ("rule.raise_by.anyone", "", "A single build may be raised with a card from your hand, your own too."),
        ("rule.raise_with_table.true", "", "Loose cards may help to raise."),
        ("rule.raise_limit.double", "", "A raise makes a build worth at most twice what it was."),
        ("rule.raise_or_add.true", "", "If a raised build joins yours, nothing else is added in that turn."),
        ("rule.add_to_partner.false", "partners",
         "Your partner's build is only taken: you neither add to it nor raise another to its number."),
        ("rule.owner_discard.second_phase", "",
         "Who owns a build may not lay a card down before the last cards are dealt."),
        ("rule.owner_discard.never", "", "Who owns a build may not lay a card down."),
        ("rule.use_discard_same_turn.false", "", "A card just laid down stays out of sets in the same turn."),
        ("rule.insist_augment.always", "",
         "What can be added to your builds from the table has to be, before your turn ends."),
        ("rule.insist_augment.ask", "", "An opponent may insist that what can be added to your builds is added."),
    )),
    "stealing": ("Stealing", (
        ("rules.word.steal", "!steal=no", "To steal is to use the top card of an opponent's pile."),
        ("rule.steal.augment", "", "Tops of the opponents' piles may go into sets that are added to a build."),
        ("rule.steal.with_hand_card", "",
         "Once a turn the top of an opponent's pile may go into your build, with your hand card."),
        ("rule.steal.bound", "",
         "Any number of tops of the opponents' piles may go into a build of yours; the card from your hand "
         "then goes into that build too, or takes it."),
        ("rule.steal_from_partner.true", "!steal=no partners", "Your partner's pile counts as well."),
        ("rule.no_return.true", "!steal=no",
         "A set of several cards may not begin on the pile that gave the last card."),
        ("rule.chain.no", "!steal=no", "Each pile gives one card a turn."),
    )),
    "piles": ("Piles", (
        ("rules.bundle.pile", "bundles", "The card that took lies on top of the pile."),
        ("rule.stacking.secret", "",
         "Captured cards lie in the order that their capturer likes, the capturing card on top."),
        ("rule.stacking.as_built", "", "Captured cards lie as they were built, the capturing card on top."),
        ("rule.stacking.lowest_on_top", "", "The lowest card of a capture lies on top."),
        ("rule.stacking.build_on_top", "",
         "What was loose goes lowest, then the build, then the capturing card on top."),
        ("rule.stacking.face_down", "", "Piles lie face down."),
        ("rule.pile_order.ask", "", "You lay what you take on your pile card by card."),
        ("rule.resort_raised.true", "", "When a build is raised its cards are laid anew, the smallest uppermost."),
        ("rule.shared_pile.true", "partners", "Partners share one pile."),
        ("rule.leftovers.last_capture", "any", "What is left on the table at the end goes to whoever captured last."),
        ("rule.leftovers.nobody", "any", "What is left on the table at the end is nobody's."),
    )),
    "points": ("Points", (
        ("points.cards", "cards_points any", "{n} for most cards"),
        ("points.spades", "spades_points !spade_cards any", "{n} for most spades"),
        ("points.five", "five_spades_points any", "{n} for five spades or more"),
        ("points.little", "little_points !spade_cards any", "{n} for the two of spades ({card})"),
        ("points.big", "big_points any", "{n} for the big ten ({card})"),
        ("points.ace", "ace_points any", "{n} for each ace"),
        ("points.tie.one_each", "majorities ties=one_each any", "where several have most, each of them gets one point"),
        ("points.tie.nobody", "majorities ties=nobody any", "where several have most, nobody gets these points"),
        ("points.shutout", "shutout majorities any",
         "who alone has any of the aces, the two of spades and the {card} also gets the points of both "
         "majorities"),
        ("points.spade", "spade_cards any", "2 each for the two, jack and ace of spades, 1 for every other spade"),
        ("points.sweeps", "sweeps any", "1 for each capture that empties the table"),
        ("points.break", "tie_break=big_ten any", "of those who are level at the top, whoever has the {card} has won"),
        ("points.target", "target any", "a match goes to {target} points"),
        ("points.first.big_first", "target counting=big_first any",
         "if several reach {target} at once, points are counted in this order, and whoever gets there first has won: "
         "cards, spades, the big ten, the two of spades, aces (spades, clubs, hearts, diamonds), sweeps"),
        ("points.first.little_first", "target counting=little_first any",
         "if several reach {target} at once, points are counted in this order, and whoever gets there first has won: "
         "cards, spades, the two of spades, the big ten, aces (spades, clubs, hearts, diamonds), sweeps"),
        ("points.first.total", "target counting=total any",
         "if several reach {target} at once, whoever has most has won; if that is nobody, another deal is played"),
        ("points.out", "count_out any",
         "whoever has the points of the match may say so at the beginning of a turn; who is wrong has lost"),
        ("points.rounds", "match_rounds any",
         "a match is {rounds, plural, one {one deal} other {# deals}} by each player"),
        ("points.games", "match_games any", "a match is won by {won} of {deals} games; a game is one deal"),
    )),
}  # fmt: skip
_PLURAL = re.compile(r"\{(\w+), plural, ((?:[=\w]+ \{[^{}]*\} ?)+)\}")


def rules_text(rules: Rules) -> dict[str, list[str]]:
    """Title -> sentences of each section of the rules; empty sections are left out."""
    facts = _facts(rules)
    facts["what"] = listed(_sentences(WHAT, facts))
    said = {title: _sentences(rows, facts) for title, rows in SECTIONS.values()}
    return {title: [line[0].upper() + line[1:] for line in lines] for title, lines in said.items() if lines}


def sentences(rows: tuple[Row, ...], rules: Rules) -> list[str]:
    """The sentences of the rows whose conditions these rules meet."""
    return _sentences(rows, _facts(rules))


def _facts(rules: Rules) -> dict[str, Any]:
    """The values that select and fill sentences: the switches, and facts derived from them."""
    facts = vars(rules) | {
        "any": True,
        "forty": rules.deck >= 40,  # the deck has the cards of the examples
        "pictures": rules.deck > 40,
        "majorities": rules.cards_points or (rules.spades_points and not rules.spade_cards),
        "tops": rules.capture_tops or rules.steal != "no" or rules.bundles,
        "asks": "ask" in (rules.insist_capture, rules.insist_augment) or rules.partner_request != "off"
        or rules.partner_builds,
        "many_deals": rules.target or rules.match_games or rules.match_rounds,
        "table": rules.table_cards, "hand": rules.draw_hand or rules.hand_size, "times": rules.rounds,
        "nine": "9H", "same": "9C", "a": "5D", "b": "4S",
        "won": rules.match_games // 2 + 1, "deals": rules.match_games,
        "rounds": rules.match_rounds,
    }  # fmt: skip
    return facts | {"some_points": any(_holds(row, facts) for row in WHAT)}


def _sentences(rows: tuple[Row, ...], facts: dict[str, Any]) -> list[str]:
    return [_filled(row, facts) for row in rows if _holds(row, facts)]


def _holds(row: Row, facts: dict[str, Any]) -> bool:
    key, when, _ = row
    conditions, named = when.split(), key.split(".")
    if len(named) == 3 and named[0] == "rule" and named[1] in facts:
        conditions.append(f"{named[1]}={named[2]}")
    if not {"any", "bundles"} & {*conditions}:
        conditions.append("!bundles")
    return all(_is_so(condition, facts) for condition in conditions)


def _is_so(condition: str, facts: dict[str, Any]) -> bool:
    field, equals, value = condition.removeprefix("!").partition("=")
    true = str(facts[field]).lower() == value if equals else bool(facts[field])
    return true != condition.startswith("!")


def _filled(row: Row, facts: dict[str, Any]) -> str:
    """Fill a sentence: {n} is the value of the first field in its conditions, {card} the card it scores."""
    _, when, text = row
    field = when.partition(" ")[0]
    words = facts | {"n": facts.get(field), "card": "2S" if field == "little_points" else facts["big_ten"]}
    text = _PLURAL.sub(lambda found: _by_number(words[found[1]], found[2]), text)
    return text.replace("{what, list}", "{what}").format_map(words)


def _by_number(number: int, cases: str) -> str:
    """Choose a plural form, as in ICU messages: `=0 {none} one {a card} other {# cards}`."""
    known: dict[str, str] = dict(re.findall(r"([=\w]+) \{([^{}]*)\}", cases))
    other = known["one" if number == 1 and "one" in known else "other"]
    return known.get(f"={number}", other).replace("#", str(number))


def listed(items: list[str]) -> str:
    """Join as "A, B and C"."""
    return " and ".join([*filter(None, [", ".join(items[:-1])]), *items[-1:]])
