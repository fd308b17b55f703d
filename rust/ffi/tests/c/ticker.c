// The ticker from plain C: both lanes, refusals, re-entrancy, and the counts that must come out even.
#include "expect.h"

static RustleHandle ticker_on(RustleHandle runtime, uint64_t limit) {
  RustleTickerConfiguration configuration = {
      .updates_per_second = 2, .seed = 7, .has_seed = 1, .update_limit = limit, .runtime = runtime};
  RustleHandle ticker = 0;
  OK(rustle_ticker_new(&configuration, &ticker, NULL));
  return ticker;
}

static void events_come_in_order_and_end_with_one_release(void) {
  RustleHandle runtime = manual_runtime(), ticker = ticker_on(runtime, 4), session = 0;
  RustleString symbols[] = {TEXT("BTC"), TEXT("ETH")};
  Probe probe = {0};
  RustleSink sink = {&probe, on_update, on_release};
  OK(start_ticker(ticker, symbols, 2, RUSTLE_LANE_PER_VALUE, 0, sink, &session));
  OK(rustle_runtime_advance(runtime, 250 * SECOND / 1000, NULL));
  EXPECT(atomic_load(&probe.signals) == 2 && probe.last_update.sequence == 1 && probe.last_update.price > 0);
  OK(rustle_runtime_advance(runtime, 60 * SECOND, NULL));
  EXPECT(atomic_load(&probe.signals) == 4 && is_released(&probe, RUSTLE_RELEASE_ENDED));
  OK(rustle_session_cancel(session, NULL));
  OK(rustle_session_free(session, NULL));
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(rustle_session_cancel(session, NULL) == RUSTLE_STALE_HANDLE);
  OK(rustle_ticker_free(ticker, NULL));
  OK(rustle_runtime_free(runtime, NULL));
  EXPECT(atomic_load(&probe.releases) == 1);
}

