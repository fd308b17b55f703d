// Random sequences of calls with live, freed, foreign and invented handles. What each call must return is known: a live handle
// of its kind is served, any other is stale. Every sink that was taken is released once, and nothing is left over.
//
// Usage: sequences [COUNT [SEED]], by default 20,000 sequences.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define RECENT 16
#define FRAME 64

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

typedef enum { INVENTED, SESSION, TICKER, RUNTIME, PLAN, INVERSE, STFT, STREAM, KINDS } Kind;

static const char *const names[KINDS] = {"", "sessions", "tickers", "runtimes", "plans", "inverses", "STFTs", "STFT streams"};

typedef struct {
  RustleHandle handle;
  Kind kind;
  int live;
} Entry;

// Every handle that was issued since the last sweep.
static Entry *known;
static size_t known_count, known_capacity;
static long served[KINDS];

static void know(RustleHandle handle, Kind kind) {
  if (known_count == known_capacity) {
    known_capacity = known_capacity == 0 ? 128 : 2 * known_capacity;
    known = realloc(known, known_capacity * sizeof *known);
    EXPECT(known != NULL);
  }
  for (size_t i = 0; i < known_count; i++) EXPECT(known[i].handle != handle);
  known[known_count++] = (Entry){handle, kind, 1};
}

static Entry invented;

// The entry of a number, which may have been issued for all that.
static Entry *entry_of(RustleHandle handle) {
  for (size_t i = 0; i < known_count; i++) {
    if (known[i].handle == handle) return &known[i];
  }
  invented = (Entry){handle, INVENTED, 0};
  return &invented;
}

// One of the latest handles, of the kind that is wanted more often than not, or a number.
static Entry *any_entry(Kind wanted) {
  uint32_t recent = known_count < RECENT ? (uint32_t)known_count : RECENT;
  if (recent == 0) return entry_of(state);
  Entry *some = &known[known_count - 1 - below(recent)];
  switch (below(16)) {
    case 0: return entry_of(0);
    case 1: return entry_of(state);
    case 2: return entry_of(UINT64_MAX);
    case 3: return entry_of(some->handle ^ ((uint64_t)1 << below(64)));
    case 4:
    case 5:
    case 6: return some;
    default:
      for (size_t i = known_count; i > 0; i--) {
        if (known[i - 1].kind == wanted && (known[i - 1].live || below(4) == 0)) return &known[i - 1];
      }
      return some;
  }
}

static int serves(const Entry *entry, Kind kind) { return entry->kind == kind && entry->live; }

// A live handle of the right kind is served, or refused for another reason; any other is stale.
static void fits(RustleStatus status, const Entry *entry, Kind kind, RustleStatus also) {
  if (serves(entry, kind)) {
    EXPECT(status == RUSTLE_OK || status == also);
    served[kind]++;
  } else {
    EXPECT(status == RUSTLE_STALE_HANDLE);
  }
}

static RustleStatus free_as(Kind kind, RustleHandle handle) {
  switch (kind) {
    case SESSION: return rustle_session_free(handle, NULL);
    case TICKER: return rustle_ticker_free(handle, NULL);
    case RUNTIME: return rustle_runtime_free(handle, NULL);
    case INVERSE: return rustle_fft_inverse_free(handle, NULL);
    case STFT: return rustle_stft_free(handle, NULL);
    case STREAM: return rustle_stft_stream_free(handle, NULL);
    default: return rustle_fft_plan_free(handle, NULL);
  }
}

static void free_any(Kind kind) {
  Entry *entry = any_entry(kind);
  RustleStatus status = free_as(kind, entry->handle);
  fits(status, entry, kind, RUSTLE_OK);
  if (status == RUSTLE_OK) entry->live = 0;
}

