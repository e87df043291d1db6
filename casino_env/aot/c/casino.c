/* casino.h on top of the kernels: each takes one block of words, in which numbers and places of arrays stand in the
 * order of its arguments (an array: its place, then its dimensions), and leaves its answer at the block's beginning. */
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#endif
#include "casino.h"
#include "kernels.h" /* made by c_header.py: the kernels, where fields lie, tables of texts and sizes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE(pointer) ((int64_t)(intptr_t)(pointer))
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))
enum { PARTS = 4, ROOM_OF_WORD = 64 };

static signed char byte_of(const casino_game *game, int at) { return ((const signed char *)game)[at]; }

static const char *text_of(const char *const *texts, int many, int number) {
    return number < 0 || number >= many ? NULL : texts[number];
}

const char *casino_version(void) { return VERSION; }

const char *casino_error(int error) { return text_of(ERROR_TEXTS, LENGTH(ERROR_TEXTS), -1 - error); }

/* --- rules -------------------------------------------------------------------------------------------------------- */

const char *casino_table(int number) { return number < 0 || number >= TABLES ? NULL : casino_tables[number].name; }

const casino_rules *casino_find_rules(const char *table) {
    for (int i = 0; table && i < TABLES; i++)
        if (!strcmp(table, casino_tables[i].name)) return &casino_tables[i].rules;
    return NULL;
}

int casino_check_rules(const casino_rules *rules) {
    if (!rules) return CASINO_NULL_POINTER;
    casino_rules again;
    int64_t block[] = {PLACE(rules), 1, PLACE(&again), 1};
    RULES_HOLD(block);
    return block[0] ? CASINO_FINISHED : CASINO_BAD_RULES;
}

/* A quick look at what is handed over: neither NULL nor zeros. */
static int look(const void *pointer, const casino_rules *rules) {
    if (!pointer || !rules) return CASINO_NULL_POINTER;
    const int64_t players = rules->words[PLAYERS_WORD], sides = rules->words[SIDES_WORD];
    return players < 2 || players > CASINO_SEATS || sides < 2 || sides > players ? CASINO_BAD_RULES : CASINO_FINISHED;
}

int casino_players(const casino_rules *rules) {
    const int found = look(rules, rules);
    return found ? found : (int)rules->words[PLAYERS_WORD];
}

int casino_side(const casino_rules *rules, int seat) {
    const int players = casino_players(rules);
    if (players < 0) return players;
    return seat < 0 || seat >= players ? CASINO_BAD_SEAT : (int)(seat % rules->words[SIDES_WORD]);
}

/* --- games -------------------------------------------------------------------------------------------------------- */

int casino_over(const casino_game *game) { return game ? byte_of(game, MODE_AT) == MODE_OVER : CASINO_NULL_POINTER; }

int casino_seat(const casino_game *game) { return game ? byte_of(game, ACTOR_AT) : CASINO_NULL_POINTER; }

static void legal_set(const casino_game *game, const casino_rules *rules, int64_t parts[PARTS]) {
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1};
    LEGAL(block);
    memcpy(parts, block, sizeof block);
}

int casino_legal(const casino_game *game, const casino_rules *rules, uint8_t actions[CASINO_ACTIONS]) {
    int64_t parts[PARTS];
    int count = look(game, rules);
    if (count || !actions) return count ? count : CASINO_NULL_POINTER;
    legal_set(game, rules, parts);
    for (int action = 0; action < CASINO_ACTIONS; action++)
        if (parts[action / CASINO_CARDS] >> action % CASINO_CARDS & 1) actions[count++] = (uint8_t)action;
    return count;
}

static void play(casino_game *game, const casino_rules *rules, int action) {
    int16_t done[3];
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, action, 0, PLACE(done), 1, 3};
    PLAY(block);
}

static void play_forced(casino_game *game, const casino_rules *rules) {
    uint8_t actions[CASINO_ACTIONS];
    while (casino_legal(game, rules, actions) == 1) play(game, rules, actions[0]);
}

int casino_play(casino_game *game, const casino_rules *rules, int action) {
    int64_t parts[PARTS];
    const int found = look(game, rules);
    if (found) return found;
    if (action < 0 || action >= CASINO_ACTIONS) return CASINO_ILLEGAL;
    legal_set(game, rules, parts);
    if (!(parts[action / CASINO_CARDS] >> action % CASINO_CARDS & 1)) return CASINO_ILLEGAL;
    play(game, rules, action);
    play_forced(game, rules);
    return CASINO_FINISHED;
}

