/* Casino card games for programs in any language: rules, games, agents, a judge. docs/c.md explains it;
 * examples/match.c plays. No global state: threads may do with different games and agents what they like.
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

enum { CASINO_ACTIONS = 192, CASINO_SEATS = 6, CASINO_CARDS = 52, CASINO_STEPS = 57 /* actions of a turn, and -1 */ };
enum { CASINO_NUMBERS = 33, CASINO_ROWS = 2048, CASINO_BUILDS = 15 }; /* of a position in flat form */

/* Functions that return int return an error, which is below 0, instead of their answer. */
enum {
    CASINO_FINISHED = 0, CASINO_GO_ON = 1,
    CASINO_ILLEGAL = -1, CASINO_NULL_POINTER = -2, CASINO_NO_MEMORY = -3, CASINO_NOT_A_FILE = -4, CASINO_DAMAGED = -5,
    CASINO_BAD_RULES = -6, CASINO_OTHER_RULES = -7, CASINO_BAD_POSITION = -8, CASINO_BAD_SEAT = -9,
    CASINO_IMPOSSIBLE = -10, CASINO_OTHER_KIND = -11, CASINO_TOO_SOON = -12, CASINO_BAD_QUESTION = -13,
    CASINO_NO_SUCH_TURN = -14
};
const char *casino_version(void);                           /* of the project, such as "0.1.0" */
const char *casino_error(int error);                        /* in words */

typedef struct { int64_t words[64]; } casino_game;
typedef struct { int64_t words[96]; } casino_rules; /* with room for switches to come */
typedef struct casino_agent casino_agent;

/* --- rules: a table is a preset and a number of players, such as "swazi 3" ---------------------------------------- */

const char *casino_table(int number);                       /* its name; NULL beyond the last */
const casino_rules *casino_find_rules(const char *table);   /* NULL if there is none of that name */
int casino_check_rules(const casino_rules *rules);          /* CASINO_BAD_RULES: they cannot be played */
int casino_players(const casino_rules *rules);
int casino_side(const casino_rules *rules, int seat);       /* partners are one side */

/* --- games -------------------------------------------------------------------------------------------------------- */

int casino_deal(casino_game *game, const casino_rules *rules, uint64_t seed);  /* as Game(..., seed=seed) */
int casino_over(const casino_game *game);
int casino_seat(const casino_game *game);                   /* that decides */
/* The legal actions of the catalogue (docs/actions.md), in order; returns how many. A turn is one or more actions. */
int casino_legal(const casino_game *game, const casino_rules *rules, uint8_t actions[CASINO_ACTIONS]);
/* The action and those without alternative after it; CASINO_ILLEGAL, and nothing done: it is not legal. */
int casino_play(casino_game *game, const casino_rules *rules, int action);
int casino_points(const casino_game *game, const casino_rules *rules, int64_t by_side[CASINO_SEATS]);
/* What a seat may know, as a record of its own: cards that it cannot see are in none of the hands and piles. */
int casino_view(const casino_game *game, const casino_rules *rules, int seat, casino_game *view);
const char *casino_action_text(int action);                 /* such as "discard 2S"; NULL beyond the catalogue */
int casino_action_of(const char *text);                     /* the action of such a text; CASINO_ILLEGAL if there is none */
const char *casino_card_text(int card);                     /* such as "2S"; NULL beyond the deck */

/* --- positions in flat form: Position JSON (docs/positions.md) as numbers ----------------------------------------- */

typedef struct {
    int64_t numbers[CASINO_NUMBERS];    /* their names: casino_field(i) */
    int64_t row_count, build_count;
    int64_t rows[CASINO_ROWS][3];       /* card or number; its list (casino_place); set of a build, side of a score */
    int64_t builds[CASINO_BUILDS][3];   /* value, owner, sets; rows name the list of build i casino_place_of_build(i) */
    int64_t winner_said;                /* 1: it is over, and numbers say who has won */
    uint64_t stream;                    /* of a match: what deals the next cards */
} casino_flat;
typedef struct { int64_t code, place, part, number, low, high; } casino_refusal; /* code 0: nothing is wrong */

const char *casino_field(int number);                       /* such as "to_move"; NULL beyond the last */
const char *casino_place(int number);                       /* such as "hands[0]", "layout"; NULL beyond the last */
int casino_place_of_build(int number);
void casino_empty(casino_flat *flat);                       /* numbers as they are before anything is done; no rows */
int casino_flatten(const casino_game *game, const casino_rules *rules, casino_flat *flat);
/* CASINO_BAD_POSITION: it cannot be, or nobody can play on from it; `why`, which may be NULL, says what is wrong. */
int casino_build(casino_game *game, const casino_rules *rules, const casino_flat *flat, casino_refusal *why);
int casino_check(const casino_game *game, const casino_rules *rules, casino_refusal *why);
/* In one line, as in Python; returns its length, of which there may be more than room. */
int casino_refusal_text(const casino_refusal *why, const casino_rules *rules, char *text, size_t room);

