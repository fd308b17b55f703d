#ifndef RUSTLE_LOADED_H
#define RUSTLE_LOADED_H

#include <stdbool.h>

// Whether cairo is there. Its functions, which have cairo's names, end the process where it is not.
bool rustle_finds_cairo(void);

#endif
