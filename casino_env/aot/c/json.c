/* Position JSON for casino.h (docs/positions.md): convert text to a position in flat form, and back. Malformed text is
 * rejected here, with one line; kernels make the game from the flat form and reject impossible positions. */
#include "casino.h"
#include "kernels.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))
#define DIGITS "0123456789"
#define HEXADECIMAL DIGITS "abcdefABCDEF"
enum { DEEPEST = 16, ROOM_OF_PLACE = 64, SHOWN = 40 };
static const int64_t LARGE = (INT64_C(1) << 53) - 1; /* the largest number that every JSON parser keeps exact */

/* --- JSON: a value is a pointer to its first character ------------------------------------------------------------ */

static const char *past_blanks(const char *at) { return at + strspn(at, " \t\n\r"); }

/* Read a character of a string and move past it; -1: invalid. Each byte beyond ASCII counts as a character. */
static int letter(const char **at) {
    static const char names[] = "\"\\/bfnrt", letters[] = "\"\\/\b\f\n\r\t";
    const char *here = *at, *named;
    *at = here + 1;
    if (*here != '\\') return (unsigned char)*here < ' ' ? -1 : (unsigned char)*here;
    *at = here + 2;
    named = here[1] ? strchr(names, here[1]) : NULL;
    if (named) return letters[named - names];
    if (here[1] != 'u' || strspn(here + 2, HEXADECIMAL) < 4) return -1;
    *at = here + 6;
    const char code[] = {here[2], here[3], here[4], here[5], 0};
    return (int)strtol(code, NULL, 16);
}

static const char *end_of_text(const char *at) {
    for (at++; *at != '"';)
        if (letter(&at) < 0) return NULL;
    return at + 1;
}

static const char *past_digits(const char *at) { return at && strspn(at, DIGITS) ? at + strspn(at, DIGITS) : NULL; }

static const char *end_of_number(const char *at) {
    at += *at == '-';
    at = *at == '0' ? at + 1 : past_digits(at);
    if (at && *at == '.') at = past_digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) at = past_digits(at + 1 + (at[1] == '+' || at[1] == '-'));
    return at;
}

/* The end of a value; NULL: it is malformed, or nested more than `deep` levels. */
static const char *end_of(const char *at, int deep) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < LENGTH(words); i++)
        if (!strncmp(at, words[i], strlen(words[i]))) return at + strlen(words[i]);
    if (*at == '"') return end_of_text(at);
    if (*at != '{' && *at != '[') return end_of_number(at);
    const char close = *at == '{' ? '}' : ']';
    at = past_blanks(at + 1);
    if (!deep || *at == close) return deep ? at + 1 : NULL;
    for (;; at = past_blanks(at + 1)) {
        if (close == '}') {
            const char *key = *at == '"' ? end_of_text(at) : NULL;
            if (!key || *past_blanks(key) != ':') return NULL;
            at = past_blanks(past_blanks(key) + 1);
        }
        at = end_of(at, deep - 1);
        if (!at) return NULL;
        at = past_blanks(at);
        if (*at == close) return at + 1;
        if (*at != ',') return NULL;
    }
}

typedef struct { const char *at, *key, *value; } Items; /* an iterator over a list or an object */

static Items items_of(const char *whole) { return (Items){whole, NULL, NULL}; }

/* Advance to the next item; 0: there is none. */
static int next(Items *items) {
    const char *here = *items->at == ']' || *items->at == '}' ? items->at : past_blanks(items->at + 1);
    if (*here == ']' || *here == '}') return 0;
    const char *colon = *here == '"' ? past_blanks(end_of_text(here)) : here;
    items->key = *here == '"' && *colon == ':' ? here : NULL;
    items->value = items->key ? past_blanks(colon + 1) : here;
    items->at = past_blanks(end_of(items->value, DEEPEST));
    return 1;
}

static int is(const char *value, const char *word) {
    if (*value++ != '"') return 0;
    while (*word && *value != '"' && letter(&value) == (unsigned char)*word) word++;
    return !*word && *value == '"';
}

