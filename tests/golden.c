/* Calls casino_env.golden.digest_deals once a line of a file that golden_elsewhere.py has written, on any processor:
 * so many words that are the block, so many bytes for all arrays, and for each array its word and where its bytes begin. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int casino_golden_digest_deals(int64_t *block);

static int64_t word(void) {
    int64_t found = 0;
    if (fread(&found, sizeof found, 1, stdin) != 1) exit(0);
    return found;
}

int main(void) {
    for (;;) {
        const int64_t words = word(), bytes = word(), arrays = word();
        int64_t *block = calloc((size_t)words, sizeof *block);
        char *memory = calloc((size_t)bytes, 1);
        if (!block || !memory) return 1;
        for (int64_t i = 0; i < words; i++) block[i] = word();
        for (int64_t i = 0; i < arrays; i++) {
            const int64_t at = word(), from = word();
            block[at] = (int64_t)(intptr_t)(memory + from);
        }
        if (fread(memory, 1, (size_t)bytes, stdin) != (size_t)bytes) return 1;
        if (casino_golden_digest_deals(block)) return 1;
        for (int i = 0; i < 4; i++) printf("%016llx%s", (unsigned long long)block[i], i < 3 ? " " : "\n");
        free(memory);
        free(block);
    }
}
