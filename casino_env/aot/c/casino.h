/* Casino card games for programs in any language: rules, games, trained policies. docs/c.md explains it; examples/match.c
 * plays. No global state: games are values, and threads may do with different ones what they like.
 *
 * Games and rules are records of 64-bit words, the same in memory as in Python (Game.record, rules_record) and as in
 * WebAssembly: copy them with =, keep them in files, send them to other machines (little-endian). */
#ifndef CASINO_H
#define CASINO_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CASINO_ACTIONS = 192, CASINO_SEATS = 6, CASINO_CARDS = 52 };

typedef struct { int64_t words[64]; } casino_game;
typedef struct { int64_t words[96]; } casino_rules; /* with room for switches to come */
typedef struct casino_policy casino_policy;

/* --- rules: a table is a preset and a number of players, such as "swazi 3" ---------------------------------------- */

const char *casino_table(int number);                       /* its name; NULL beyond the last */
const casino_rules *casino_find_rules(const char *table);   /* NULL if there is none of that name */
int casino_players(const casino_rules *rules);
int casino_side(const casino_rules *rules, int seat);       /* partners are one side */

/* --- games ---------------------------------------------------------------------------------------------------------- */

void casino_deal(casino_game *game, const casino_rules *rules, uint64_t seed);  /* as Game(..., seed=seed) */
int casino_over(const casino_game *game);
int casino_seat(const casino_game *game);                   /* that decides */
/* The legal actions of the catalogue (docs/actions.md), in order; returns how many. A turn is one or more actions. */
int casino_legal(const casino_game *game, const casino_rules *rules, uint8_t actions[CASINO_ACTIONS]);
/* The action and those without alternative after it; -1, and nothing done: it is not legal. */
int casino_play(casino_game *game, const casino_rules *rules, int action);
void casino_points(const casino_game *game, const casino_rules *rules, int64_t by_side[CASINO_SEATS]);
/* What a seat may know, as a record of its own: cards that it cannot see are in none of the hands and piles. */
void casino_view(const casino_game *game, const casino_rules *rules, int seat, casino_game *view);

/* --- trained policies ------------------------------------------------------------------------------------------------ */

/* From the bytes of a file that `casino agents export NAME FILE.casino` has written; NULL if they are none. It plays the
 * game that it was exported for. A policy is for one thread at a time. */
casino_policy *casino_policy_open(const void *data, size_t size);
const casino_rules *casino_policy_rules(const casino_policy *policy);
int casino_policy_decide(casino_policy *policy, const casino_game *game);       /* by what the seat that decides may know */
void casino_policy_close(casino_policy *policy);

#ifdef __cplusplus
}
#endif
#endif
