// The ticker from plain C: both lanes, refusals, re-entrancy, and the counts that must come out even.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define TEXT(s) ((RustleString){(const uint8_t *)(s), strlen(s)})
#define SECOND 1000000000ull

typedef struct {
  atomic_int signals;
  atomic_int releases;
  atomic_int reason;
  double last_price;
  uint64_t last_sequence;
  RustleHandle cancel_inside;
} Probe;

static void on_event(void *context, const void *event) {
  Probe *probe = context;
  const RustlePriceUpdate *update = event;
  EXPECT(atomic_load(&probe->releases) == 0);
  probe->last_price = update->price;
  probe->last_sequence = update->sequence;
  atomic_fetch_add(&probe->signals, 1);
  if (probe->cancel_inside != 0) EXPECT(rustle_session_cancel(probe->cancel_inside, NULL) == RUSTLE_OK);
}

static void on_ring(void *context, const void *event) {
  Probe *probe = context;
  EXPECT(event == NULL);
  atomic_fetch_add(&probe->signals, 1);
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  Probe *probe = context;
  EXPECT(length == 0 || message != NULL);
  atomic_store(&probe->reason, reason);
  atomic_fetch_add(&probe->releases, 1);
}

static RustleHandle manual_runtime(void) {
  RustleHandle runtime = 0;
  EXPECT(rustle_runtime_new_manual(&(RustleManualRuntime){.wall_ms = 1000}, &runtime, NULL) == RUSTLE_OK);
  return runtime;
}

static RustleHandle ticker_on(RustleHandle runtime, uint64_t limit) {
  RustleTickerConfiguration configuration = {
      .updates_per_second = 2, .seed = 7, .has_seed = 1, .update_limit = limit, .runtime = runtime};
  RustleHandle ticker = 0;
  EXPECT(rustle_ticker_new(&configuration, &ticker, NULL) == RUSTLE_OK);
  return ticker;
}

// Starts a session of `count` symbols in a lane.
static RustleStatus start_ticker(
    RustleHandle ticker, const RustleString *symbols, size_t count, uint32_t lane, size_t capacity, RustleSink sink,
    RustleHandle *session, RustleError *error) {
  RustleTickerRequest request = {
      .symbols = symbols, .symbol_count = count, .lane = {.lane = lane, .capacity = capacity}};
  return rustle_ticker_start(ticker, &request, sink, session, error);
}