int casino_deal(casino_game *game, const casino_rules *rules, uint64_t seed) {
    const int found = game ? casino_check_rules(rules) : CASINO_NULL_POINTER;
    if (found) return found;
    memset(game, 0, sizeof *game); /* kernels leave what is always zero in a game as it is */
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, (int64_t)seed, 0};
    START(block);
    play_forced(game, rules);
    return CASINO_FINISHED;
}

int casino_points(const casino_game *game, const casino_rules *rules, int64_t by_side[CASINO_SEATS]) {
    const int found = by_side ? look(game, rules) : CASINO_NULL_POINTER;
    if (found) return found;
    const int64_t sides = rules->words[SIDES_WORD];
    int64_t table[CATEGORIES][CASINO_SEATS] = {0}, *row = &table[0][0];
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, PLACE(table), CATEGORIES, sides};
    POINTS(block);
    memset(by_side, 0, CASINO_SEATS * sizeof *by_side);
    for (int kind = 0; kind < CATEGORIES; kind++)
        for (int side = 0; side < sides; side++) by_side[side] += *row++;
    return CASINO_FINISHED;
}

int casino_view(const casino_game *game, const casino_rules *rules, int seat, casino_game *view) {
    const int found = view ? look(game, rules) : CASINO_NULL_POINTER;
    if (found || seat < 0 || seat >= rules->words[PLAYERS_WORD]) return found ? found : CASINO_BAD_SEAT;
    int64_t block[] = {PLACE(game), 1, 0, PLACE(rules), 1, seat, PERFECT_MEMORY, PLACE(view), 1, 0};
    WRITE_VIEW(block);
    return CASINO_FINISHED;
}

const char *casino_action_text(int action) { return text_of(ACTION_TEXTS, CASINO_ACTIONS, action); }

int casino_action_of(const char *text) {
    for (int action = 0; text && action < CASINO_ACTIONS; action++)
        if (!strcmp(text, ACTION_TEXTS[action])) return action;
    return CASINO_ILLEGAL;
}

const char *casino_card_text(int card) { return text_of(CARD_NAMES, CASINO_CARDS, card); }

/* --- positions ---------------------------------------------------------------------------------------------------- */

const char *casino_field(int number) { return text_of(FIELD_NAMES, CASINO_NUMBERS, number); }

const char *casino_place(int number) { return text_of(PLACE_NAMES, LENGTH(PLACE_NAMES), number); }

int casino_place_of_build(int number) {
    return number < 0 || number >= CASINO_BUILDS ? CASINO_BAD_QUESTION : LENGTH(PLACE_NAMES) + number;
}

void casino_empty(casino_flat *flat) {
    if (!flat) return;
    memset(flat, 0, sizeof *flat);
    memcpy(flat->numbers, NUMBERS_BEFORE, sizeof flat->numbers);
}

int casino_flatten(const casino_game *game, const casino_rules *rules, casino_flat *flat) {
    const int found = flat ? look(game, rules) : CASINO_NULL_POINTER;
    if (found) return found;
    casino_empty(flat);
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, PLACE(flat->numbers), CASINO_NUMBERS,
                       PLACE(flat->rows), CASINO_ROWS, 3, PLACE(flat->builds), CASINO_BUILDS, 3};
    WRITE_FLAT(block);
    flat->row_count = block[0];
    flat->build_count = block[1];
    flat->winner_said = block[2];
    flat->stream = (uint64_t)block[3];
    return CASINO_FINISHED;
}

static int refused(const int64_t block[6], casino_refusal *why) {
    if (why) memcpy(why, block, sizeof *why);
    return block[0] ? CASINO_BAD_POSITION : CASINO_FINISHED;
}

int casino_check(const casino_game *game, const casino_rules *rules, casino_refusal *why) {
    const int found = game ? casino_check_rules(rules) : CASINO_NULL_POINTER;
    if (found) return found;
    casino_game work[PROOF_RECORDS];
    int64_t keys[PROOF_KEYS];
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, PLACE(work), PROOF_RECORDS, PLACE(keys), PROOF_KEYS, 3};
    REFUSAL(block);
    return refused(block, why);
}