static void frames_wait_until_they_are_drained(void) {
  RustleHandle runtime = manual_runtime(), ticker = ticker_on(runtime, 10), session = 0;
  RustleString symbols[] = {TEXT("BTC"), TEXT("ETH")};
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  OK(start_ticker(ticker, symbols, 2, RUSTLE_LANE_DROP_OLDEST, 4, sink, &session));
  OK(rustle_runtime_advance(runtime, 60 * SECOND, NULL));
  EXPECT(atomic_load(&probe.signals) == 1 && atomic_load(&probe.releases) == 1);
  RustlePriceUpdate updates[8];
  RustleLaneStatistics statistics;
  size_t count = 0;
  OK(rustle_ticker_drain(session, updates, 3, &count, &statistics, NULL));
  EXPECT(count == 3 && updates[0].sequence == 6 && updates[0].gap == 6 && updates[1].gap == 0);
  EXPECT(statistics.produced == 10 && statistics.delivered == 3 && statistics.dropped == 6 && statistics.waiting == 1);
  EXPECT(rustle_ticker_drain(session, updates, 8, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(updates[0].sequence == 9 && updates[0].symbol == 1);
  EXPECT(rustle_ticker_drain(session, NULL, 0, &count, &statistics, NULL) == RUSTLE_OK && count == 0);
  EXPECT(statistics.produced == statistics.delivered + statistics.dropped);
  FREE(session, ticker, runtime);
}

static void cancel_inside_a_callback_is_the_last_but_one_call(void) {
  RustleHandle runtime = manual_runtime(), ticker = ticker_on(runtime, 0);
  RustleString symbol = TEXT("BTC");
  Probe probe = {0};
  RustleSink sink = {&probe, on_update, on_release};
  RustleHandle session = 0;
  OK(start_ticker(ticker, &symbol, 1, RUSTLE_LANE_PER_VALUE, 0, sink, &session));
  OK(rustle_runtime_advance(runtime, 0, NULL));
  probe.cancel_inside = session;
  OK(rustle_runtime_advance(runtime, 10 * SECOND, NULL));
  EXPECT(atomic_load(&probe.signals) == 2 && is_released(&probe, RUSTLE_RELEASE_CANCELLED));
  FREE(session, ticker, runtime);
}

// One of each class; `rust/ffi/tests/calls/refusals.rs` tests the arguments of every function.
static void refusals_are_typed_and_take_no_sink(void) {
  RustleHandle ticker = ticker_on(0, 0), session = 0, none = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_update, on_release};
  RustleString twice[] = {TEXT("A"), TEXT("A")}, spaced = TEXT("A B"), fine = TEXT("A");
  size_t count = 0;
  RustlePriceUpdate update;
#define START(symbols, n, lane, capacity) start_ticker(ticker, symbols, n, lane, capacity, sink, &session)
  REFUSED(START(NULL, 0, 0, 0), RUSTLE_NO_SYMBOLS);
  // A list that is too long is refused before it is read.
  REFUSED(START(&fine, SIZE_MAX, 0, 0), RUSTLE_TOO_MANY_SYMBOLS);
  // Refused before the list is read, which this address does not permit.
  REFUSED(START((RustleString *)4096, 100001, 0, 0), RUSTLE_TOO_MANY_SYMBOLS);
  REFUSED(START(twice, 2, 0, 0), RUSTLE_DUPLICATE_SYMBOL);
  REFUSED(START(&spaced, 1, 0, 0), RUSTLE_MALFORMED_SYMBOL);
  REFUSED(START(&fine, 1, RUSTLE_LANE_DROP_OLDEST, 1048577), RUSTLE_INVALID_LENGTH);
  RustleString second_is_null[] = {TEXT("A"), {NULL, 3}};
  REFUSED(START(second_is_null, 2, 0, 0), RUSTLE_NULL_POINTER);
  SAYS("request.symbols[1]: expected a pointer, got NULL");
  EXPECT(session == 0 && atomic_load(&probe.signals) == 0 && atomic_load(&probe.releases) == 0);

  OK(START(&fine, 1, 0, 0));
  // A lane of events has no ring.
  REFUSED(rustle_ticker_drain(session, &update, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE);
  OK(rustle_ticker_shut_down(ticker, NULL));
  FREE(session);
  REFUSED(START(&fine, 1, 0, 0), RUSTLE_SHUT_DOWN);
  UNTIL(atomic_load(&probe.releases) == 1);
  FREE(ticker);
  REFUSED(rustle_ticker_cancel(ticker, &error), RUSTLE_STALE_HANDLE);

  RustleTickerConfiguration wrong = {.updates_per_second = NAN};
  REFUSED(rustle_ticker_new(&wrong, &none, &error), RUSTLE_RATE_OUT_OF_RANGE);
  REFUSED(rustle_new(RUSTLE_NEW_TICKER, &wrong, sizeof wrong - 8, &none, &error), RUSTLE_RECORD_SIZE);
  SAYS("configuration: expected a record of 40 bytes, got 32");
  REFUSED(rustle_new(7, &wrong, sizeof wrong, &none, &error), RUSTLE_INVALID_VALUE);
  EXPECT(none == 0);
}

// Errors that the typed functions of the header rule out: invalid numbers, and verbs that a kind does not have.
static void verbs_refuse_what_is_of_another_kind(void) {
  RustleHandle ticker = ticker_on(0, 0), session = 0;
  RustleString fine = TEXT("A");
  RustleTickerRequest request = {.symbols = &fine, .symbol_count = 1, .lane = {.lane = RUSTLE_LANE_DROP_OLDEST, .capacity = 4}};
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  size_t count = 0, size = sizeof(RustlePriceUpdate);
  REFUSED(rustle_start(ticker, 7, &request, sizeof request, size, sink, &session, &error), RUSTLE_INVALID_VALUE);
  OK(rustle_start(ticker, RUSTLE_START_TICKER, &request, sizeof request, size, sink, &session, NULL));
  REFUSED(rustle_drain(session, RUSTLE_START_CAPTURE, NULL, sizeof(RustleSoundBlock), 0, &count, NULL,
                       sizeof(RustleLaneStatistics), &error), RUSTLE_INVALID_VALUE);
  RustleFeedCounts counts;
  REFUSED(rustle_describe(ticker, RUSTLE_DESCRIBE_FEED_COUNTS, &counts, sizeof counts, &error), RUSTLE_STALE_HANDLE);
  REFUSED(rustle_reset(ticker, &error), RUSTLE_UNSUPPORTED);
  REFUSED(rustle_shut_down(session, &error), RUSTLE_UNSUPPORTED);
  // The typed functions take handles of their kind alone, and name both and the handle.
  REFUSED(rustle_voice_free(ticker, &error), RUSTLE_STALE_HANDLE);
  char text[100];
  snprintf(text, sizeof text, "voice: expected a live handle of kind voice, got %#llx, one of kind ticker",
           (unsigned long long)ticker);
  SAYS(text);
  REFUSED(rustle_session_cancel(ticker, &error), RUSTLE_STALE_HANDLE);
  REFUSED(rustle_ticker_free(session, &error), RUSTLE_STALE_HANDLE);
  FREE(session, ticker);
  UNTIL(atomic_load(&probe.releases) == 1);
}

static void archive_says_what_it_is(void) {
  // The header's own assertions, and NativeLibraryTests, compare the layouts.
  size_t count = 0;
  const RustleLayoutEntry *entries = rustle_abi_layout(&count);
  EXPECT(count > 0 && rustle_abi_layout(NULL) == entries && strlen(rustle_build_id()) > 0);
}

int main(void) {
  archive_says_what_it_is();
  events_come_in_order_and_end_with_one_release();
  frames_wait_until_they_are_drained();
  cancel_inside_a_callback_is_the_last_but_one_call();
  refusals_are_typed_and_take_no_sink();
  verbs_refuse_what_is_of_another_kind();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