static int count_of(const char *whole) {
    int count = 0;
    for (Items items = items_of(whole); next(&items);) count++;
    return count;
}

/* The value of a key; NULL: the key is missing. */
static const char *member(const char *object, const char *key) {
    const char *found = NULL;
    for (Items items = items_of(object); next(&items);)
        if (is(items.key, key)) found = items.value;
    return found;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
    casino_rules rules;
    casino_flat flat;
    char *said;     /* the first error */
    size_t room;
    int wrong;
} Reading;

static void refuse(Reading *r, const char *format, ...) {
    va_list words;
    va_start(words, format);
    if (!r->wrong && r->room) vsnprintf(r->said, r->room, format, words);
    va_end(words);
    r->wrong = 1;
}

static void refuse_value(Reading *r, const char *value, const char *where, const char *wanted) {
    const long length = (long)(end_of(value, DEEPEST) - value);
    refuse(r, "%s = %.*s%s; it must be %s", where, (int)(length > SHOWN ? SHOWN : length), value,
           length > SHOWN ? "..." : "", wanted);
}

/* Whether there is a value of the kind that begins with this letter; refuse one of another kind. */
static int is_kind(Reading *r, const char *value, char letter, const char *where) {
    if (!value || *value == letter) return value != NULL;
    refuse_value(r, value, where, letter == '[' ? "a list" : letter == '{' ? "an object" : "text");
    return 0;
}

static int64_t number_in(Reading *r, const char *value, const char *where, int64_t low, int64_t high) {
    char *end = NULL, wanted[96];
    const long long found = strtoll(value, &end, 10);
    if (strchr("-" DIGITS, *value) && end == end_of(value, DEEPEST) && found >= low && found <= high) return found;
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)low, (long long)high);
    refuse_value(r, value, where, wanted);
    return low;
}

static int64_t number(Reading *r, const char *value, const char *where) {
    return number_in(r, value, where, -LARGE, LARGE);
}

static int64_t seat(Reading *r, const char *value, const char *where) {
    return number_in(r, value, where, 0, casino_players(&r->rules) - 1);
}

static int64_t card(Reading *r, const char *value, const char *where) {
    for (int i = 0; i < CASINO_CARDS; i++)
        if (is(value, CARD_NAMES[i])) return i;
    refuse_value(r, value, where, "a card: its rank, then its suit, such as \"TD\"");
    return 0;
}

static void add_row(Reading *r, int64_t what, int place, int part) {
    casino_flat *flat = &r->flat;
    if (flat->row_count == CASINO_ROWS) {
        refuse(r, "more than %d cards and numbers", CASINO_ROWS);
        return;
    }
    int64_t *row = flat->rows[flat->row_count++];
    row[0] = what;
    row[1] = place;
    row[2] = part;
}

typedef int64_t Read(Reading *r, const char *value, const char *where); /* reads a card or a number */

static void read_list(Reading *r, const char *list, const char *where, int place, int part, Read *read) {
    if (!is_kind(r, list, '[', where)) return;
    for (Items items = items_of(list); next(&items);) add_row(r, read(r, items.value, where), place, part);
}

/* Whether a list is missing or has no items, which stand for the default. */
static int is_nothing(const char *list) { return !list || (*list == '[' && !count_of(list)); }

static int has_length(Reading *r, const char *list, const char *where, int64_t wanted, const char *of) {
    if (!is_kind(r, list, '[', where)) return 0;
    if (count_of(list) != wanted) refuse(r, "%s: must be a list of %lld, one for each %s", where, (long long)wanted, of);
    return count_of(list) == wanted;
}

static int place_of(const char *name) {
    int place = 0;
    while (strcmp(PLACE_NAMES[place], name)) place++;
    return place;
}

static void read_per_seat(Reading *r, const char *position, const char *key, Read *read) {
    char where[ROOM_OF_PLACE];
    const char *lists = member(position, key);
    if (is_nothing(lists) || !has_length(r, lists, key, casino_players(&r->rules), "seat")) return;
    int of = 0;
    for (Items items = items_of(lists); next(&items); of++) {
        snprintf(where, sizeof where, "%s[%d]", key, of);
        read_list(r, items.value, where, place_of(where), 0, read);
    }
}

