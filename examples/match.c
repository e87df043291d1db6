/* A match of a trained policy against random play, in C (docs/c.md):
 *
 *     casino agents export swazi-3 swazi-3.casino
 *     cc -I "$(casino env library)" examples/match.c "$(casino env library)/libcasino.so" -o match
 *     ./match swazi-3.casino 1000
 *
 * The policy sits on each seat in turn, the others play at random: its points a deal more than the mean of theirs. */
#include "casino.h"
#include <stdio.h>
#include <stdlib.h>

static casino_policy *load(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    static char data[1 << 24];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return casino_policy_open(data, size);
}

static uint64_t draw(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Plays a deal out; points of the policy's side more than the mean of the others. */
static double play(casino_policy *policy, const casino_rules *rules, int seat, uint64_t seed) {
    casino_game game;
    uint8_t actions[CASINO_ACTIONS];
    int64_t points[CASINO_SEATS];
    uint64_t state = seed;
    casino_deal(&game, rules, seed);
    const int mine = casino_side(rules, seat);
    while (!casino_over(&game)) {
        const int side = casino_side(rules, casino_seat(&game));
        const int count = casino_legal(&game, rules, actions);
        const int action = side == mine ? casino_policy_decide(policy, &game) : actions[draw(&state) % (uint64_t)count];
        if (casino_play(&game, rules, action)) {
            fprintf(stderr, "action %d is not legal\n", action);
            exit(1);
        }
    }
    casino_points(&game, rules, points);
    double others = 0;
    int sides = 0;
    for (int other = 0; other < casino_players(rules); other++)
        if (casino_side(rules, other) + 1 > sides) sides = casino_side(rules, other) + 1;
    for (int side = 0; side < sides; side++)
        if (side != mine) others += (double)points[side] / (sides - 1);
    return (double)points[mine] - others;
}

int main(int count, char **words) {
    casino_policy *policy = count > 1 ? load(words[1]) : NULL;
    if (!policy) {
        fprintf(stderr, "usage: match POLICY.casino [DEALS]: a policy that this version of the library has exported\n");
        return 1;
    }
    const casino_rules *rules = casino_policy_rules(policy);
    const int deals = count > 2 ? atoi(words[2]) : 1000;
    double sum = 0;
    for (int deal = 0; deal < deals; deal++)
        for (int seat = 0; seat < casino_players(rules); seat++) sum += play(policy, rules, seat, (uint64_t)deal);
    printf("%d deals on %d seats: %+.2f points a deal\n", deals, casino_players(rules), sum / deals / casino_players(rules));
    casino_policy_close(policy);
    return 0;
}
