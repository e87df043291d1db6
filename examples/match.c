/* A duplicate match between two agents, in C (docs/c.md):
 *
 *     casino agents export swazi-3 policy.casino
 *     casino agents export search:sims=100 search.casino --variant swazi --players 3
 *     cc -I "$(casino env library)" examples/match.c "$(casino env library)/libcasino.so" -lm -o match
 *     ./match policy.casino search.casino 10
 *
 * The first agent plays each deal once from every seat, with its partner if it has one; the second plays all other
 * seats. A deal is one observation: the mean of these games. */
#include "casino.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static casino_agent *load(const char *path) {
    static char data[1 << 25];
    int error = CASINO_NOT_A_FILE;
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    if (file) fclose(file);
    casino_agent *agent = file ? casino_open(data, size, &error) : NULL;
    if (!agent) {
        fprintf(stderr, "%s: %s\n", path, file ? casino_error(error) : "cannot be read");
        exit(1);
    }
    return agent;
}

static int must(int answer) { /* an answer, and no error */
    if (answer >= 0) return answer;
    fprintf(stderr, "%s\n", casino_error(answer));
    exit(1);
}

/* Plays a deal out: points of one side more than the mean of the others. players: who sits on each seat. */
static double play(casino_agent *const *players, const casino_rules *rules, int side, uint64_t seed) {
    casino_game game;
    int64_t points[CASINO_SEATS];
    const int seats = casino_players(rules);
    must(casino_deal(&game, rules, seed));
    for (int seat = 0; seat < seats; seat++) must(casino_reset(players[seat], rules, seat, seed));
    while (!casino_over(&game)) {
        const int mover = casino_seat(&game);
        for (int seat = 0; seat < seats; seat++) { /* the others watch: a search learns from what it sees */
            casino_game view;
            if (seat == mover) continue;
            must(casino_view(&game, rules, seat, &view));
            must(casino_watch(players[seat], &view, seat));
        }
        must(casino_play(&game, rules, must(casino_decide(players[mover], &game))));
    }
    must(casino_points(&game, rules, points));
    double others = 0;
    int sides = 0;
    while (sides < seats && casino_side(rules, sides) == sides) sides++;
    for (int other = 0; other < sides; other++)
        if (other != side) others += (double)points[other] / (sides - 1);
    return (double)points[side] - others;
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: match FIRST.casino SECOND.casino [DEALS]\n");
        return 1;
    }
    casino_agent *agents[2][CASINO_SEATS], *players[CASINO_SEATS];
    for (int i = 0; i < 2; i++) /* one for each seat: an agent remembers what its seat has seen */
        for (int seat = 0; seat < CASINO_SEATS; seat++) agents[i][seat] = load(words[1 + i]);
    const casino_rules *rules = casino_rules_of(agents[0][0]);
    const int deals = count > 3 ? atoi(words[3]) : 10, seats = casino_players(rules);
    double sum = 0, squares = 0;
    for (int deal = 0; deal < deals; deal++) {
        double mean = 0;
        for (int first = 0; first < seats; first++) {
            const int side = casino_side(rules, first);
            for (int seat = 0; seat < seats; seat++) players[seat] = agents[casino_side(rules, seat) != side][seat];
            mean += play(players, rules, side, (uint64_t)deal) / seats;
        }
        sum += mean;
        squares += mean * mean;
    }
    const double mean = sum / deals, spread = deals > 1 ? (squares - deals * mean * mean) / (deals - 1) : 0;
    printf("%d deals from %d seats: %+.2f points a deal, +- %.2f\n", deals, seats, mean, 1.96 * sqrt(spread / deals));
    for (int i = 0; i < 2; i++)
        for (int seat = 0; seat < CASINO_SEATS; seat++) casino_close(agents[i][seat]);
    return 0;
}