int casino_build(casino_game *game, const casino_rules *rules, const casino_flat *flat, casino_refusal *why) {
    const int found = game && flat ? casino_check_rules(rules) : CASINO_NULL_POINTER;
    if (found) return found;
    if (flat->row_count < 0 || flat->row_count > CASINO_ROWS) return CASINO_BAD_QUESTION;
    if (flat->build_count < 0 || flat->build_count > CASINO_BUILDS) return CASINO_BAD_QUESTION;
    casino_game made = {{0}}, work[PROOF_RECORDS];
    made.words[STREAM_WORD] = (int64_t)flat->stream;
    int64_t keys[PROOF_KEYS];
    int64_t block[] = {PLACE(&made), 1, PLACE(rules), 1, PLACE(flat->numbers), CASINO_NUMBERS,
                       PLACE(flat->rows), flat->row_count, 3, PLACE(flat->builds), flat->build_count, 3,
                       PLACE(work), PROOF_RECORDS, PLACE(keys), PROOF_KEYS, flat->winner_said != 0};
    READ_FLAT(block);
    if (block[0] < 0) return CASINO_BAD_QUESTION;
    if (!block[0]) *game = made;
    return refused(block, why);
}

/* What a word in braces stands for (position.py: refusal_text). */
static void write_word(const casino_refusal *why, int64_t deck, const char *name, size_t length, char *to) {
#define IS(word) (length == sizeof word - 1 && !memcmp(name, word, length))
    const int64_t place = IS("other") ? why->low : why->place, part = IS("other") ? why->high : why->part;
    const int64_t field = why->place < 0 ? 0 : why->place % LENGTH(FIELD_NAMES);
    const int64_t card = (why->number % CASINO_CARDS + CASINO_CARDS) % CASINO_CARDS;
    long long number = why->low;
    if (IS("seat")) number = why->place;
    if (IS("deck")) number = deck;
    if (IS("number")) number = why->number;
    if (IS("high")) number = why->high;
    if (IS("field")) snprintf(to, ROOM_OF_WORD, "%s", FIELD_NAMES[field]);
    else if (IS("name")) snprintf(to, ROOM_OF_WORD, "%s", FIELD_PATHS[field]);
    else if (IS("card")) snprintf(to, ROOM_OF_WORD, "%s", CARD_NAMES[card]);
    else if (IS("range") && why->high > number)
        snprintf(to, ROOM_OF_WORD, "%lld to %lld", number, (long long)why->high);
    else if (!IS("place") && !IS("other")) snprintf(to, ROOM_OF_WORD, "%lld", number);
    else if (place >= 0 && place < LENGTH(PLACE_NAMES)) snprintf(to, ROOM_OF_WORD, "%s", PLACE_NAMES[place]);
    else snprintf(to, ROOM_OF_WORD, "builds[%lld].sets[%lld]", (long long)place - LENGTH(PLACE_NAMES), (long long)part);
#undef IS
}

int casino_refusal_text(const casino_refusal *why, const casino_rules *rules, char *text, size_t room) {
    const char *from = why && rules ? text_of(REFUSAL_TEXTS, LENGTH(REFUSAL_TEXTS), (int)why->code) : NULL;
    if (!from || (room && !text)) return CASINO_NULL_POINTER;
    size_t count = 0;
    while (*from) {
        const char *end = *from == '{' ? strchr(from, '}') : NULL;
        char word[ROOM_OF_WORD] = {*from, 0};
        if (end) write_word(why, rules->words[DECK_WORD], from + 1, (size_t)(end - from - 1), word);
        for (const char *next = word; *next; next++, count++)
            if (count + 1 < room) text[count] = *next;
        from = end ? end + 1 : from + 1;
    }
    if (room) text[count < room ? count : room - 1] = 0;
    return (int)count;
}

/* --- the observation ---------------------------------------------------------------------------------------------- */

const char *casino_segment_name(int number) { return text_of(SEGMENT_NAMES, CASINO_SEGMENTS, number); }

int casino_lay_out(casino_layout *layout, const casino_rules *rules, int kind) {
    const int found = layout ? casino_check_rules(rules) : CASINO_NULL_POINTER;
    if (found || kind & ~(CASINO_UNIVERSAL | CASINO_MATCH)) return found ? found : CASINO_BAD_QUESTION;
    memset(layout, 0, sizeof *layout);
    int64_t block[] = {PLACE(rules), 1, PLACE(rules), sizeof *rules / 8, PLACE(RULE_FIELDS), LENGTH(RULE_FIELDS), 2,
                       kind, PLACE(layout->words), 1, PLACE(layout->segments), CASINO_SEGMENTS};
    LAY_OUT(block);
    layout->count = block[0];
    layout->size = layout->words[LAYOUT_SIZE];
    layout->most = layout->words[LAYOUT_MOST];
    return block[0] ? CASINO_FINISHED : CASINO_BAD_QUESTION;
}