/* --- Position JSON itself: what Game.to_json and Game.from_json write and read ------------------------------------- */

/* Rules and all. CASINO_BAD_POSITION: `said` tells in one line what is wrong, and nothing else is written. */
int casino_from_json(casino_game *game, casino_rules *rules, const char *json, char *said, size_t room);
/* Returns its length, of which there may be more than room. Rules are told by the preset that is nearest to them. */
int casino_to_json(const casino_game *game, const casino_rules *rules, char *text, size_t room);

/* --- the observation (docs/observation.md): what networks read ---------------------------------------------------- */

enum { CASINO_UNIVERSAL = 1, CASINO_MATCH = 2, CASINO_SEGMENTS = 25 };
typedef struct { int64_t offset, most, shape[5]; } casino_segment; /* shape: 0 after the last size */
typedef struct {
    int64_t size, most, count;          /* features; of which so many are on, at most; segments */
    casino_segment segments[CASINO_SEGMENTS];
    int64_t words[132];                 /* as kernels know it */
} casino_layout;

/* kind: 0, or of CASINO_UNIVERSAL and CASINO_MATCH. CASINO_BAD_QUESTION: rules too large for the universal one. */
int casino_lay_out(casino_layout *layout, const casino_rules *rules, int kind);
const char *casino_segment_name(int number);                /* such as "place"; NULL beyond the last */
/* A view of casino_view in a layout of its rules: a byte for each feature, 0 or 1. */
int casino_observe(const casino_layout *layout, const casino_game *view, const casino_rules *rules, int seat,
                   int8_t *features);

/* --- agents, from the bytes of a file of `casino agents export SPEC FILE.casino` ---------------------------------- */

/* NULL: see *error. The data may be freed then. An agent is for one thread at a time, and for the rules that it was
 * exported for. */
casino_agent *casino_open(const void *data, size_t size, int *error);
void casino_close(casino_agent *agent);
const casino_rules *casino_rules_of(const casino_agent *agent);
/* A game begins. CASINO_OTHER_RULES: it was exported for others. */
int casino_reset(casino_agent *agent, const casino_rules *rules, int seat, uint64_t seed);
/* Another seat is about to decide: what the agent's seat sees. A search with three seats or more learns from it. */
int casino_watch(casino_agent *agent, const casino_game *view, int seat);
/* The action of the seat that decides in a game, by what it may know. */
int casino_decide(casino_agent *agent, const casino_game *game);
/* The same step by step, from a view: begin; go on, some milliseconds each time, while it returns CASINO_GO_ON and as
 * long as you like; then answer, which is the action. */
int casino_begin(casino_agent *agent, const casino_game *view, int seat);
int casino_go_on(casino_agent *agent);
int casino_answer(casino_agent *agent);
typedef struct {
    int action, valued;                 /* valued: 1 if it expects so many points more than the others: value */
    double value, chances[CASINO_ACTIONS], values[CASINO_ACTIONS]; /* values: NaN where there is none */
} casino_analysis;
int casino_explain(casino_agent *agent, casino_analysis *analysis); /* what stands behind the answer */
const casino_refusal *casino_refused(const casino_agent *agent);    /* after CASINO_BAD_POSITION */

/* --- the judge, from a file of `casino agents export judge FILE.casino`: what every turn is worth ----------------- */

typedef struct {
    double seconds, precision;          /* at most; half of the interval of the noise, in points, that is enough */
    int64_t games, rounds, solve;       /* play-outs of a turn, at most; turns of every seat in one; 1: by the solver */
    uint64_t seed;
    int64_t also_count;                 /* turns that are measured whatever is thought of them */
    const int16_t (*also)[CASINO_STEPS]; /* their actions, -1 after the last */
} casino_question;
typedef struct {
    int count, mistake, games;          /* actions; 1: it loses for sure; play-outs */
    int16_t actions[CASINO_STEPS];
    double value, loss, low, high, chance; /* points; lost to the best turn, with its interval; of being played */
} casino_turn;

casino_question casino_usual_question(void);
/* Then go on. The question may be NULL: the usual one. CASINO_NO_SUCH_TURN: one of `also` is no complete turn. */
int casino_ask(casino_agent *judge, const casino_game *view, int seat, const casino_question *question);
int casino_turns(casino_agent *judge);                      /* how many there are, when it is finished */
int casino_turn_at(casino_agent *judge, int place, casino_turn *turn); /* the best first */
/* The place of the turn that leaves the same as these actions, -1 after the last. */
int casino_find_turn(casino_agent *judge, const int16_t actions[CASINO_STEPS]);
const char *casino_judged_by(casino_agent *judge);          /* "solver", "look-ahead" or "play-outs" */

#ifdef __cplusplus
}
#endif
#endif
