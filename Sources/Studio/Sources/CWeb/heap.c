#include "web.h"

// Says whether the library is glibc.
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

size_t rustle_web_heap_length(void) {
  const struct mallinfo2 counts = mallinfo2();
  return counts.uordblks + counts.hblkhd;
}
#else
size_t rustle_web_heap_length(void) { return 0; }
#endif