int casino_observe(const casino_layout *layout, const casino_game *view, const casino_rules *rules, int seat,
                   int8_t *features) {
    const int found = layout && features ? look(view, rules) : CASINO_NULL_POINTER;
    if (found || seat < 0 || seat >= rules->words[PLAYERS_WORD]) return found ? found : CASINO_BAD_SEAT;
    const int64_t seats[] = {seat};
    int16_t *on = malloc((size_t)layout->most * sizeof *on);
    if (!on) return CASINO_NO_MEMORY;
    int64_t block[] = {PLACE(view), 1, PLACE(rules), 1, PLACE(layout->words), 1, PLACE(seats), 1,
                       PLACE(on), layout->most, PLACE(features), 1, layout->size};
    ENCODE_VIEWS(block);
    free(on);
    return CASINO_FINISHED;
}

/* --- agents ------------------------------------------------------------------------------------------------------- */

struct casino_agent {
    int64_t *data;  /* what was read: arrays that are no workspace lie in it */
    char *work;     /* all workspaces */
    int64_t words[AGENT_WORDS];
    double began;
};

static double now(void) {
#ifdef _WIN32
    LARGE_INTEGER count, second;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&second);
    return (double)count.QuadPart / (double)second.QuadPart;
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
#endif
}

static void *array_of(const casino_agent *agent, int word) { return (void *)(intptr_t)agent->words[word]; }

static AGENT *state_of(const casino_agent *agent) { return array_of(agent, STATE_WORD); }

/* A kernel of opened.py: these words, then the agent. Its answer is left in them. */
static int call(casino_agent *agent, int (*kernel)(int64_t *), int64_t *more, int count) {
    int64_t block[MORE_WORDS + AGENT_WORDS];
    for (int i = 0; i < count; i++) block[i] = more[i];
    memcpy(block + count, agent->words, sizeof agent->words);
    kernel(block);
    for (int i = 0; i < count; i++) more[i] = block[i];
    return (int)block[0];
}

/* Bytes of a workspace with the shape of a leaf, its sizes into the block; 0: none that can be. */
static int64_t measure(const Leaf *leaf, const int32_t *own, const int64_t *network, int64_t *shape) {
    int64_t bytes = leaf->item;
    for (int i = 0; i < leaf->dimensions; i++) {
        const int32_t size = leaf->sizes[i];
        shape[i] = size >= 0 ? size : size > -1 - NETWORK_SIZES ? network[-1 - size] : own[-1 - NETWORK_SIZES - size];
        if (shape[i] < 0 || shape[i] > MOST_SIZE || bytes > MOST_BYTES / (shape[i] ? shape[i] : 1)) return 0;
        bytes *= shape[i];
    }
    return (bytes + 63) / 64 * 64 + 64;
}

/* Where everything lies, from left to right. */
static int arrange(casino_agent *agent, const int64_t *next, const int64_t *end) {
    const int64_t kind = *next++, *const network = next;
    int64_t bytes = 0, *word = agent->words;
    if (kind < 0 || kind >= KINDS) return CASINO_DAMAGED;
    next += NETWORK_SIZES;
    for (const Leaf *leaf = LEAVES; leaf < LEAVES + LENGTH(LEAVES); leaf++) {
        if (leaf->dimensions && leaf->sizes[0] != CARRIED) { /* from the beginning of the workspaces */
            const int64_t more = measure(leaf, OWN_SIZES[kind], network, word + 1);
            *word = bytes;
            bytes += more;
            if (!more || bytes > MOST_BYTES) return CASINO_DAMAGED;
        } else if (next >= end) return CASINO_DAMAGED;
        else if (leaf->dimensions) {
            const int64_t given = *next++;
            if (given < 0 || given > 8 * (end - next) || given % leaf->item) return CASINO_DAMAGED;
            word[0] = PLACE(next);
            word[1] = given / leaf->item;
            next += (given + 7) / 8;
        } else *word = *next++;
        word += 1 + leaf->dimensions;
    }
    const int single = agent->words[STATE_WORD + 1] == 1 && agent->words[RULES_WORD + 1] == 1;
    if (next != end || !single || state_of(agent)->kind != kind) return CASINO_DAMAGED;
    agent->work = calloc((size_t)bytes, 1);
    if (!agent->work) return CASINO_NO_MEMORY;
    word = agent->words;
    for (const Leaf *leaf = LEAVES; leaf < LEAVES + LENGTH(LEAVES); word += 1 + leaf->dimensions, leaf++)
        if (leaf->dimensions && leaf->sizes[0] != CARRIED) *word += PLACE(agent->work);
    return call(agent, PROVE, NULL, 0);
}