static void start(void) {
  static const char *const all[] = {"BTC", "ETH", "SOL", "BTC", "", "A B"};
  RustleString symbols[3];
  uint32_t fine = below(4) != 0;
  uint32_t count = fine ? 1 + below(3) : below(4), lane = fine ? below(4) : below(5), capacity = fine ? 1 : below(3);
  for (uint32_t i = 0; i < count; i++) {
    const char *name = all[fine ? i : below(6)];
    symbols[i] = (RustleString){(const uint8_t *)name, strlen(name)};
  }
  void *context = malloc(16);
  RustleSink sink = {context, on_signal, on_release};
  RustleHandle session = 0;
  RustleError error;
  Entry *ticker = any_entry(TICKER);
  RustleStatus status = rustle_ticker_start(ticker->handle, symbols, count, lane, capacity, sink, &session, &error);
  if (status == RUSTLE_OK) {
    EXPECT(serves(ticker, TICKER));
    atomic_fetch_add(&taken, 1);
    served[TICKER]++;
    know(session, SESSION);
  } else {
    EXPECT(status == error.status && error.message_length > 0);
    if (!serves(ticker, TICKER)) EXPECT(status == RUSTLE_STALE_HANDLE);
    else
      EXPECT(status == RUSTLE_SHUT_DOWN || (!fine && (status == RUSTLE_INVALID_VALUE || status == RUSTLE_INVALID_LENGTH ||
             (status >= RUSTLE_NO_SYMBOLS && status <= RUSTLE_TOO_MANY_SYMBOLS))));
    free(context);
  }
}

static void new_ticker(void) {
  Entry *runtime = below(2) == 0 ? entry_of(0) : any_entry(RUNTIME);
  int fine = below(8) != 0;
  RustleTickerConfiguration configuration = {
      .updates_per_second = fine ? 10000 : -1, .update_limit = below(4), .runtime = runtime->handle};
  RustleHandle made = 0;
  RustleStatus status = rustle_ticker_new(&configuration, &made, NULL);
  if (runtime->handle != 0 && !serves(runtime, RUNTIME)) EXPECT(status == RUSTLE_STALE_HANDLE);
  else EXPECT(status == (fine ? RUSTLE_OK : RUSTLE_RATE_OUT_OF_RANGE));
  if (status == RUSTLE_OK) know(made, TICKER);
}

static void new_stft(int fine) {
  RustleStftConfiguration configuration = {.size = FRAME, .hop = fine ? FRAME : 0};
  RustleHandle made = 0;
  RustleStatus status = rustle_stft_new(&configuration, &made, NULL);
  EXPECT((status == RUSTLE_OK) == fine);
  if (fine) know(made, STFT);
}

static void new_stream(void) {
  Entry *stft = any_entry(STFT);
  RustleHandle made = 0;
  RustleStatus status = rustle_stft_stream_new(stft->handle, &made, NULL);
  fits(status, stft, STFT, RUSTLE_OK);
  if (status == RUSTLE_OK) know(made, STREAM);
}

static void new_plan(void) {
  RustleHandle made = 0;
  int fine = below(4) != 0;
  switch (below(4)) {
    case 0: new_stft(fine); return;
    case 1: new_stream(); return;
    case 2:
      EXPECT((rustle_fft_inverse_new(fine ? FRAME : 1, RUSTLE_PATH_PREFERRED, &made, NULL) == RUSTLE_OK) == fine);
      if (fine) know(made, INVERSE);
      return;
    default: break;
  }
  RustleStatus status = rustle_fft_plan_new(fine ? FRAME : FRAME + 1, RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_PERIODIC,
                                            RUSTLE_SCALE_NONE, &made, NULL);
  EXPECT((status == RUSTLE_OK) == fine);
  if (fine) know(made, PLAN);
}

