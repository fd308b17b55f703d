// What the C programs share: a check that says where it failed, and a wait.
#ifndef EXPECT_H
#define EXPECT_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);   \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

// Waits for another thread. The yield is for valgrind, which runs one thread at a time and lets a loop without one go on.
#define UNTIL(condition) \
  while (!(condition)) sched_yield()

#endif
