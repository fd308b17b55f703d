// A log function is the host's code: it may call any function, also those of the engine that just logged.
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "rustle.h"

static RustleHandle ticker;
static atomic_int starts, cancels, releases;

static void on_event(void *context, const void *event) {
  (void)context;
  (void)event;
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  (void)context;
  (void)message;
  (void)length;
  EXPECT(reason == RUSTLE_RELEASE_CANCELLED);
  atomic_fetch_add(&releases, 1);
}

static void cancel_what_started(void *context, uint32_t level, const uint8_t *target, size_t target_length,
                                const uint8_t *message, size_t length) {
  (void)context;
  (void)level;
  (void)target;
  (void)target_length;
  const char *started = "session started";
  if (length < strlen(started) || memcmp(message, started, strlen(started)) != 0) return;
  atomic_fetch_add(&starts, 1);
  EXPECT(rustle_ticker_cancel(ticker, NULL) == RUSTLE_OK);
  atomic_fetch_add(&cancels, 1);
}

// Starts a session of `count` symbols in a lane.
static RustleStatus start_ticker(
    RustleHandle ticker, const RustleString *symbols, size_t count, uint32_t lane, size_t capacity, RustleSink sink,
    RustleHandle *session, RustleError *error) {
  RustleTickerRequest request = {
      .symbols = symbols, .symbol_count = count, .lane = {.lane = lane, .capacity = capacity}};
  return rustle_ticker_start(ticker, &request, sink, session, error);
}

int main(void) {
  // Ends the program if a call waits for ever.
  alarm(30);
  EXPECT(rustle_log_install(cancel_what_started, NULL, RUSTLE_LOG_DEBUG, NULL) == RUSTLE_OK);
  RustleHandle runtime = 0, session = 0;
  EXPECT(rustle_runtime_new_manual(&(RustleManualRuntime){.wall_ms = 0}, &runtime, NULL) == RUSTLE_OK);
  RustleTickerConfiguration configuration = {.updates_per_second = 1, .runtime = runtime};
  EXPECT(rustle_ticker_new(&configuration, &ticker, NULL) == RUSTLE_OK);
  RustleString symbol = {(const uint8_t *)"BTC", 3};
  RustleSink sink = {NULL, on_event, on_release};
  EXPECT(start_ticker(ticker, &symbol, 1, RUSTLE_LANE_EVENTS, 0, sink, &session, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&starts) == 1 && atomic_load(&cancels) == 1);
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&releases) == 1);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_ticker_free(ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
  return 0;
}