static void read_per_side(Reading *r, const char *position, const char *key) {
    const char *list = member(position, key);
    if (is_nothing(list) || !has_length(r, list, key, r->rules.words[SIDES_WORD], "side")) return;
    int side = 0;
    for (Items items = items_of(list); next(&items); side++)
        add_row(r, number(r, items.value, key), place_of(key), side);
}

static void check_keys(Reading *r, const char *object, const char *const *keys, int many, const char *where) {
    for (Items items = items_of(object); next(&items);) {
        int i = 0;
        while (i < many && !is(items.key, keys[i])) i++;
        if (i == many) refuse(r, "%s: unknown key %.*s", where, (int)(end_of_text(items.key) - items.key), items.key);
    }
}

static void read_build(Reading *r, const char *build, int which) {
    char where[ROOM_OF_PLACE], sets[ROOM_OF_PLACE];
    snprintf(where, sizeof where, "builds[%d]", which);
    if (!is_kind(r, build, '{', where)) return;
    check_keys(r, build, BUILD_KEYS, LENGTH(BUILD_KEYS), where);
    for (int i = 0; i < LENGTH(BUILD_KEYS); i++)
        if (!member(build, BUILD_KEYS[i])) refuse(r, "%s: must have value, owner and sets", where);
    if (which == CASINO_BUILDS) refuse(r, "builds: more than %d", CASINO_BUILDS);
    if (r->wrong) return;
    int64_t *row = r->flat.builds[r->flat.build_count++];
    row[0] = number_in(r, member(build, "value"), where, 1, r->rules.words[MAX_BUILD_WORD]);
    row[1] = seat(r, member(build, "owner"), where);
    if (!is_kind(r, member(build, "sets"), '[', where)) return;
    for (Items items = items_of(member(build, "sets")); next(&items); row[2]++) {
        snprintf(sets, sizeof sets, "%s.sets[%d]", where, (int)row[2]);
        read_list(r, items.value, sets, casino_place_of_build(which), (int)row[2], card);
    }
}

static void read_turn(Reading *r, const char *turn) {
    char where[ROOM_OF_PLACE];
    for (Items items = items_of(turn); next(&items);) {
        const int length = (int)(end_of_text(items.key) - items.key) - 2;
        int i = 0, place = 0;
        snprintf(where, sizeof where, "turn.%.*s", length, items.key + 1);
        while (i < CASINO_NUMBERS && !(TURN_KINDS[i] && is(items.key, FIELD_NAMES[i]))) i++;
        while (place < LENGTH(PLACE_NAMES) && strcmp(PLACE_NAMES[place], where)) place++;
        if (i < CASINO_NUMBERS) r->flat.numbers[i] = (TURN_KINDS[i] == OF_CARD ? card : number)(r, items.value, where);
        else if (place < LENGTH(PLACE_NAMES)) read_list(r, items.value, where, place, 0, card);
        else refuse(r, "turn: unknown key %.*s", length + 2, items.key);
    }
}

static void read_match(Reading *r, const char *match) {
    const char *stream = member(match, "stream"), *deals = member(match, "deals");
    check_keys(r, match, MATCH_KEYS, LENGTH(MATCH_KEYS), "match");
    r->flat.numbers[MATCH_NUMBER] = 1;
    if (deals) r->flat.numbers[DEALS_NUMBER] = number(r, deals, "match.deals");
    if (!stream) return;
    const size_t length = *stream == '"' ? strspn(stream + 1, HEXADECIMAL) : 0;
    if (length && length <= 16 && stream[length + 1] == '"') r->flat.stream = strtoull(stream + 1, NULL, 16);
    else refuse_value(r, stream, "match.stream", "a string of 16 hexadecimal digits");
}