static void events_come_in_order_and_end_with_one_release(void) {
  RustleHandle runtime = manual_runtime(), ticker = ticker_on(runtime, 4), session = 0;
  RustleString symbols[] = {TEXT("BTC"), TEXT("ETH")};
  Probe probe = {0};
  RustleSink sink = {&probe, on_event, on_release};
  EXPECT(start_ticker(ticker, symbols, 2, RUSTLE_LANE_EVENTS, 0, sink, &session, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 250 * SECOND / 1000, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.signals) == 2 && probe.last_sequence == 1 && probe.last_price > 0);
  EXPECT(rustle_runtime_advance(runtime, 60 * SECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.signals) == 4 && atomic_load(&probe.releases) == 1);
  EXPECT(atomic_load(&probe.reason) == RUSTLE_RELEASE_ENDED);
  EXPECT(rustle_session_cancel(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(rustle_session_cancel(session, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(rustle_ticker_free(ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 1);
}

static void frames_wait_until_they_are_drained(void) {
  RustleHandle runtime = manual_runtime(), ticker = ticker_on(runtime, 10), session = 0;
  RustleString symbols[] = {TEXT("BTC"), TEXT("ETH")};
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  EXPECT(start_ticker(ticker, symbols, 2, RUSTLE_LANE_DROP_OLDEST, 4, sink, &session, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 60 * SECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.signals) == 1 && atomic_load(&probe.releases) == 1);
  RustlePriceUpdate updates[8];
  RustleLaneStatistics statistics;
  size_t count = 0;
  EXPECT(rustle_ticker_drain(session, updates, 3, &count, &statistics, NULL) == RUSTLE_OK);
  EXPECT(count == 3 && updates[0].sequence == 6 && updates[0].gap == 6 && updates[1].gap == 0);
  EXPECT(statistics.produced == 10 && statistics.delivered == 3 && statistics.dropped == 6 && statistics.waiting == 1);
  EXPECT(rustle_ticker_drain(session, updates, 8, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(updates[0].sequence == 9 && updates[0].symbol == 1);
  EXPECT(rustle_ticker_drain(session, NULL, 0, &count, &statistics, NULL) == RUSTLE_OK && count == 0);
  EXPECT(statistics.produced == statistics.delivered + statistics.dropped);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_ticker_free(ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static void cancel_inside_a_callback_is_the_last_but_one_call(void) {
  RustleHandle runtime = manual_runtime(), ticker = ticker_on(runtime, 0);
  RustleString symbol = TEXT("BTC");
  Probe probe = {0};
  RustleSink sink = {&probe, on_event, on_release};
  RustleHandle session = 0;
  EXPECT(start_ticker(ticker, &symbol, 1, RUSTLE_LANE_EVENTS, 0, sink, &session, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  probe.cancel_inside = session;
  EXPECT(rustle_runtime_advance(runtime, 10 * SECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.signals) == 2 && atomic_load(&probe.releases) == 1);
  EXPECT(atomic_load(&probe.reason) == RUSTLE_RELEASE_CANCELLED);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_ticker_free(ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static void refused(int32_t got, int32_t expected, const RustleError *error) {
  EXPECT(got == expected && error->status == expected);
  EXPECT(error->message_length > 0 && error->message_length <= RUSTLE_ERROR_CAPACITY);
}

static void refusals_are_typed_and_take_no_sink(void) {
  RustleHandle ticker = ticker_on(0, 0), session = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_event, on_release};
  RustleString twice[] = {TEXT("A"), TEXT("A")}, spaced = TEXT("A B"), empty = {NULL, 0}, broken = TEXT("\xff\xfe"),
               dangling = {NULL, 4}, fine = TEXT("A"), endless = {(const uint8_t *)"A", SIZE_MAX};
  RustleError error;
  size_t count = 0;
  RustlePriceUpdate update;
#define START(symbols, n, lane, capacity) \
  start_ticker(ticker, symbols, n, lane, capacity, sink, &session, &error)
  refused(START(NULL, 0, 0, 0), RUSTLE_NO_SYMBOLS, &error);
  RustleHandle other = 0;
  RustleTickerConfiguration reserved = {.updates_per_second = 2, .reserved = 7};
  refused(rustle_ticker_new(&reserved, &other, &error), RUSTLE_INVALID_VALUE, &error);
  refused(START(NULL, 1, 0, 0), RUSTLE_NULL_POINTER, &error);
  // A list that is too long is refused before it is read.
  refused(START(&fine, SIZE_MAX, 0, 0), RUSTLE_TOO_MANY_SYMBOLS, &error);
  refused(START(twice, 2, 0, 0), RUSTLE_DUPLICATE_SYMBOL, &error);
  refused(START(&spaced, 1, 0, 0), RUSTLE_MALFORMED_SYMBOL, &error);
  refused(START(&empty, 1, 0, 0), RUSTLE_MALFORMED_SYMBOL, &error);
  refused(START(&broken, 1, 0, 0), RUSTLE_INVALID_UTF8, &error);
  refused(START(&dangling, 1, 0, 0), RUSTLE_NULL_POINTER, &error);
  refused(START(&endless, 1, 0, 0), RUSTLE_INVALID_LENGTH, &error);
  refused(START(&fine, 1, 9, 1), RUSTLE_INVALID_VALUE, &error);
  refused(START(&fine, 1, RUSTLE_LANE_KEEP_LATEST, 0), RUSTLE_INVALID_LENGTH, &error);
  refused(START(&fine, 1, RUSTLE_LANE_DROP_OLDEST, 1048577), RUSTLE_INVALID_LENGTH, &error);
  refused(start_ticker(ticker, &fine, 1, 0, 0, sink, NULL, &error), RUSTLE_NULL_POINTER, &error);
  sink.on_release = NULL;
  refused(START(&fine, 1, 0, 0), RUSTLE_NULL_POINTER, &error);
  sink.on_release = on_release;
  refused(start_ticker(ticker + 1, &fine, 1, 0, 0, sink, &session, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_ticker_drain(ticker, &update, 1, &count, NULL, &error), RUSTLE_STALE_HANDLE, &error);
  EXPECT(atomic_load(&probe.signals) == 0 && atomic_load(&probe.releases) == 0);

  EXPECT(START(&fine, 1, 0, 0) == RUSTLE_OK);
  refused(rustle_ticker_drain(session, &update, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_ticker_drain(session, &update, 1, NULL, NULL, &error), RUSTLE_NULL_POINTER, &error);
  EXPECT(rustle_ticker_shut_down(ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  refused(START(&fine, 1, 0, 0), RUSTLE_SHUT_DOWN, &error);
  UNTIL(atomic_load(&probe.releases) == 1);

  RustleTickerConfiguration configuration = {.updates_per_second = NAN};
  RustleHandle none = 0;
  refused(rustle_ticker_new(&configuration, &none, &error), RUSTLE_RATE_OUT_OF_RANGE, &error);
  refused(rustle_ticker_new(NULL, &none, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_ticker_new(&configuration, NULL, &error), RUSTLE_NULL_POINTER, &error);
  configuration = (RustleTickerConfiguration){.updates_per_second = 1, .runtime = ticker};
  refused(rustle_ticker_new(&configuration, &none, &error), RUSTLE_STALE_HANDLE, &error);
  EXPECT(none == 0);
  EXPECT(rustle_ticker_free(ticker, NULL) == RUSTLE_OK);
  refused(rustle_ticker_free(ticker, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_ticker_cancel(ticker, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_new(RUSTLE_NEW_TICKER, &reserved, sizeof reserved - 8, &none, &error), RUSTLE_RECORD_SIZE, &error);
  const char *sizes = "configuration: expected a record of 40 bytes, got 32";
  EXPECT(error.message_length == strlen(sizes) && memcmp(error.message, sizes, strlen(sizes)) == 0);
  refused(rustle_new(7, &reserved, sizeof reserved, &none, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_reset(session, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_runtime_advance(ticker, 0, &error), RUSTLE_STALE_HANDLE, &error);
}

// What a caller with a header of another version hands in: records of other sizes, and numbers that there are not.
static void records_of_another_size_are_refused_by_each_verb(void) {
  RustleHandle ticker = ticker_on(0, 0), session = 0;
  RustleString fine = TEXT("A");
  RustleTickerRequest request = {.symbols = &fine, .symbol_count = 1, .lane = {.lane = RUSTLE_LANE_DROP_OLDEST, .capacity = 4}};
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  RustleError error;
  RustlePriceUpdate update;
  size_t count = 0;
  size_t size = sizeof request;
  refused(rustle_start(ticker, RUSTLE_START_TICKER, &request, size - 1, sizeof update, sink, &session, &error), RUSTLE_RECORD_SIZE, &error);
  refused(rustle_start(ticker, RUSTLE_START_TICKER, &request, size, 0, sink, &session, &error), RUSTLE_RECORD_SIZE, &error);
  refused(rustle_start(ticker, 7, &request, size, sizeof update, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  EXPECT(rustle_start(ticker, RUSTLE_START_TICKER, &request, size, sizeof update, sink, &session, NULL) == RUSTLE_OK);
  size = sizeof update;
  refused(rustle_drain(session, RUSTLE_START_TICKER, &update, size + 8, 1, &count, NULL, 0, &error), RUSTLE_RECORD_SIZE, &error);
  refused(rustle_drain(session, RUSTLE_START_CAPTURE, &update, sizeof(RustleSoundBlock), 1, &count, NULL, sizeof(RustleLaneStatistics), &error),
          RUSTLE_INVALID_VALUE, &error);
  RustleFeedCounts counts;
  refused(rustle_describe(ticker, RUSTLE_DESCRIBE_FEED_COUNTS, &counts, sizeof counts - 8, &error), RUSTLE_RECORD_SIZE, &error);
  refused(rustle_describe(ticker, RUSTLE_DESCRIBE_FEED_COUNTS, &counts, sizeof counts, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_reset(ticker, &error), RUSTLE_UNSUPPORTED, &error);
  refused(rustle_shut_down(session, &error), RUSTLE_UNSUPPORTED, &error);
  // The typed functions take handles of their kind alone.
  refused(rustle_voice_free(ticker, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_session_cancel(ticker, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_ticker_free(session, &error), RUSTLE_STALE_HANDLE, &error);
  EXPECT(rustle_free(session, NULL) == RUSTLE_OK && rustle_free(ticker, NULL) == RUSTLE_OK);
  UNTIL(atomic_load(&probe.releases) == 1);
}

static void layout_is_that_of_the_header(void) {
  size_t count = 0;
  const RustleLayoutEntry *entries = rustle_abi_layout(&count);
  int seen = 0;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(entries[i].record, "RustlePriceUpdate") != 0) continue;
    if (entries[i].field == NULL) EXPECT(entries[i].size == sizeof(RustlePriceUpdate));
    else if (strcmp(entries[i].field, "symbol") == 0) EXPECT(entries[i].offset == offsetof(RustlePriceUpdate, symbol));
    seen++;
  }
  EXPECT(seen == 6);
  EXPECT(rustle_abi_layout(NULL) == entries);
  EXPECT(strlen(rustle_build_id()) > 0);
}

int main(void) {
  layout_is_that_of_the_header();
  events_come_in_order_and_end_with_one_release();
  frames_wait_until_they_are_drained();
  cancel_inside_a_callback_is_the_last_but_one_call();
  refusals_are_typed_and_take_no_sink();
  records_of_another_size_are_refused_by_each_verb();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