static void transform(void) {
  static float input[FRAME + 2], output[4 * (FRAME / 2 + 1)];
  size_t taken = 0, frames = 0;
  Entry *entry;
  switch (below(4)) {
    case 0:
      entry = any_entry(INVERSE);
      fits(rustle_fft_inverse_samples(entry->handle, input, FRAME + 2, output, FRAME, NULL, 0, NULL), entry, INVERSE,
           RUSTLE_OK);
      break;
    case 1:
      entry = any_entry(STREAM);
      fits(rustle_stft_stream_push(entry->handle, input, below(FRAME + 1), output, 4 * (FRAME / 2 + 1), &taken, &frames, NULL),
           entry, STREAM, RUSTLE_WRONG_STATE);
      break;
    case 2:
      entry = any_entry(STREAM);
      fits(rustle_stft_stream_finish(entry->handle, output, 4 * (FRAME / 2 + 1), &frames, NULL), entry, STREAM,
           RUSTLE_WRONG_STATE);
      break;
    default:
      entry = any_entry(PLAN);
      fits(rustle_fft_magnitudes(entry->handle, input, FRAME, output, FRAME / 2, NULL, 0, NULL), entry, PLAN, RUSTLE_OK);
  }
}

static void one_call(void) {
  RustlePriceUpdate updates[4];
  size_t count = 0;
  Entry *entry;
  switch (below(16)) {
    case 0: new_ticker(); break;
    case 1:
    case 2:
    case 3:
    case 4: start(); break;
    case 5:
      entry = any_entry(SESSION);
      fits(rustle_session_cancel(entry->handle, NULL), entry, SESSION, RUSTLE_OK);
      break;
    case 6: free_any(SESSION); break;
    case 7: free_any(TICKER); break;
    case 8:
      entry = any_entry(TICKER);
      fits(rustle_ticker_cancel(entry->handle, NULL), entry, TICKER, RUSTLE_OK);
      break;
    case 9:
      entry = any_entry(SESSION);
      fits(rustle_ticker_drain(entry->handle, updates, below(5), &count, NULL, NULL), entry, SESSION, RUSTLE_INVALID_VALUE);
      break;
    case 10: {
      RustleHandle made = 0;
      if (below(16) == 0 && rustle_runtime_new_manual(0, &made, NULL) == RUSTLE_OK) know(made, RUNTIME);
      break;
    }
    case 11:
      entry = any_entry(RUNTIME);
      fits(rustle_runtime_advance(entry->handle, 1000000, NULL), entry, RUNTIME, RUSTLE_OK);
      break;
    case 12: free_any(RUNTIME); break;
    case 13: new_plan(); break;
    case 14:
      if (below(2) == 0) free_any(PLAN + below(KINDS - PLAN));
      else transform();
      break;
    default:
      if (below(8) != 0) break;
      entry = any_entry(TICKER);
      fits(rustle_ticker_shut_down(entry->handle, NULL), entry, TICKER, RUSTLE_OK);
  }
}

// Frees what is live, each with its own function, and sees that no other function takes it.
static void free_all(void) {
  for (size_t i = 0; i < known_count; i++) {
    for (Kind kind = SESSION; kind < KINDS; kind++) {
      if (kind != known[i].kind) EXPECT(free_as(kind, known[i].handle) == RUSTLE_STALE_HANDLE);
    }
    RustleStatus status = free_as(known[i].kind, known[i].handle);
    EXPECT(status == (known[i].live ? RUSTLE_OK : RUSTLE_STALE_HANDLE));
  }
  known_count = 0;
}

int main(int argc, char **argv) {
  long sequences = argc > 1 ? atol(argv[1]) : 20000;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  EXPECT(sequences > 0);
  for (long n = 0; n < sequences; n++) {
    for (uint32_t calls = 2 + below(7); calls > 0; calls--) one_call();
    if (known_count > 64) free_all();
  }
  free_all();
  free(known);
  // The last releases come from the workers in their own time.
  while (atomic_load(&released) < atomic_load(&taken) || rustle_live_objects() > 0) sched_yield();
  EXPECT(atomic_load(&released) == atomic_load(&taken));
  for (Kind kind = SESSION; kind < KINDS; kind++) EXPECT(served[kind] > 0);
  printf("%ld sequences, %ld sessions, %ld releases; served:", sequences, atomic_load(&taken), atomic_load(&released));
  for (Kind kind = SESSION; kind < KINDS; kind++) printf(" %ld %s", served[kind], names[kind]);
  printf("\n");
  return 0;
}
