// Crosses the boundary a given number of times in one of a few ways, for a counter of instructions around it.
// Usage: boundary CASE COUNT
#include "../expect.h"

// The updates between two drains, and of a batch.
#define STEP 1000

static uint64_t seen;
static uint64_t releases;

static void add_event(void *context, const void *event) {
  const RustlePriceUpdate *update = event;
  uint64_t *sum = context;
  *sum += update->sequence;
  seen++;
}

static void on_nothing(void *context, const void *event) {
  (void)context;
  (void)event;
  seen++;
}

static void count_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  (void)context;
  (void)message;
  EXPECT(reason == RUSTLE_RELEASE_ENDED && length == 0);
  releases++;
}

static void call(uint64_t count) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; i++) sum += rustle_live_objects();
  EXPECT(sum == 0);
  seen = count;
}

// A call that looks a handle up, inside the guard.
static void handle(uint64_t count) {
  RustleStftConfiguration configuration = {.size = 256, .hop = 128, .padding = RUSTLE_PADDING_NONE};
  RustleHandle stft = 0;
  OK(rustle_stft_new(&configuration, &stft, NULL));
  for (uint64_t i = 0; i < count; i++) {
    // Too short for a frame: next to nothing is computed.
    size_t frames = 1;
    OK(rustle_stft_frame_count(stft, 0, &frames, NULL));
    seen += frames == 0;
  }
  OK(rustle_stft_free(stft, NULL));
}

static void callback(uint64_t count) {
  RustleSink sink = {NULL, on_nothing, count_release};
  OK(rustle_sink_exercise(sink, NULL, count, NULL));
  EXPECT(releases == 1);
}

// A session of `count` updates whose time is advanced by STEP updates at a time. A batched lane is drained after each step, or left
// to drop its oldest: the engine's part.
static void session(uint64_t count, uint32_t lane, int drains) {
  uint64_t sum = 0;
  RustleHandle runtime = manual_runtime(), ticker = 0, session = 0;
  RustleTickerConfiguration configuration = {
      .updates_per_second = 250000, .seed = 1, .has_seed = 1, .update_limit = count, .runtime = runtime};
  OK(rustle_ticker_new(&configuration, &ticker, NULL));
  RustleString symbols[] = {TEXT("BTC"), TEXT("ETH"), TEXT("SOL"), TEXT("AAPL")};
  RustleSink sink = {&sum, lane == RUSTLE_LANE_PER_VALUE ? add_event : on_nothing, count_release};
  OK(start_ticker(ticker, symbols, 4, lane, 65536, sink, &session));
  static RustlePriceUpdate updates[2 * STEP];
  uint64_t drained = 0;
  for (uint64_t step = 0; step <= count / STEP; step++) {
    OK(rustle_runtime_advance(runtime, STEP * 1000, NULL));
    if (!drains) continue;
    size_t taken = 0;
    OK(rustle_ticker_drain(session, updates, 2 * STEP, &taken, NULL, NULL));
    for (size_t i = 0; i < taken; i++) sum += updates[i].sequence;
    drained += taken;
  }
  if (lane == RUSTLE_LANE_PER_VALUE || drains) EXPECT(sum == count * (count - 1) / 2);
  if (lane != RUSTLE_LANE_PER_VALUE) {
    RustleLaneStatistics statistics;
    size_t none = 0;
    OK(rustle_ticker_drain(session, NULL, 0, &none, &statistics, NULL));
    EXPECT(statistics.delivered == drained);
    seen = statistics.produced;
  }
  EXPECT(releases == 1);
  FREE(session, ticker, runtime);
}

int main(int argc, char **argv) {
  EXPECT(argc == 3);
  uint64_t count = strtoull(argv[2], NULL, 10);
  if (strcmp(argv[1], "call") == 0) call(count);
  else if (strcmp(argv[1], "handle") == 0) handle(count);
  else if (strcmp(argv[1], "callback") == 0) callback(count);
  else if (strcmp(argv[1], "events") == 0) session(count, RUSTLE_LANE_PER_VALUE, 0);
  else if (strcmp(argv[1], "engine") == 0) session(count, RUSTLE_LANE_DROP_OLDEST, 0);
  else if (strcmp(argv[1], "frames") == 0) session(count, RUSTLE_LANE_DROP_OLDEST, 1);
  else return 64;
  EXPECT(seen == count);
  return 0;
}
