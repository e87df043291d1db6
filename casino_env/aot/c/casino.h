/* Casino card games for programs in any language: rules, games, agents, a judge. See docs/c.md and examples/match.c.
 * There is no global state: threads may use different games and agents at the same time.
 *
 * Games and rules are records of 64-bit words, with the same layout as in Python (Game.record, rules_record) and in
 * WebAssembly: copy them with =, keep them in files, send them to other machines (little-endian). */
#ifndef CASINO_H
#define CASINO_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CASINO_ACTIONS = 192, CASINO_SEATS = 6, CASINO_CARDS = 52, CASINO_STEPS = 57 /* actions of a turn, then -1 */ };
enum { CASINO_NUMBERS = 33, CASINO_ROWS = 2048, CASINO_BUILDS = 15 }; /* sizes of casino_flat */

/* Functions that return int return a negative value on error. */
enum {
    CASINO_FINISHED = 0, CASINO_GO_ON = 1,
    CASINO_ILLEGAL = -1, CASINO_NULL_POINTER = -2, CASINO_NO_MEMORY = -3, CASINO_NOT_A_FILE = -4, CASINO_DAMAGED = -5,
    CASINO_BAD_RULES = -6, CASINO_OTHER_RULES = -7, CASINO_BAD_POSITION = -8, CASINO_BAD_SEAT = -9,
    CASINO_IMPOSSIBLE = -10, CASINO_OTHER_KIND = -11, CASINO_TOO_SOON = -12, CASINO_BAD_QUESTION = -13,
    CASINO_NO_SUCH_TURN = -14
};
const char *casino_version(void);                           /* the project's version, such as "0.1.0" */
const char *casino_error(int error);                        /* the message for an error */

typedef struct { int64_t words[64]; } casino_game;
typedef struct { int64_t words[96]; } casino_rules; /* with room for future switches */
typedef struct casino_agent casino_agent;

/* --- rules: a table is a preset and a number of players, such as "swazi 3" ---------------------------------------- */

const char *casino_table(int number);                       /* the name of a table; NULL beyond the last */
const casino_rules *casino_find_rules(const char *table);   /* NULL if no table has that name */
int casino_check_rules(const casino_rules *rules);          /* CASINO_BAD_RULES: the rules are not playable */
int casino_players(const casino_rules *rules);
int casino_side(const casino_rules *rules, int seat);       /* partners are one side */

/* --- games -------------------------------------------------------------------------------------------------------- */

int casino_deal(casino_game *game, const casino_rules *rules, uint64_t seed);  /* as Game(..., seed=seed) in Python */
int casino_over(const casino_game *game);                   /* 1: the game is over */
int casino_seat(const casino_game *game);                   /* the seat that decides */
/* List the legal actions (docs/actions.md), ascending; return their number. A turn is one or more actions. */
int casino_legal(const casino_game *game, const casino_rules *rules, uint8_t actions[CASINO_ACTIONS]);
/* Play an action and all forced actions after it. CASINO_ILLEGAL: it is not legal; the game is unchanged. */
int casino_play(casino_game *game, const casino_rules *rules, int action);
int casino_points(const casino_game *game, const casino_rules *rules, int64_t by_side[CASINO_SEATS]);
/* Write what a seat may know as a record. Its hands and piles omit the cards that the seat cannot see. */
int casino_view(const casino_game *game, const casino_rules *rules, int seat, casino_game *view);
const char *casino_action_text(int action);                 /* such as "discard 2S"; NULL beyond the catalogue */
int casino_action_of(const char *text);                     /* the action with that text; CASINO_ILLEGAL: none has it */
const char *casino_card_text(int card);                     /* such as "2S"; NULL beyond the deck */

/* --- positions in flat form: Position JSON (docs/positions.md) as numbers ----------------------------------------- */

typedef struct {
    int64_t numbers[CASINO_NUMBERS];    /* casino_field(i) is the name of number i */
    int64_t row_count, build_count;
    int64_t rows[CASINO_ROWS][3];       /* card or number; its list (casino_place); set of a build or side of a score */
    int64_t builds[CASINO_BUILDS][3];   /* value, owner, sets; cards of build i: rows with casino_place_of_build(i) */
    int64_t winner_said;                /* 1: the game is over, and the number "winner" is valid */
    uint64_t stream;                    /* in a match: the state of the random stream that deals the next cards */
} casino_flat;
typedef struct { int64_t code, place, part, number, low, high; } casino_refusal; /* code 0: nothing is wrong */

const char *casino_field(int number);                       /* such as "to_move"; NULL beyond the last */
const char *casino_place(int number);                       /* such as "hands[0]", "layout"; NULL beyond the last */
int casino_place_of_build(int number);
void casino_empty(casino_flat *flat);                       /* the numbers of a game that has not begun; no rows */
int casino_flatten(const casino_game *game, const casino_rules *rules, casino_flat *flat);
/* CASINO_BAD_POSITION: the position is impossible, or play cannot continue. `why`, if not NULL, receives the reason. */
int casino_build(casino_game *game, const casino_rules *rules, const casino_flat *flat, casino_refusal *why);
int casino_check(const casino_game *game, const casino_rules *rules, casino_refusal *why);
/* Write the reason as one line, as in Python. Return its full length; longer than room: it was truncated. */
int casino_refusal_text(const casino_refusal *why, const casino_rules *rules, char *text, size_t room);