/* Read a top-level number that FIELD_NAMES names. */
static void read_field(Reading *r, const char *position, int field, Read *read) {
    const char *value = member(position, FIELD_NAMES[field]);
    if (value) r->flat.numbers[field] = read(r, value, FIELD_NAMES[field]);
}

static void read_numbers(Reading *r, const char *position) {
    int64_t *numbers = r->flat.numbers;
    const char *turn = member(position, "turn"), *match = member(position, "match");
    const char *winner = member(position, "winner"), *last = member(position, "last_capture");
    read_field(r, position, ROUND_NUMBER, number);
    read_field(r, position, TURNS_NUMBER, number);
    read_field(r, position, TO_MOVE_NUMBER, seat);
    read_field(r, position, LEADER_NUMBER, seat);
    if (last && *last != 'n') numbers[LAST_CAPTURE_NUMBER] = seat(r, last, "last_capture");
    numbers[ACTOR_NUMBER] = numbers[TO_MOVE_NUMBER];
    if (is_kind(r, turn, '{', "turn")) read_turn(r, turn);
    if (is_kind(r, match, '{', "match")) read_match(r, match);
    if (!winner) return;
    r->flat.winner_said = 1;
    numbers[WINNER_NUMBER] = *winner == 'n' ? -2 : number_in(r, winner, "winner", 0, r->rules.words[SIDES_WORD] - 1);
}

