// A leak on purpose: the contexts of sessions are lost in their releases. LeakSanitizer has to report it; scripts/test checks.
// There are some, one after the other: of the last a copy may be left in the stack of a worker, which hides it.
#include "../expect.h"

static atomic_int released;

static void on_nothing(void *context, const void *event) {
  (void)context;
  (void)event;
}

static void on_release_that_loses(void *context, int32_t reason, const uint8_t *message, size_t length) {
  (void)context;
  (void)reason;
  (void)message;
  (void)length;
  atomic_store(&released, 1);
}

int main(void) {
  RustleTickerConfiguration configuration = {.updates_per_second = 1, .update_limit = 1};
  RustleString symbol = TEXT("BTC");
  RustleHandle ticker = 0, session = 0;
  OK(rustle_ticker_new(&configuration, &ticker, NULL));
  for (int round = 0; round < 16; ++round) {
    atomic_store(&released, 0);
    RustleSink sink = {malloc(24), on_nothing, on_release_that_loses};
    OK(start_ticker(ticker, &symbol, 1, RUSTLE_LANE_PER_VALUE, 0, sink, &session));
    sink.context = NULL;
    UNTIL(atomic_load(&released) == 1);
    // Objects that are not freed are counted: the session and the ticker.
    EXPECT(rustle_live_objects() == 2);
    OK(rustle_session_free(session, NULL));
  }
  OK(rustle_ticker_free(ticker, NULL));
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
