/* casino.h on top of the kernels: each takes one block of words, in which numbers and places of arrays stand in the order
 * of its arguments (an array: its place, then its dimensions), and leaves its answer at the block's beginning. */
#include "casino.h"
#include "kernels.h" /* made by build.py: the kernels, and where fields lie */
#include <stdlib.h>
#include <string.h>

#define PLACE(pointer) ((int64_t)(intptr_t)(pointer))
enum { PARTS = 4, POLICY_SLOTS = 160, POLICY_ARRAYS = 64 };

static signed char byte_of(const casino_game *game, int at) { return ((const signed char *)game)[at]; }

/* --- rules ------------------------------------------------------------------------------------------------------------- */

const char *casino_table(int number) { return number < 0 || number >= TABLES ? NULL : casino_tables[number].name; }

const casino_rules *casino_find_rules(const char *table) {
    for (int i = 0; i < TABLES; i++)
        if (!strcmp(table, casino_tables[i].name)) return &casino_tables[i].rules;
    return NULL;
}

int casino_players(const casino_rules *rules) { return (int)rules->words[PLAYERS_WORD]; }

int casino_side(const casino_rules *rules, int seat) { return (int)(seat % rules->words[SIDES_WORD]); }

/* --- games ------------------------------------------------------------------------------------------------------------- */

int casino_over(const casino_game *game) { return byte_of(game, MODE_AT) == MODE_OVER; }

int casino_seat(const casino_game *game) { return byte_of(game, ACTOR_AT); }

static void legal_set(const casino_game *game, const casino_rules *rules, int64_t parts[PARTS]) {
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1};
    LEGAL(block);
    memcpy(parts, block, sizeof block);
}

int casino_legal(const casino_game *game, const casino_rules *rules, uint8_t actions[CASINO_ACTIONS]) {
    int64_t parts[PARTS];
    int count = 0;
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
    legal_set(game, rules, parts);
    if (action < 0 || action >= CASINO_ACTIONS || !(parts[action / CASINO_CARDS] >> action % CASINO_CARDS & 1)) return -1;
    play(game, rules, action);
    play_forced(game, rules);
    return 0;
}

void casino_deal(casino_game *game, const casino_rules *rules, uint64_t seed) {
    memset(game, 0, sizeof *game); /* a variable of the caller's; kernels leave what is always zero in a game as it is */
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, (int64_t)seed, 0};
    START(block);
    play_forced(game, rules);
}

void casino_points(const casino_game *game, const casino_rules *rules, int64_t by_side[CASINO_SEATS]) {
    const int64_t sides = rules->words[SIDES_WORD];
    int64_t table[CATEGORIES][CASINO_SEATS] = {0}, *row = &table[0][0];
    int64_t block[] = {PLACE(game), 1, PLACE(rules), 1, PLACE(table), CATEGORIES, sides};
    POINTS(block);
    memset(by_side, 0, CASINO_SEATS * sizeof *by_side);
    for (int kind = 0; kind < CATEGORIES; kind++)
        for (int side = 0; side < sides; side++) by_side[side] += *row++;
}

static void write_view(const casino_game *game, const casino_rules *rules, int seat, int64_t memory, casino_game *view) {
    int64_t block[] = {PLACE(game), 1, 0, PLACE(rules), 1, seat, memory, PLACE(view), 1, 0};
    WRITE_VIEW(block);
}

void casino_view(const casino_game *game, const casino_rules *rules, int seat, casino_game *view) {
    write_view(game, rules, seat, PERFECT_MEMORY, view);
}

/* --- policies: a file is the arguments of one call, which is made again and again --------------------------------------- */

struct casino_policy {
    int64_t memory, count;
    casino_rules rules;
    casino_game view;
    int64_t seat, legal[PARTS], action;
    int64_t words[POLICY_SLOTS];
    void *arrays[POLICY_ARRAYS];
    int taken;
};

typedef struct {
    const unsigned char *next, *end;
    int failed;
} Reader;

static int64_t word(Reader *from) {
    int64_t found = 0;
    if (from->end - from->next < 8) from->failed = 1;
    else {
        memcpy(&found, from->next, 8);
        from->next += 8;
    }
    return found;
}

/* Number: 0, itself. Array: 1, size of an element, dimensions, each of them, how many bytes follow, and these; the others are zero. */
static void read_argument(Reader *from, casino_policy *policy) {
    const int64_t kind = word(from);
    if (policy->count + 4 >= POLICY_SLOTS || kind < 0 || kind > 1) from->failed = 1;
    else if (kind == 0) policy->words[policy->count++] = word(from);
    else {
        const int64_t item = word(from), dimensions = word(from);
        int64_t *const place = &policy->words[policy->count++], total = item;
        if (item < 1 || item > 1 << 20 || dimensions < 1 || dimensions > 3) from->failed = 1;
        for (int64_t i = 0; i < dimensions && !from->failed; i++) {
            const int64_t size = policy->words[policy->count++] = word(from);
            if (size < 0 || size > (1 << 28) / (total ? total : 1)) from->failed = 1;
            else total *= size;
        }
        const int64_t given = word(from);
        if (from->failed || policy->taken == POLICY_ARRAYS || given < 0 || given > total || from->end - from->next < given) {
            from->failed = 1;
            return;
        }
        void *const memory = policy->arrays[policy->taken] = calloc((size_t)total + 8, 1);
        from->failed = !memory;
        if (!memory) return;
        policy->taken++;
        memcpy(memory, from->next, (size_t)given);
        from->next += given;
        *place = PLACE(memory);
    }
}

casino_policy *casino_policy_open(const void *data, size_t size) {
    Reader from = {data, (const unsigned char *)data + size, 0};
    casino_policy *const policy = calloc(1, sizeof *policy);
    if (!policy) return NULL;
    if (word(&from) != POLICY_FORMAT || word(&from) != DIGEST) from.failed = 1;
    policy->memory = word(&from);
    for (int i = 0; i < RULES_WORDS; i++) policy->rules.words[i] = word(&from);
    /* The call begins with one decision: a view, its seat, legal actions, the answer, no chances; then the rules. */
    const int64_t begin[] = {PLACE(&policy->view), 1, PLACE(&policy->seat), 1, PLACE(policy->legal), 1, PARTS,
                             PLACE(&policy->action), 1, PLACE(&policy->action), 0, CASINO_ACTIONS, PLACE(&policy->rules), 1};
    memcpy(policy->words, begin, sizeof begin);
    policy->count = (int64_t)(sizeof begin / 8);
    while (!from.failed && from.next < from.end) read_argument(&from, policy);
    if (from.failed || policy->count != POLICY_WORDS) {
        casino_policy_close(policy);
        return NULL;
    }
    return policy;
}

const casino_rules *casino_policy_rules(const casino_policy *policy) { return &policy->rules; }

int casino_policy_decide(casino_policy *policy, const casino_game *game) {
    int64_t block[POLICY_SLOTS];
    policy->seat = casino_seat(game);
    write_view(game, &policy->rules, (int)policy->seat, policy->memory, &policy->view);
    legal_set(game, &policy->rules, policy->legal);
    memcpy(block, policy->words, sizeof block);
    DECIDE(block);
    return (int)policy->action;
}

void casino_policy_close(casino_policy *policy) {
    if (!policy) return;
    for (int i = 0; i < policy->taken; i++) free(policy->arrays[i]);
    free(policy);
}
