/* Calls kernels on any processor, one call after the other of a file that golden_elsewhere.py has written: which kernel,
 * so many words that are the block, so many bytes for all arrays, the number of arrays, and where the answer is (the
 * word of an array of 64-bit numbers; 0: the beginning of the block); then the words, for each array its word and where
 * its bytes begin, and the bytes. Each answer is printed as a line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

int casino_golden_digest_deals(int64_t *block);
int casino_agents_policy_lookahead_decide_by_afterstates(int64_t *block);

static int64_t word(void) {
    int64_t found = 0;
    if (fread(&found, sizeof found, 1, stdin) != 1) exit(0);
    return found;
}

int main(void) {
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
#endif
    int (*const kernels[])(int64_t *) = {casino_golden_digest_deals, casino_agents_policy_lookahead_decide_by_afterstates};
    for (;;) {
        const int64_t kernel = word(), words = word(), bytes = word(), arrays = word(), answer = word();
        int64_t *block = calloc((size_t)words, sizeof *block);
        char *memory = calloc((size_t)bytes, 1);
        if (!block || !memory) return 1;
        for (int64_t i = 0; i < words; i++) block[i] = word();
        for (int64_t i = 0; i < arrays; i++) {
            const int64_t at = word(), from = word();
            block[at] = (int64_t)(intptr_t)(memory + from);
        }
        if (fread(memory, 1, (size_t)bytes, stdin) != (size_t)bytes) return 1;
        if (kernels[kernel](block)) return 1;
        const int64_t *found = answer ? (const int64_t *)(intptr_t)block[answer] : block;
        const int64_t count = answer ? block[answer + 1] : 4;
        for (int64_t i = 0; i < count; i++) printf("%016llx%s", (unsigned long long)found[i], i < count - 1 ? " " : "\n");
        free(memory);
        free(block);
    }
}
