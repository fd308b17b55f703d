// Shared by the C programs: checks that report their location, a wait, a counting sink, and a stopped clock.
#ifndef EXPECT_H
#define EXPECT_H

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rustle.h"

#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);   \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

#define OK(call) EXPECT((call) == RUSTLE_OK)

// Expects that a call with `&error` fails with a status and a text.
#define REFUSED(call, expected) EXPECT(is_refused((call), (expected)))

// Expects the text of the last refusal.
#define SAYS(text) EXPECT(error.message_length == strlen(text) && memcmp(error.message, (text), strlen(text)) == 0)

// Waits for another thread. The yield is for valgrind, which runs one thread at a time and lets a loop without one run forever.
#define UNTIL(condition) \
  while (!(condition)) sched_yield()

#define TEXT(s) ((RustleString){(const uint8_t *)(s), strlen(s)})
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MILLISECOND 1000000ull
#define SECOND 1000000000ull
#define PI 3.14159265358979323846

static RustleError error __attribute__((unused));

static inline int is_refused(RustleStatus got, RustleStatus expected) {
  if (got != expected) fprintf(stderr, "status %d: %.*s\n", got, (int)error.message_length, error.message);
  return got == expected && error.status == expected && error.message_length > 0 &&
         error.message_length <= RUSTLE_ERROR_CAPACITY;
}

static inline int is_close(double got, double expected, double tolerance) {
  if (fabs(got - expected) <= tolerance) return 1;
  fprintf(stderr, "expected %g within %g, got %g\n", expected, tolerance, got);
  return 0;
}

// The context of a sink that counts.
typedef struct {
  atomic_int signals, releases, reason;
  // Cancelled by the next signal, unless it is 0.
  RustleHandle cancel_inside;
  RustlePriceUpdate last_update;
} Probe;

static inline void on_ring(void *context, const void *event) {
  Probe *probe = context;
  EXPECT(event == NULL && atomic_load(&probe->releases) == 0);
  atomic_fetch_add(&probe->signals, 1);
}

static inline void on_event(void *context, const void *event) {
  Probe *probe = context;
  EXPECT(event != NULL && atomic_load(&probe->releases) == 0);
  atomic_fetch_add(&probe->signals, 1);
}

static inline void on_update(void *context, const void *event) {
  Probe *probe = context;
  on_event(context, event);
  probe->last_update = *(const RustlePriceUpdate *)event;
  if (probe->cancel_inside != 0) OK(rustle_session_cancel(probe->cancel_inside, NULL));
}

static inline void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  Probe *probe = context;
  EXPECT(message != NULL && (length == 0 || reason == RUSTLE_RELEASE_FAILED));
  atomic_store(&probe->reason, reason);
  atomic_fetch_add(&probe->releases, 1);
}

// Whether a session ended once, for this reason.
static inline int is_released(Probe *probe, int32_t reason) {
  return atomic_load(&probe->releases) == 1 && atomic_load(&probe->reason) == reason;
}

static inline RustleHandle manual_runtime(void) {
  RustleHandle runtime = 0;
  OK(rustle_runtime_new_manual(&(RustleManualRuntime){.wall_ms = 1000}, &runtime, NULL));
  return runtime;
}

// Frees objects of any kind, one after the other.
#define FREE(...) free_each((RustleHandle[]){__VA_ARGS__}, COUNT(((RustleHandle[]){__VA_ARGS__})))

static inline void free_each(const RustleHandle *objects, size_t count) {
  for (size_t n = 0; n < count; n++) OK(rustle_free(objects[n], NULL));
}

// Starts a session of a ticker with `count` symbols in a lane.
static inline RustleStatus start_ticker(RustleHandle ticker, const RustleString *symbols, size_t count, uint32_t lane,
                                        size_t capacity, RustleSink sink, RustleHandle *session) {
  RustleTickerRequest request = {
      .symbols = symbols, .symbol_count = count, .lane = {.lane = lane, .capacity = capacity}};
  return rustle_ticker_start(ticker, &request, sink, session, &error);
}

#endif
