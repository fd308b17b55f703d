// Random sequences of calls with live, freed, foreign and invented handles: every call returns one of the statuses that
// it names, every sink that was taken is released once, and nothing is left over.
//
// Usage: sequences [COUNT [SEED]], by default 20,000 sequences.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define POOL 16

static atomic_long taken, released;

static void on_signal(void *context, const void *event) {
  (void)context;
  (void)event;
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  EXPECT(reason == RUSTLE_RELEASE_ENDED || reason == RUSTLE_RELEASE_CANCELLED);
  EXPECT(length == 0);
  (void)message;
  // Freed here: a callback after the release, or a second release, is a use after free that AddressSanitizer reports.
  free(context);
  atomic_fetch_add(&released, 1);
}

static uint64_t state;

// Knuth's MMIX generator.
static uint32_t below(uint32_t bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % bound;
}

static RustleHandle pool[POOL];

static RustleHandle any_handle(void) {
  switch (below(16)) {
    case 0: return 0;
    case 1: return state;
    case 2: return UINT64_MAX;
    case 3: return pool[below(POOL)] ^ ((uint64_t)1 << below(64));
    default: return pool[below(POOL)];
  }
}

static void fits(RustleStatus status, RustleStatus also) {
  EXPECT(status == RUSTLE_OK || status == RUSTLE_STALE_HANDLE || status == also);
}

static void start(void) {
  static const char *const names[] = {"BTC", "ETH", "BTC", "", "A B"};
  RustleString symbols[3];
  uint32_t count = below(4), lane = below(5), capacity = below(3);
  for (uint32_t i = 0; i < count; i++) {
    const char *name = names[below(5)];
    symbols[i] = (RustleString){(const uint8_t *)name, strlen(name)};
  }
  void *context = malloc(16);
  RustleSink sink = {context, on_signal, on_release};
  RustleHandle session = 0;
  RustleError error;
  RustleStatus status = rustle_ticker_start(any_handle(), symbols, count, lane, capacity, sink, &session, &error);
  if (status == RUSTLE_OK) {
    atomic_fetch_add(&taken, 1);
    pool[below(POOL)] = session;
  } else {
    EXPECT(status == error.status && error.message_length > 0);
    EXPECT(status == RUSTLE_STALE_HANDLE || status == RUSTLE_INVALID_VALUE || status == RUSTLE_INVALID_LENGTH ||
           status == RUSTLE_SHUT_DOWN || (status >= RUSTLE_NO_SYMBOLS && status <= RUSTLE_TOO_MANY_SYMBOLS));
    free(context);
  }
}

static void one_call(void) {
  RustlePriceUpdate updates[4];
  size_t count = 0;
  RustleHandle made = 0;
  switch (below(10)) {
    case 0: {
      RustleTickerConfiguration configuration = {
          .updates_per_second = below(8) == 0 ? -1 : 10000, .update_limit = below(4), .runtime = 0};
      fits(rustle_ticker_new(&configuration, &made, NULL), RUSTLE_RATE_OUT_OF_RANGE);
      if (made != 0) pool[below(POOL)] = made;
      break;
    }
    case 1:
    case 2:
    case 3: start(); break;
    case 4: fits(rustle_session_cancel(any_handle(), NULL), RUSTLE_OK); break;
    case 5: fits(rustle_session_free(any_handle(), NULL), RUSTLE_OK); break;
    case 6: fits(rustle_ticker_free(any_handle(), NULL), RUSTLE_OK); break;
    case 7: fits(rustle_ticker_cancel(any_handle(), NULL), RUSTLE_OK); break;
    case 8: fits(rustle_ticker_drain(any_handle(), updates, below(5), &count, NULL, NULL), RUSTLE_INVALID_VALUE); break;
    default:
      if (below(64) == 0) fits(rustle_ticker_shut_down(any_handle(), NULL), RUSTLE_OK);
      else fits(rustle_runtime_free(any_handle(), NULL), RUSTLE_OK);
  }
}

// A handle that was pushed out of the pool is still owed a free: this one is kept aside.
static RustleHandle *owed;
static size_t owed_count, owed_capacity;

static void owe(RustleHandle handle) {
  if (handle == 0) return;
  if (owed_count == owed_capacity) {
    owed_capacity = owed_capacity == 0 ? 64 : 2 * owed_capacity;
    owed = realloc(owed, owed_capacity * sizeof *owed);
    EXPECT(owed != NULL);
  }
  owed[owed_count++] = handle;
}

static void free_all(void) {
  for (size_t i = 0; i < POOL; i++) owe(pool[i]);
  for (size_t i = 0; i < owed_count; i++) {
    fits(rustle_session_free(owed[i], NULL), RUSTLE_OK);
    fits(rustle_ticker_free(owed[i], NULL), RUSTLE_OK);
  }
  owed_count = 0;
  memset(pool, 0, sizeof pool);
}

int main(int argc, char **argv) {
  long sequences = argc > 1 ? atol(argv[1]) : 20000;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  EXPECT(sequences > 0);
  for (long n = 0; n < sequences; n++) {
    for (uint32_t calls = 2 + below(7); calls > 0; calls--) {
      RustleHandle before[POOL];
      memcpy(before, pool, sizeof pool);
      one_call();
      for (size_t i = 0; i < POOL; i++) {
        if (before[i] != pool[i]) owe(before[i]);
      }
    }
    if (owed_count > 64) free_all();
  }
  free_all();
  free(owed);
  // The last releases come from the workers in their own time.
  while (atomic_load(&released) < atomic_load(&taken) || rustle_live_objects() > 0) sched_yield();
  EXPECT(atomic_load(&released) == atomic_load(&taken));
  printf("%ld sequences, %ld sessions, %ld releases\n", sequences, atomic_load(&taken), atomic_load(&released));
  return 0;
}