static int read_agent(casino_agent *agent, const void *data, size_t size) {
    enum { HEAD = 3, LEAST = HEAD + 1 + NETWORK_SIZES };
    if (size % 8 || size < 8 * LEAST) return CASINO_NOT_A_FILE;
    agent->data = malloc(size);
    if (!agent->data) return CASINO_NO_MEMORY;
    memcpy(agent->data, data, size);
    if (agent->data[0] != AGENT_FORMAT || agent->data[1] != AGENT_DIGEST) return CASINO_NOT_A_FILE;
    int64_t block[] = {PLACE(agent->data + HEAD), (int64_t)(size / 8) - HEAD};
    SEAL_OF(block);
    return block[0] == agent->data[2] ? arrange(agent, agent->data + HEAD, agent->data + size / 8) : CASINO_DAMAGED;
}

casino_agent *casino_open(const void *data, size_t size, int *error) {
    casino_agent *agent = data ? calloc(1, sizeof *agent) : NULL;
    const int found = agent ? read_agent(agent, data, size) : data ? CASINO_NO_MEMORY : CASINO_NULL_POINTER;
    if (error) *error = found;
    if (found) {
        casino_close(agent);
        return NULL;
    }
    casino_reset(agent, casino_rules_of(agent), 0, 0);
    return agent;
}

void casino_close(casino_agent *agent) {
    if (!agent) return;
    free(agent->data);
    free(agent->work);
    free(agent);
}

const casino_rules *casino_rules_of(const casino_agent *agent) { return agent ? array_of(agent, RULES_WORD) : NULL; }

int casino_reset(casino_agent *agent, const casino_rules *rules, int seat, uint64_t seed) {
    if (!agent || !rules) return CASINO_NULL_POINTER;
    if (memcmp(rules, casino_rules_of(agent), sizeof *rules)) return CASINO_OTHER_RULES;
    if (seat < 0 || seat >= casino_players(rules)) return CASINO_BAD_SEAT;
    int64_t more[] = {(int64_t)seed};
    *(int64_t *)array_of(agent, SEATS_WORD) = seat;
    call(agent, RESET, more, LENGTH(more));
    return CASINO_FINISHED;
}

/* A call about what a seat sees. */
static int show(casino_agent *agent, int (*kernel)(int64_t *), const casino_game *view, int seat,
                int64_t *more, int count) {
    if (!agent || !view) return CASINO_NULL_POINTER;
    memcpy(array_of(agent, SEEN_WORD), view, sizeof *view);
    *(int64_t *)array_of(agent, SEATS_WORD) = seat;
    agent->began = now();
    return call(agent, kernel, more, count);
}

int casino_watch(casino_agent *agent, const casino_game *view, int seat) {
    const int players = casino_players(casino_rules_of(agent));
    if (players < 0 || !view) return CASINO_NULL_POINTER;
    if (seat < 0 || seat >= players) return CASINO_BAD_SEAT;
    show(agent, WATCH, view, seat, NULL, 0); /* it has no answer */
    return CASINO_FINISHED;
}

int casino_begin(casino_agent *agent, const casino_game *view, int seat) {
    return show(agent, BEGIN, view, seat, NULL, 0);
}

int casino_go_on(casino_agent *agent) {
    if (!agent) return CASINO_NULL_POINTER;
    const double used = now() - agent->began;
    int64_t more[1];
    memcpy(more, &used, sizeof used);
    return call(agent, state_of(agent)->kind == KIND_JUDGE ? JUDGE_ON : GO_ON, more, LENGTH(more));
}

int casino_answer(casino_agent *agent) { return agent ? call(agent, ANSWER, NULL, 0) : CASINO_NULL_POINTER; }

int casino_decide(casino_agent *agent, const casino_game *game) {
    casino_game view;
    const int seat = casino_seat(game);
    int found = casino_view(game, casino_rules_of(agent), seat, &view);
    if (!found) found = casino_begin(agent, &view, seat);
    while (found == CASINO_GO_ON) found = casino_go_on(agent);
    return found ? found : casino_answer(agent);
}

