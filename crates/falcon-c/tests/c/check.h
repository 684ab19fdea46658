/* Checks of the tests. A failed one names its line and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include "falconsign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

/* Checks that a call returns a status. */
#define RETURNS(expected, call) \
    do { \
        int returned = (call); \
        if (returned != (expected)) { \
            fprintf(stderr, "%s:%d: %s: %d (%s) instead of %s\n", __FILE__, __LINE__, #call, \
                    returned, falconsign_status_text(returned), #expected); \
            exit(1); \
        } \
    } while (0)

#define OK(call) RETURNS(FALCONSIGN_OK, call)

#endif
