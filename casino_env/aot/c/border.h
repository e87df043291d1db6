/* What border.c and the table of kernels (written by build.py) share. */
#ifndef CASINO_BORDER_H
#define CASINO_BORDER_H
#include <stdint.h>

typedef int (*Kernel)(int64_t *block);
typedef struct {
    const char *name;
    Kernel kernel;
} Known;
extern const Known casino_kernels[]; /* the last has no name */
#endif