int casino_explain(casino_agent *agent, casino_analysis *analysis) {
    if (!agent || !analysis) return CASINO_NULL_POINTER;
    const int found = call(agent, EXPLAIN, NULL, 0);
    if (found) return found;
    const AGENT *state = state_of(agent);
    analysis->action = (int)state->action;
    analysis->valued = (int)state->valued;
    analysis->value = state->value;
    memcpy(analysis->chances, array_of(agent, CHANCES_WORD), sizeof analysis->chances);
    memcpy(analysis->values, array_of(agent, VALUES_WORD), sizeof analysis->values);
    return CASINO_FINISHED;
}

const casino_refusal *casino_refused(const casino_agent *agent) {
    return agent ? (const casino_refusal *)state_of(agent)->refusal : NULL;
}

/* --- the judge ---------------------------------------------------------------------------------------------------- */

casino_question casino_usual_question(void) {
    const casino_question usual = {USUAL_SECONDS, USUAL_PRECISION, USUAL_GAMES, USUAL_ROUNDS, 1, 0, 0, NULL};
    return usual;
}

/* Actions of the catalogue, then -1. */
static int are_actions(const int16_t *actions) {
    int count = 0;
    while (count < CASINO_STEPS && actions[count] >= 0 && actions[count] < CASINO_ACTIONS) count++;
    return count < CASINO_STEPS && actions[count] == -1;
}

int casino_ask(casino_agent *judge, const casino_game *view, int seat, const casino_question *question) {
    const casino_question asked = question ? *question : casino_usual_question();
    if (asked.also_count < 0 || asked.also_count > MOST_ASKED) return CASINO_BAD_QUESTION;
    if (asked.also_count && !asked.also) return CASINO_NULL_POINTER;
    for (int64_t i = 0; i < asked.also_count; i++)
        if (!are_actions(asked.also[i])) return CASINO_BAD_QUESTION;
    int64_t more[] = {PLACE(asked.also), asked.also_count, CASINO_STEPS, 0, asked.games, 0, asked.rounds,
                      asked.solve != 0, (int64_t)asked.seed};
    memcpy(more + 3, &asked.seconds, sizeof asked.seconds);
    memcpy(more + 5, &asked.precision, sizeof asked.precision);
    return show(judge, ASK, view, seat, more, LENGTH(more));
}

/* The row of the turn at a place, whether it is a mistake, and how many turns there are. */
static int tell(casino_agent *judge, int place, int64_t found[3]) {
    int64_t block[1 + AGENT_WORDS] = {place};
    if (!judge) return CASINO_NULL_POINTER;
    memcpy(block + 1, judge->words, sizeof judge->words);
    TELL(block);
    memcpy(found, block, 3 * sizeof *found);
    return (int)found[0];
}

int casino_turns(casino_agent *judge) {
    int64_t found[3];
    const int row = tell(judge, 0, found);
    return row < 0 ? row : (int)found[2];
}

int casino_turn_at(casino_agent *judge, int place, casino_turn *turn) {
    int64_t told[3];
    const int row = turn ? tell(judge, place, told) : CASINO_NULL_POINTER;
    if (row < 0) return row;
    const TURN *found = (const TURN *)array_of(judge, TURNS_WORD) + row;
    turn->count = (int)found->length;
    turn->mistake = (int)told[1];
    turn->games = (int)found->games;
    turn->value = found->value;
    turn->loss = found->loss;
    turn->low = found->low;
    turn->high = found->high;
    turn->chance = found->chance;
    for (int i = 0; i < CASINO_STEPS; i++) turn->actions[i] = i < turn->count ? found->actions[i] : -1;
    return CASINO_FINISHED;
}

int casino_find_turn(casino_agent *judge, const int16_t actions[CASINO_STEPS]) {
    if (!judge || !actions) return CASINO_NULL_POINTER;
    if (!are_actions(actions)) return CASINO_NO_SUCH_TURN;
    int64_t more[] = {PLACE(actions), CASINO_STEPS};
    return call(judge, FIND, more, LENGTH(more));
}

const char *casino_judged_by(casino_agent *judge) {
    if (casino_turns(judge) < 0) return NULL;
    const JUDGING *board = array_of(judge, BOARD_WORD);
    return text_of(BY_TEXTS, LENGTH(BY_TEXTS), (int)board->by);
}
