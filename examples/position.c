/* What an agent plays in a position, which comes as JSON on standard input, and the position that it leaves (docs/c.md):
 *
 *     casino agents export policy:swazi-3 policy.casino
 *     cc -I "$(casino env library)" examples/position.c "$(casino env library)/libcasino.so" -o position
 *     ./position policy.casino < position.json
 *
 * It is told the features that a network of one's own would read as well. */
#include "casino.h"
#include <stdio.h>
#include <stdlib.h>

static char data[1 << 25], text[1 << 16];
static int8_t features[1 << 16];

static int must(int answer) { /* an answer, and no error */
    if (answer >= 0) return answer;
    fprintf(stderr, "%s\n", casino_error(answer));
    exit(1);
}

int main(int count, char **words) {
    casino_game game, view;
    casino_rules rules;
    casino_layout layout;
    char said[200];
    int error = CASINO_NOT_A_FILE, on = 0;
    FILE *file = fopen(count > 1 ? words[1] : "", "rb");
    casino_agent *agent = file ? casino_open(data, fread(data, 1, sizeof data, file), &error) : NULL;
    if (!agent) must(error);
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (casino_from_json(&game, &rules, text, said, sizeof said)) {
        fprintf(stderr, "%s\n", said);
        return 1;
    }
    const int seat = casino_seat(&game);
    must(casino_reset(agent, &rules, seat, 1)); /* an agent of another game says so */
    must(casino_view(&game, &rules, seat, &view));
    must(casino_lay_out(&layout, &rules, 0));
    must(casino_observe(&layout, &view, &rules, seat, features));
    for (int i = 0; i < layout.size; i++) on += features[i];
    printf("seat %d sees %d of %d features\n", seat, on, (int)layout.size);
    while (!casino_over(&game) && casino_seat(&game) == seat) {
        const int action = must(casino_decide(agent, &game));
        printf("%s\n", casino_action_text(action));
        must(casino_play(&game, &rules, action));
    }
    must(casino_to_json(&game, &rules, text, sizeof text));
    printf("%s\n", text);
    casino_close(agent);
    fclose(file);
    return 0;
}
