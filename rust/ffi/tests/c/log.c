// A log function is the host's code: it may call any function, also those of the engine that just logged.
#include <unistd.h>

#include "expect.h"

static RustleHandle ticker;
static atomic_int starts, cancels;

static void cancel_what_started(void *context, uint32_t level, const uint8_t *target, size_t target_length,
                                const uint8_t *message, size_t length) {
  (void)context;
  (void)level;
  (void)target;
  (void)target_length;
  const char *started = "session started";
  if (length < strlen(started) || memcmp(message, started, strlen(started)) != 0) return;
  atomic_fetch_add(&starts, 1);
  OK(rustle_ticker_cancel(ticker, NULL));
  atomic_fetch_add(&cancels, 1);
}

int main(void) {
  // Ends the program if a call waits for ever.
  alarm(30);
  OK(rustle_log_install(cancel_what_started, NULL, RUSTLE_LOG_DEBUG, NULL));
  RustleHandle runtime = manual_runtime(), session = 0;
  RustleTickerConfiguration configuration = {.updates_per_second = 1, .runtime = runtime};
  OK(rustle_ticker_new(&configuration, &ticker, NULL));
  RustleString symbol = TEXT("BTC");
  Probe probe = {0};
  RustleSink sink = {&probe, on_event, on_release};
  OK(start_ticker(ticker, &symbol, 1, RUSTLE_LANE_PER_VALUE, 0, sink, &session));
  EXPECT(atomic_load(&starts) == 1 && atomic_load(&cancels) == 1);
  OK(rustle_runtime_advance(runtime, 0, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_CANCELLED));
  FREE(session, ticker, runtime);
  return 0;
}