static void read_position(Reading *r, const char *position) {
    const char *builds = member(position, "builds");
    if (is_nothing(member(position, "hands"))) refuse(r, "hands: missing; give a list of cards for each seat");
    read_per_seat(r, position, "hands", card);
    read_per_seat(r, position, "piles", card);
    read_list(r, member(position, "layout"), "layout", place_of("layout"), 0, card);
    read_list(r, member(position, "stock"), "stock", place_of("stock"), 0, card);
    if (is_kind(r, builds, '[', "builds"))
        for (Items items = items_of(builds); !r->wrong && next(&items);)
            read_build(r, items.value, (int)r->flat.build_count);
    read_per_seat(r, position, "proven", number);
    read_per_side(r, position, "match_score");
    read_per_side(r, position, "sweeps");
    read_numbers(r, position);
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

static int choice_of(const char *const *choices, const char *value) {
    int found = 0;
    while (choices[found] && !is(value, choices[found])) found++;
    return choices[found] ? found : -1;
}

static void read_switch(Reading *r, const Switch *one, const char *value) {
    char where[ROOM_OF_PLACE];
    int64_t *word = &r->rules.words[one->word];
    snprintf(where, sizeof where, "rules: %s", one->name);
    if (one->choices) {
        const int found = choice_of(one->choices, value);
        if (found < 0) refuse_value(r, value, where, "one of its choices (docs/rules.md)");
        else *word = found;
    } else if (one->most) *word = number_in(r, value, where, 0, one->most);
    else if (*value == 't' || *value == 'f') *word = *value == 't';
    else refuse_value(r, value, where, "true or false");
}

static const Table *find_table(const char *variant, int64_t players, int singles) {
    for (int i = 0; i < TABLES; i++)
        if (is(variant, TABLE_NAMES[i].variant) && TABLE_NAMES[i].singles == singles &&
            casino_tables[i].rules.words[PLAYERS_WORD] == players) return &TABLE_NAMES[i];
    return NULL;
}

static const casino_rules *rules_at(const Table *table) { return &casino_tables[table - TABLE_NAMES].rules; }

/* Whether a string can be the name of a game: one line of 1 to 60 characters, without blanks at either end. */
static int is_name(const char *value) {
    int count = 0, last = ' ';
    for (const char *at = value + 1; *at != '"';) {
        const int code = letter(&at);
        if (code < ' ' || code == 127 || (!count && code == ' ')) return 0;
        count += code < 128 || code > 255 || code >> 6 == 3; /* in UTF-8 count only the first byte of a character */
        last = code;
    }
    return last != ' ' && count <= 60;
}

/* Set the rules to which the changes apply: a preset's, or the defaults (returns NULL: no switch is fixed). */
static const Table *begin_rules(Reading *r, const char *variant, int64_t players, const char *changes) {
    const char *own = changes ? member(changes, "own") : NULL, *partners = changes ? member(changes, "partners") : NULL;
    if (own && *own != 't' && *own != 'f') refuse_value(r, own, "rules: own", "true or false");
    if (own ? *own == 't' : changes && count_of(changes) > LENGTH(SWITCHES) / 2) {
        if (!is_name(variant)) refuse_value(r, variant, "rules: name", "one line of 1 to 60 characters");
        r->rules = DEFAULT_RULES;
        r->rules.words[PLAYERS_WORD] = players;
        return NULL;
    }
    const Table *table = find_table(variant, players, 0), *other = find_table(variant, players, 1);
    if (!table) refuse(r, "unknown game %.*s with %lld players", (int)(end_of_text(variant) - variant), variant,
                       (long long)players);
    else if (other && partners && *partners == 'f') table = other;
    if (table) r->rules = *rules_at(table);
    return table;
}

static void read_rules(Reading *r, const char *position) {
    const char *variant = member(position, "variant"), *players = member(position, "players");
    const char *changes = member(position, "rules");
    if (!variant || *variant != '"' || !players) refuse(r, "variant must be a name and players a whole number");
    is_kind(r, changes, '{', "rules");
    if (r->wrong) return;
    const Table *table = begin_rules(r, variant, number(r, players, "players"), changes);
    const casino_rules before = r->rules;
    for (Items items = items_of(changes ? changes : "{}"); !r->wrong && next(&items);) {
        int i = 0;
        while (i < LENGTH(SWITCHES) && !is(items.key, SWITCHES[i].name)) i++;
        if (i < LENGTH(SWITCHES)) read_switch(r, &SWITCHES[i], items.value);
        else if (!is(items.key, "own"))
            refuse(r, "rules: unknown rule %.*s", (int)(end_of_text(items.key) - items.key), items.key);
        if (i < LENGTH(SWITCHES) && table && table->fixed >> i & 1 &&
            r->rules.words[SWITCHES[i].word] != before.words[SWITCHES[i].word])
            refuse(r, "rules: %s has no %s; its document rules it out", table->variant, SWITCHES[i].name);
    }
    if (r->wrong) return;
    casino_rules derived = r->rules;
    int64_t block[] = {(int64_t)(intptr_t)&r->rules, 1, (int64_t)(intptr_t)&derived, 1};
    RULES_HOLD(block);
    r->rules = derived;
    if (casino_check_rules(&r->rules)) refuse(r, "rules: %s", casino_error(CASINO_BAD_RULES));
}

int casino_from_json(casino_game *game, casino_rules *rules, const char *json, char *said, size_t room) {
    if (!game || !rules || !json || (room && !said)) return CASINO_NULL_POINTER;
    Reading *r = calloc(1, sizeof *r);
    if (!r) return CASINO_NO_MEMORY;
    r->said = said;
    r->room = room;
    if (room) *said = 0;
    casino_empty(&r->flat);
    json = past_blanks(json);
    const char *end = *json == '{' ? end_of(json, DEEPEST) : NULL;
    if (!end || *past_blanks(end)) refuse(r, "not a JSON object");
    else check_keys(r, json, POSITION_KEYS, LENGTH(POSITION_KEYS), "position");
    if (!r->wrong) read_rules(r, json);
    if (!r->wrong) read_position(r, json);
    casino_refusal why = {0};
    int found = r->wrong ? CASINO_BAD_POSITION : casino_build(game, &r->rules, &r->flat, &why);
    if (!found) *rules = r->rules;
    else if (!r->wrong && casino_refusal_text(&why, &r->rules, said, room) < 0) refuse(r, "%s", casino_error(found));
    free(r);
    return found;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char *to;
    size_t room, count;
} Text;

static void put(Text *text, const char *format, ...) {
    const size_t left = text->count < text->room ? text->room - text->count : 0;
    va_list words;
    va_start(words, format);
    const int more = vsnprintf(left ? text->to + text->count : NULL, left, format, words);
    va_end(words);
    text->count += more > 0 ? (size_t)more : 0;
}

/* Write the cards or numbers of a list, or of one of its parts (part -1: all). */
static void put_list(Text *text, const casino_flat *flat, int place, int part, int cards) {
    const char *comma = "";
    put(text, "[");
    for (const int64_t *row = flat->rows[0]; row < flat->rows[flat->row_count]; row += 3) {
        if (row[1] != place || (part >= 0 && row[2] != part)) continue;
        if (cards) put(text, "%s\"%s\"", comma, CARD_NAMES[row[0]]);
        else put(text, "%s%lld", comma, (long long)row[0]);
        comma = ", ";
    }
    put(text, "]");
}

static void put_key(Text *text, const char *key) { put(text, ", \"%s\": ", key); }

static void put_number(Text *text, const char *key, int64_t number) {
    put_key(text, key);
    if (number < 0) put(text, "null");
    else put(text, "%lld", (long long)number);
}

static void put_named(Text *text, const casino_flat *flat, const char *key, int cards) {
    put_key(text, key);
    put_list(text, flat, place_of(key), -1, cards);
}

static void put_per_seat(Text *text, const casino_flat *flat, const char *key, int seats, int cards) {
    char place[ROOM_OF_PLACE];
    put_key(text, key);
    for (int i = 0; i < seats; i++) {
        snprintf(place, sizeof place, "%s[%d]", key, i);
        put(text, i ? ", " : "[");
        put_list(text, flat, place_of(place), -1, cards);
    }
    put(text, "]");
}

static void put_builds(Text *text, const casino_flat *flat) {
    put_key(text, "builds");
    put(text, "[");
    for (int i = 0; i < flat->build_count; i++) {
        const int64_t *build = flat->builds[i];
        put(text, "%s{\"value\": %lld, \"owner\": %lld, \"sets\": [", i ? ", " : "", (long long)build[0],
            (long long)build[1]);
        for (int part = 0; part < build[2]; part++) {
            put(text, part ? ", " : "");
            put_list(text, flat, casino_place_of_build(i), part, 1);
        }
        put(text, "]}");
    }
    put(text, "]");
}

static int has_rows(const casino_flat *flat, int place) {
    for (int i = 0; i < flat->row_count; i++)
        if (flat->rows[i][1] == place) return 1;
    return 0;
}

/* Write the turn's fields that differ from those of a turn that has not begun. */
static void put_turn(Text *text, const casino_flat *flat) {
    const char *before = ", \"turn\": {";
    for (int i = 0; i < CASINO_NUMBERS; i++) {
        const int64_t now = flat->numbers[i];
        if (!TURN_KINDS[i] || now == (i == ACTOR_NUMBER ? flat->numbers[TO_MOVE_NUMBER] : NUMBERS_BEFORE[i])) continue;
        put(text, "%s\"%s\": ", before, FIELD_NAMES[i]);
        if (TURN_KINDS[i] == OF_CARD) put(text, "\"%s\"", CARD_NAMES[now]);
        else put(text, "%lld", (long long)now);
        before = ", ";
    }
    for (int place = place_of("turn.picked"); place < LENGTH(PLACE_NAMES); place++) {
        if (!has_rows(flat, place)) continue;
        put(text, "%s\"%s\": ", before, PLACE_NAMES[place] + strlen("turn."));
        put_list(text, flat, place, -1, 1);
        before = ", ";
    }
    if (!strcmp(before, ", ")) put(text, "}");
}

/* The number of switches that a file must name besides the table; LENGTH(SWITCHES) or more: impossible. */
static int unlike(const casino_rules *rules, const casino_rules *base, const Table *table) {
    int count = table && table->singles;
    for (int i = 0; i < LENGTH(SWITCHES); i++) {
        if (rules->words[SWITCHES[i].word] == base->words[SWITCHES[i].word]) continue;
        const int of_table = table && (table->singles || find_table(table->quoted, rules->words[PLAYERS_WORD], 1));
        const int fixed = table && table->fixed >> i & 1;
        count += fixed || (of_table && !strcmp(SWITCHES[i].name, "partners")) ? LENGTH(SWITCHES) : 1;
    }
    return count;
}

static void put_rules(Text *text, const casino_rules *rules) {
    const Table *best = NULL; /* NULL: a custom game, as changes to the defaults */
    int least = LENGTH(SWITCHES) / 2;
    for (const Table *table = TABLE_NAMES; table < TABLE_NAMES + TABLES; table++) {
        if (rules_at(table)->words[PLAYERS_WORD] != rules->words[PLAYERS_WORD]) continue;
        const int count = unlike(rules, rules_at(table), table);
        if (count >= least) continue;
        least = count;
        best = table;
    }
    const casino_rules *base = best ? rules_at(best) : &DEFAULT_RULES;
    const char *comma = best && !best->singles ? "" : ", ";
    put(text, "{\"variant\": %s, \"players\": %lld, \"rules\": {", best ? best->quoted : "\"custom\"",
        (long long)rules->words[PLAYERS_WORD]);
    if (*comma) put(text, best ? "\"partners\": false" : "\"own\": true");
    for (int i = 0; i < LENGTH(SWITCHES); i++) {
        const Switch *one = &SWITCHES[i];
        const int64_t value = rules->words[one->word];
        if (value == base->words[one->word]) continue;
        put(text, "%s\"%s\": ", comma, one->name);
        if (one->choices) put(text, "\"%s\"", one->choices[value]);
        else if (one->most) put(text, "%lld", (long long)value);
        else put(text, value ? "true" : "false");
        comma = ", ";
    }
    put(text, "}");
}

static void put_position(Text *text, const casino_rules *rules, const casino_flat *flat) {
    const int seats = casino_players(rules), sweeps = place_of("sweeps");
    const int64_t *numbers = flat->numbers;
    int swept = 0;
    for (int i = 0; i < flat->row_count; i++) swept |= flat->rows[i][1] == sweeps && flat->rows[i][0];
    put_rules(text, rules);
    put_number(text, "round", numbers[ROUND_NUMBER]);
    put_number(text, "to_move", numbers[TO_MOVE_NUMBER]);
    put_per_seat(text, flat, "hands", seats, 1);
    put_named(text, flat, "layout", 1);
    put_builds(text, flat);
    put_per_seat(text, flat, "piles", seats, 1);
    put_named(text, flat, "stock", 1);
    put_per_seat(text, flat, "proven", seats, 0);
    put_number(text, "last_capture", numbers[LAST_CAPTURE_NUMBER]);
    put_named(text, flat, "match_score", 0);
    if (swept) put_named(text, flat, "sweeps", 0);
    if (numbers[LEADER_NUMBER]) put_number(text, "leader", numbers[LEADER_NUMBER]);
    if (numbers[TURNS_NUMBER]) put_number(text, "turns", numbers[TURNS_NUMBER]);
    put_turn(text, flat);
    if (numbers[MATCH_NUMBER])
        put(text, ", \"match\": {\"deals\": %lld, \"stream\": \"%016llx\"}", (long long)numbers[DEALS_NUMBER],
            (unsigned long long)flat->stream);
    if (flat->winner_said) put_number(text, "winner", numbers[WINNER_NUMBER]);
    put(text, "}");
}

int casino_to_json(const casino_game *game, const casino_rules *rules, char *text, size_t room) {
    casino_refusal why;
    int found = casino_check(game, rules, &why); /* the text of an invalid record would be misleading */
    if (found || (room && !text)) return found ? found : CASINO_NULL_POINTER;
    casino_flat *flat = malloc(sizeof *flat);
    if (!flat) return CASINO_NO_MEMORY;
    Text out = {text, room, 0};
    found = casino_flatten(game, rules, flat);
    if (!found) put_position(&out, rules, flat);
    free(flat);
    return found ? found : (int)out.count;
}