/* --- Position JSON itself: what Game.to_json and Game.from_json write and read ------------------------------------ */

/* Read a position and its rules. CASINO_BAD_POSITION: `said` receives one line that says why; nothing else changes. */
int casino_from_json(casino_game *game, casino_rules *rules, const char *json, char *said, size_t room);
/* Return the full length; longer than room: truncated. Rules are written as changes to the nearest preset. */
int casino_to_json(const casino_game *game, const casino_rules *rules, char *text, size_t room);

/* --- the observation (docs/observation.md): the input of networks ------------------------------------------------- */

enum { CASINO_UNIVERSAL = 1, CASINO_MATCH = 2, CASINO_SEGMENTS = 25 };
typedef struct { int64_t offset, most, shape[5]; } casino_segment; /* shape: 0 after the last size */
typedef struct {
    int64_t size, most, count;          /* numbers of features, of features that can be on at once, of segments */
    casino_segment segments[CASINO_SEGMENTS];
    int64_t words[132];                 /* the layout in the kernels' format */
} casino_layout;

/* kind: CASINO_UNIVERSAL | CASINO_MATCH, either or 0. CASINO_BAD_QUESTION: the rules exceed the universal layout. */
int casino_lay_out(casino_layout *layout, const casino_rules *rules, int kind);
const char *casino_segment_name(int number);                /* such as "place"; NULL beyond the last */
/* Encode a view (casino_view) in a layout for its rules: one byte for each feature, 0 or 1. */
int casino_observe(const casino_layout *layout, const casino_game *view, const casino_rules *rules, int seat,
                   int8_t *features);

/* --- agents, from the bytes of a file that `casino agents export SPEC FILE.casino` wrote -------------------------- */

/* Open an agent; NULL: see *error. You may free the data afterwards. Use an agent from one thread at a time, and only
 * with the rules that it was exported for. */
casino_agent *casino_open(const void *data, size_t size, int *error);
void casino_close(casino_agent *agent);
const casino_rules *casino_rules_of(const casino_agent *agent);
/* Begin a game. CASINO_OTHER_RULES: the agent was exported for other rules. */
int casino_reset(casino_agent *agent, const casino_rules *rules, int seat, uint64_t seed);
/* Show the agent's view when another seat is about to decide. Searches with three or more seats learn from it. */
int casino_watch(casino_agent *agent, const casino_game *view, int seat);
/* Choose an action for the seat that decides, from what it may know. */
int casino_decide(casino_agent *agent, const casino_game *game);
/* The same step by step, from a view: call casino_begin, then casino_go_on (some milliseconds a call) while it returns
 * CASINO_GO_ON or until you stop, then casino_answer, which returns the action. */
int casino_begin(casino_agent *agent, const casino_game *view, int seat);
int casino_go_on(casino_agent *agent);
int casino_answer(casino_agent *agent);
typedef struct {
    int action, valued;                 /* valued: 1 if value, the expected lead over the others in points, is set */
    double value, chances[CASINO_ACTIONS], values[CASINO_ACTIONS]; /* by action; a value is NaN if there is none */
} casino_analysis;
int casino_explain(casino_agent *agent, casino_analysis *analysis); /* the reasons for the answer */
const casino_refusal *casino_refused(const casino_agent *agent);    /* after CASINO_BAD_POSITION: the reason */

/* --- the judge, from a file that `casino agents export judge FILE.casino` wrote: values turns --------------------- */

typedef struct {
    double seconds, precision;          /* time limit; half-width of the noise interval, in points, that is enough */
    int64_t games, rounds, solve;       /* most play-outs of a turn; turns a seat in each; 1: use the exact solver */
    uint64_t seed;
    int64_t also_count;                 /* turns to measure even if the judge's policy dislikes them */
    const int16_t (*also)[CASINO_STEPS]; /* the actions of each, then -1 */
} casino_question;
typedef struct {
    int count, mistake, games;          /* number of actions; 1: certainly a mistake; number of play-outs */
    int16_t actions[CASINO_STEPS];
    double value, loss, low, high, chance; /* points; points lost to the best, their interval; probability of play */
} casino_turn;

casino_question casino_usual_question(void);
/* Ask, then call casino_go_on. question NULL: the defaults. CASINO_NO_SUCH_TURN: one of `also` is no complete turn. */
int casino_ask(casino_agent *judge, const casino_game *view, int seat, const casino_question *question);
int casino_turns(casino_agent *judge);                      /* the number of turns, once finished */
int casino_turn_at(casino_agent *judge, int place, casino_turn *turn); /* place 0: the best turn */
/* The place of the turn that leaves the same position as these actions, which end with -1. */
int casino_find_turn(casino_agent *judge, const int16_t actions[CASINO_STEPS]);
const char *casino_judged_by(casino_agent *judge);          /* "solver", "look-ahead" or "play-outs" */

#ifdef __cplusplus
}
#endif
#endif
