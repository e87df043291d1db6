/* Declarations shared by border.c and the table of kernels that build.py generates. */
#ifndef CASINO_BORDER_H
#define CASINO_BORDER_H
#include <stdint.h>

typedef int (*Kernel)(int64_t *block);
typedef struct {
    const char *name;
    Kernel kernel;
} Known;
extern const Known casino_kernels[]; /* ends with a row without a name */
#endif
