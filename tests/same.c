/* Does what tests/same_in_c.py asks with casino.h, one question after the other on standard input: words, and bytes in
 * hexadecimal. Each answer is a line of JSON.
 *
 *     agent FILE SEAT SEED STEPS    then each step: seat, view, 1 if the agent is asked (else it watches)
 *     judge FILE SEAT VIEW GAMES SECONDS SOLVE
 *     flat TABLE GAME               the position, written and read again
 */
#include "casino.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static long long number(void) {
    long long found;
    need(scanf("%lld", &found) == 1, "a number is missing");
    return found;
}

static void game(casino_game *to) {
    for (int i = 0; i < (int)sizeof *to; i++) {
        unsigned byte;
        need(scanf("%2x", &byte) == 1, "a game is missing");
        ((unsigned char *)to)[i] = (unsigned char)byte;
    }
}

static casino_agent *agent(void) {
    char path[1024];
    int error;
    need(scanf("%1023s", path) == 1, "a path is missing");
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    char *data = malloc(size);
    rewind(file);
    need(data && fread(data, 1, size, file) == size, path);
    fclose(file);
    casino_agent *opened = casino_open(data, size, &error);
    free(data);
    need(opened != NULL, error < 0 ? casino_error(error) : path);
    return opened;
}

static void real(const char *name, double value) {
    printf("%s", name);
    if (isfinite(value)) printf("%.17g", value);
    else printf("null");
}

static void decide(casino_agent *who, const casino_game *view, int seat) {
    casino_analysis found;
    uint8_t legal[CASINO_ACTIONS];
    int state = casino_begin(who, view, seat);
    while (state == CASINO_GO_ON) state = casino_go_on(who);
    need(!state, casino_error(state));
    need(casino_answer(who) >= 0, "no answer");
    need(!casino_explain(who, &found), "no explanation");
    const int many = casino_legal(view, casino_rules_of(who), legal);
    printf("{\"action\": %d, ", found.action);
    real("\"value\": ", found.valued ? found.value : NAN);
    printf(", \"chances\": [");
    for (int i = 0; i < many; i++) real(i ? ", " : "", found.chances[legal[i]]);
    printf("], \"values\": [");
    for (int action = 0, any = 0; action < CASINO_ACTIONS; action++) {
        if (isnan(found.values[action])) continue;
        printf("%s[%d, ", any++ ? ", " : "", action);
        real("", found.values[action]);
        printf("]");
    }
    printf("]}");
}

static void play(void) {
    casino_agent *who = agent();
    const int seat = (int)number(), seed = (int)number(), steps = (int)number();
    need(!casino_reset(who, casino_rules_of(who), seat, (uint64_t)seed), "reset");
    printf("[");
    for (int step = 0; step < steps; step++) {
        casino_game view;
        game(&view);
        printf("%s", step ? ", " : "");
        if (number()) decide(who, &view, seat);
        else {
            need(!casino_watch(who, &view, seat), "watch");
            printf("null");
        }
    }
    printf("]\n");
    casino_close(who);
}

static void judge(void) {
    casino_agent *who = agent();
    casino_question asked = casino_usual_question();
    casino_game view;
    const int seat = (int)number();
    game(&view);
    asked.games = number();
    asked.seconds = (double)number();
    asked.solve = number();
    int state = casino_ask(who, &view, seat, &asked);
    while (state == CASINO_GO_ON) state = casino_go_on(who);
    need(!state, casino_error(state));
    const int many = casino_turns(who);
    printf("{\"by\": \"%s\", \"turns\": [", casino_judged_by(who));
    char mistakes[4096] = "";
    for (int place = 0; place < many; place++) {
        casino_turn turn;
        need(!casino_turn_at(who, place, &turn), "a turn is missing");
        printf("%s{\"actions\": [", place ? ", " : "");
        for (int i = 0; i < turn.count; i++) printf("%s%d", i ? ", " : "", turn.actions[i]);
        real("], \"value\": ", turn.value);
        real(", \"low\": ", turn.low);
        real(", \"high\": ", turn.high);
        real(", \"chance\": ", turn.chance);
        printf(", \"games\": %d}", turn.games);
        const size_t used = strlen(mistakes);
        snprintf(mistakes + used, sizeof mistakes - used, "%s%s", place ? ", " : "", turn.mistake ? "true" : "false");
        need(casino_find_turn(who, turn.actions) == place, "the turn is another one");
    }
    printf("], \"mistakes\": [%s]}\n", mistakes);
    casino_close(who);
}

static void flat(void) {
    char table[64], text[400];
    static casino_flat numbers;
    casino_game before, after;
    casino_refusal why;
    need(scanf(" %63[^;];", table) == 1, "a table is missing");
    const casino_rules *rules = casino_find_rules(table);
    game(&before);
    need(rules && !casino_flatten(&before, rules, &numbers), table);
    const long long field = number(), value = number();
    if (field >= 0) numbers.numbers[field] = value;
    const int found = casino_build(&after, rules, &numbers, &why);
    if (found) {
        casino_refusal_text(&why, rules, text, sizeof text);
        printf("{\"error\": \"%s\"}\n", why.code < 0 ? casino_error(found) : text);
        return;
    }
    printf("\"");
    for (int i = 0; i < (int)sizeof after; i++) printf("%02x", ((unsigned char *)&after)[i]);
    printf("\"\n");
}

int main(void) {
    char what[16];
    while (scanf("%15s", what) == 1) {
        if (!strcmp(what, "agent")) play();
        else if (!strcmp(what, "judge")) judge();
        else flat();
        fflush(stdout);
    }
    return 0;
}
