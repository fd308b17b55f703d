// A feed from plain C: consumers of every kind on one source, changes of a subscription, a recording, refusals, and the counts
// that must come out even.
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "rustle.h"

#define TEXT(s) ((RustleString){(const uint8_t *)(s), strlen(s)})
#define SECOND 1000000000ull

typedef struct {
  atomic_int rings;
  atomic_int releases;
  atomic_int reason;
} Probe;

static void on_ring(void *context, const void *event) {
  Probe *probe = context;
  EXPECT(event == NULL && atomic_load(&probe->releases) == 0);
  atomic_fetch_add(&probe->rings, 1);
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  Probe *probe = context;
  EXPECT(length == 0 || message != NULL);
  atomic_store(&probe->reason, reason);
  atomic_fetch_add(&probe->releases, 1);
}

static const RustleFeedSubscription all_symbols = {.all = 1};
static const RustleFeedPolicy keep_all = {.kind = RUSTLE_POLICY_DROP_OLDEST, .capacity = 64};

static RustleHandle manual_runtime(void) {
  RustleHandle runtime = 0;
  EXPECT(rustle_runtime_new_manual(1000, &runtime, NULL) == RUSTLE_OK);
  return runtime;
}

// On the shared runtime, whose time nobody moves, it is faster.
static RustleHandle simulated(RustleHandle runtime, uint64_t limit) {
  static const RustleString symbols[] = {{(const uint8_t *)"BTC", 3}, {(const uint8_t *)"ETH", 3}};
  static const RustleGbmParameters first = {.price_units = 6500010, .price_scale = 2, .drift = 0.1, .volatility = 0.5};
  RustleSimulatedFeed configuration = {.symbols = symbols,
                                       .symbol_count = 2,
                                       .parameters = &first,
                                       .parameter_count = 1,
                                       .updates_per_second = runtime == 0 ? 1000 : 2,
                                       .seed = 7,
                                       .update_limit = limit,
                                       .runtime = runtime,
                                       .model = RUSTLE_MODEL_GBM};
  RustleHandle feed = 0;
  EXPECT(rustle_feed_new_simulated(&configuration, &feed, NULL) == RUSTLE_OK);
  return feed;
}

static RustleHandle quotes_of(RustleHandle feed, const RustleFeedSubscription *wanted, const RustleFeedPolicy *policy,
                              Probe *probe) {
  RustleSink sink = {probe, on_ring, on_release};
  RustleHandle session = 0;
  EXPECT(rustle_feed_start_quotes(feed, wanted, policy, sink, &session, NULL) == RUSTLE_OK);
  return session;
}

static void is_named(RustleHandle session, uint32_t number, const char *expected) {
  uint8_t name[RUSTLE_SYMBOL_CAPACITY];
  size_t length = 0;
  EXPECT(rustle_feed_symbol(session, number, name, sizeof name, &length, NULL) == RUSTLE_OK);
  EXPECT(length == strlen(expected) && memcmp(name, expected, length) == 0);
}

static void consumers_of_one_source_each_have_their_policy(void) {
  RustleHandle runtime = manual_runtime(), feed = simulated(runtime, 10);
  RustleFeedPolicy latest = {.kind = RUSTLE_POLICY_KEEP_LATEST};
  RustleString eth = TEXT("ETH");
  RustleFeedSubscription one = {.symbols = &eth, .symbol_count = 1};
  Probe probes[3] = {0};
  RustleHandle every = quotes_of(feed, &all_symbols, &keep_all, &probes[0]);
  RustleHandle newest = quotes_of(feed, &all_symbols, &latest, &probes[1]);
  RustleHandle single = quotes_of(feed, &one, &keep_all, &probes[2]);
  EXPECT(rustle_runtime_advance(runtime, SECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probes[0].rings) == 0);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK && rustle_feed_run(feed, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 60 * SECOND, NULL) == RUSTLE_OK);
  RustleQuote quotes[16];
  RustleLaneStatistics statistics;
  size_t count = 0;
  EXPECT(rustle_feed_drain_quotes(every, quotes, 16, &count, &statistics, NULL) == RUSTLE_OK && count == 10);
  EXPECT(statistics.produced == 10 && statistics.delivered == 10 && statistics.dropped == 0 && statistics.waiting == 0);
  for (size_t i = 0; i < count; i++) {
    EXPECT(quotes[i].symbol == i % 2 && quotes[i].sequence == i / 2 && quotes[i].gap == 0 && quotes[i].skipped == 0);
    EXPECT(quotes[i].price_units > 0 && quotes[i].size_units == 0 && quotes[i].is_out_of_order == 0);
  }
  EXPECT(quotes[0].price_scale == 2 && quotes[0].time_ns == 2000 * 1000000ll);
  is_named(every, 0, "BTC");
  is_named(every, 1, "ETH");
  EXPECT(rustle_feed_drain_quotes(newest, quotes, 16, &count, &statistics, NULL) == RUSTLE_OK && count == 2);
  EXPECT(quotes[0].gap == 4 && quotes[1].gap == 4 && quotes[1].sequence == 4);
  EXPECT(statistics.produced == 10 && statistics.dropped == 8);
  EXPECT(rustle_feed_drain_quotes(single, quotes, 16, &count, NULL, NULL) == RUSTLE_OK && count == 5);
  EXPECT(quotes[0].symbol == 1);
  RustleFeedCounts counts;
  EXPECT(rustle_feed_counts(feed, &counts, NULL) == RUSTLE_OK && counts.quotes == 10 && counts.messages == 0);
  for (int i = 0; i < 3; i++) {
    EXPECT(atomic_load(&probes[i].rings) >= 1 && atomic_load(&probes[i].releases) == 1);
    EXPECT(atomic_load(&probes[i].reason) == RUSTLE_RELEASE_ENDED);
  }
  EXPECT(rustle_session_free(every, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(newest, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(single, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static void subscription_changes_while_it_runs(void) {
  RustleHandle runtime = manual_runtime(), feed = simulated(runtime, 0);
  RustleFeedSubscription none = {0};
  RustleString names[] = {TEXT("ETH"), TEXT("LATER")}, twice[] = {TEXT("A"), TEXT("A")};
  Probe probe = {0};
  RustleHandle session = quotes_of(feed, &none, &keep_all, &probe);
  RustleQuote quotes[8];
  size_t count = 0;
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, SECOND / 4, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_drain_quotes(session, quotes, 8, &count, NULL, NULL) == RUSTLE_OK && count == 0);
  EXPECT(rustle_feed_subscribe(session, names, 2, NULL, 0, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, SECOND / 2, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_drain_quotes(session, quotes, 8, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(quotes[0].symbol == 1 && quotes[0].sequence == 1);
  EXPECT(rustle_feed_subscribe(session, NULL, 0, names, 1, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_subscribe(session, twice, 2, NULL, 0, NULL) == RUSTLE_DUPLICATE_SYMBOL);
  EXPECT(rustle_runtime_advance(runtime, SECOND, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_drain_quotes(session, quotes, 8, &count, NULL, NULL) == RUSTLE_OK && count == 0);
  EXPECT(rustle_feed_cancel(feed, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 1 && atomic_load(&probe.reason) == RUSTLE_RELEASE_CANCELLED);
  EXPECT(rustle_feed_subscribe(session, names, 1, NULL, 0, NULL) == RUSTLE_WRONG_STATE);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_subscribe(session, names, 1, NULL, 0, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static const char recording[] =
    "{\"symbol\":\"A\",\"price\":10.00,\"size\":2,\"t_ms\":0,\"seq\":0}\n"
    "{\"symbol\":\"A\",\"price\":12.50,\"size\":1.5,\"t_ms\":500,\"seq\":1}\n"
    "nonsense\n"
    "{\"symbol\":\"A\",\"price\":9.75,\"t_ms\":1500,\"seq\":4}\n";

static void recording_gives_quotes_candles_statistics_alerts_and_notices(void) {
  char path[] = "/tmp/rustle-feed-XXXXXX";
  int file = mkstemp(path);
  EXPECT(file >= 0 && write(file, recording, sizeof recording - 1) == (ssize_t)(sizeof recording - 1));
  close(file);
  RustleHandle runtime = manual_runtime(), feed = 0, sessions[5] = {0};
  RustleReplayFeed configuration = {.path = TEXT(path), .format = RUSTLE_FORMAT_NDJSON, .runtime = runtime};
  EXPECT(rustle_feed_new_replay(&configuration, &feed, NULL) == RUSTLE_OK);
  Probe probe[5] = {0};
  RustleSink sink[5];
  for (int i = 0; i < 5; i++) sink[i] = (RustleSink){&probe[i], on_ring, on_release};
  RustleFeedThreshold threshold = {
      .symbol = TEXT("A"), .level_units = 125, .level_scale = 1, .direction = RUSTLE_DIRECTION_ABOVE};
  RustleFeedPolicy awaited = {.kind = RUSTLE_POLICY_AWAITED, .capacity = 64};
  EXPECT(rustle_feed_start_quotes(feed, &all_symbols, &awaited, sink[0], &sessions[0], NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_start_candles(feed, &all_symbols, SECOND, 0, &keep_all, sink[1], &sessions[1], NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_start_statistics(feed, &all_symbols, 10 * SECOND, &keep_all, sink[2], &sessions[2], NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_start_alerts(feed, &threshold, 1, &keep_all, sink[3], &sessions[3], NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_start_notices(feed, RUSTLE_NOTICES_ALL, 16, sink[4], &sessions[4], NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, SECOND, NULL) == RUSTLE_OK);
  size_t count = 0;
  RustleQuote quotes[8];
  EXPECT(rustle_feed_drain_quotes(sessions[0], quotes, 8, &count, NULL, NULL) == RUSTLE_OK && count == 3);
  EXPECT(quotes[1].price_units == 1250 && quotes[1].price_scale == 2);
  EXPECT(quotes[1].size_units == 15 && quotes[1].size_scale == 1);
  EXPECT(quotes[2].skipped == 2 && quotes[2].time_ns == 1500 * 1000000ll);
  RustleCandle candles[8];
  EXPECT(rustle_feed_drain_candles(sessions[1], candles, 8, &count, NULL, NULL) == RUSTLE_OK && count == 2);
  EXPECT(candles[0].open_units == 1000 && candles[0].high_units == 1250 && candles[0].close_scale == 2);
  EXPECT(candles[0].is_volume_exact == 1 && candles[0].volume_units == 35 && candles[0].volume_scale == 1);
  EXPECT(candles[0].volume == 3.5 && candles[0].count == 2 && candles[1].start_ns == (int64_t)SECOND);
  RustlePriceStatistics statistics[8];
  EXPECT(rustle_feed_drain_statistics(sessions[2], statistics, 8, &count, NULL, NULL) == RUSTLE_OK && count == 3);
  EXPECT(statistics[2].count == 3 && statistics[2].mean == 10.75 && statistics[2].min_units == 975);
  EXPECT(statistics[2].first_units == 1000 && statistics[2].last_scale == 2);
  RustlePriceAlert alerts[8];
  EXPECT(rustle_feed_drain_alerts(sessions[3], alerts, 8, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(alerts[0].threshold == 0 && alerts[0].price_units == 1250 && alerts[0].sequence == 1);
  RustleFeedNotice notices[8];
  EXPECT(rustle_feed_drain_notices(sessions[4], notices, 8, &count, NULL, NULL) == RUSTLE_OK && count == 2);
  EXPECT(notices[0].kind == RUSTLE_NOTICE_MALFORMED && notices[0].count == 2 && notices[0].text_length > 0);
  EXPECT(notices[1].kind == RUSTLE_NOTICE_CLOSED && notices[1].text_length == 0);
  uint64_t late = 7;
  EXPECT(rustle_feed_late(sessions[1], &late, NULL) == RUSTLE_OK && late == 0);
  // A session of one kind is none of another.
  EXPECT(rustle_feed_drain_candles(sessions[0], candles, 8, &count, NULL, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(rustle_feed_drain_quotes(sessions[4], quotes, 8, &count, NULL, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  is_named(sessions[0], 0, "A");
  for (int i = 0; i < 5; i++) {
    EXPECT(atomic_load(&probe[i].releases) == 1 && atomic_load(&probe[i].reason) == RUSTLE_RELEASE_ENDED);
    EXPECT(rustle_session_free(sessions[i], NULL) == RUSTLE_OK);
  }
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
  EXPECT(unlink(path) == 0);
}

static void refused(int32_t got, int32_t expected, const RustleError *error) {
  EXPECT(got == expected && error->status == expected);
  EXPECT(error->message_length > 0 && error->message_length <= RUSTLE_ERROR_CAPACITY);
}

static void refusals_are_typed_and_take_no_sink(void) {
  RustleHandle runtime = manual_runtime(), feed = simulated(runtime, 0), session = 0, none = 0;
  RustleError error;
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
#define START(wanted, policy) rustle_feed_start_quotes(feed, wanted, policy, sink, &session, &error)
  RustleFeedPolicy policy = {.kind = 0, .capacity = 1};
  refused(START(&all_symbols, &policy), RUSTLE_INVALID_VALUE, &error);
  policy.kind = RUSTLE_POLICY_AWAITED + 1;
  refused(START(&all_symbols, &policy), RUSTLE_INVALID_VALUE, &error);
  policy = (RustleFeedPolicy){.kind = RUSTLE_POLICY_AWAITED, .capacity = 0};
  refused(START(&all_symbols, &policy), RUSTLE_INVALID_LENGTH, &error);
  policy = (RustleFeedPolicy){.kind = RUSTLE_POLICY_SAMPLED, .interval_ns = 1};
  refused(START(&all_symbols, &policy), RUSTLE_INVALID_VALUE, &error);
  policy = (RustleFeedPolicy){.kind = RUSTLE_POLICY_KEEP_LATEST, .reserved = 1};
  refused(START(&all_symbols, &policy), RUSTLE_INVALID_VALUE, &error);
  refused(START(NULL, &keep_all), RUSTLE_NULL_POINTER, &error);
  refused(START(&all_symbols, NULL), RUSTLE_NULL_POINTER, &error);
  RustleString spaced = TEXT("A B"), broken = TEXT("\xff");
  refused(START((&(RustleFeedSubscription){.symbols = &spaced, .symbol_count = 1}), &keep_all), RUSTLE_MALFORMED_SYMBOL, &error);
  refused(START((&(RustleFeedSubscription){.symbols = &broken, .symbol_count = 1}), &keep_all), RUSTLE_INVALID_UTF8, &error);
  refused(START((&(RustleFeedSubscription){.symbol_count = 1}), &keep_all), RUSTLE_NULL_POINTER, &error);
  refused(START((&(RustleFeedSubscription){.all = 1, .reserved = 1}), &keep_all), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_start_quotes(feed, &all_symbols, &keep_all, sink, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_start_candles(feed, &all_symbols, 0, 0, &keep_all, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_start_candles(feed, &all_symbols, 1, 65, &keep_all, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_start_statistics(feed, &all_symbols, -1, &keep_all, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_start_notices(feed, RUSTLE_NOTICES_ALL, 0, sink, &session, &error), RUSTLE_INVALID_LENGTH, &error);
  refused(rustle_feed_start_notices(feed, 3, 1, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  RustleFeedThreshold threshold = {.symbol = TEXT("A"), .level_units = INT64_MAX};
  refused(rustle_feed_start_alerts(feed, &threshold, 1, &keep_all, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  threshold = (RustleFeedThreshold){.symbol = TEXT("A"), .hysteresis_units = -1};
  refused(rustle_feed_start_alerts(feed, &threshold, 1, &keep_all, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  threshold = (RustleFeedThreshold){.symbol = TEXT("A"), .direction = 2};
  refused(rustle_feed_start_alerts(feed, &threshold, 1, &keep_all, sink, &session, &error), RUSTLE_INVALID_VALUE, &error);
  sink.on_signal = NULL;
  refused(START(&all_symbols, &keep_all), RUSTLE_NULL_POINTER, &error);
  sink.on_signal = on_ring;
  EXPECT(session == 0 && atomic_load(&probe.rings) == 0 && atomic_load(&probe.releases) == 0);

  EXPECT(START(&all_symbols, &keep_all) == RUSTLE_OK);
  uint8_t name[2];
  size_t length = 77;
  refused(rustle_feed_symbol(session, 0, name, 2, &length, &error), RUSTLE_INVALID_VALUE, &error);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK && rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  refused(rustle_feed_symbol(session, 0, name, 2, &length, &error), RUSTLE_INVALID_LENGTH, &error);
  refused(rustle_feed_symbol(session, 0, NULL, 2, &length, &error), RUSTLE_NULL_POINTER, &error);
  EXPECT(length == 77);
  EXPECT(rustle_feed_shut_down(feed, NULL) == RUSTLE_OK && rustle_feed_run(feed, NULL) == RUSTLE_SHUT_DOWN);
  RustleHandle other = 0;
  refused(rustle_feed_start_quotes(feed, &all_symbols, &keep_all, sink, &other, &error), RUSTLE_SHUT_DOWN, &error);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);

  RustleReplayFeed replay = {.path = TEXT("prices.txt")};
  refused(rustle_feed_new_replay(&replay, &none, &error), RUSTLE_UNKNOWN_FORMAT, &error);
  replay.path = TEXT("there-is-none.csv");
  refused(rustle_feed_new_replay(&replay, &none, &error), RUSTLE_UNREADABLE_FILE, &error);
  replay.schema = TEXT("symbol");
  refused(rustle_feed_new_replay(&replay, &none, &error), RUSTLE_MALFORMED_SCHEMA, &error);
  replay = (RustleReplayFeed){.path = TEXT("/dev/null"), .format = RUSTLE_FORMAT_CSV, .speed = NAN};
  refused(rustle_feed_new_replay(&replay, &none, &error), RUSTLE_INVALID_VALUE, &error);
  replay = (RustleReplayFeed){.path = TEXT("/dev/null"), .format = 3};
  refused(rustle_feed_new_replay(&replay, &none, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_new_replay(NULL, &none, &error), RUSTLE_NULL_POINTER, &error);
  RustleString symbol = TEXT("A");
  RustleGbmParameters parameters[2] = {{.price_units = 1}, {.price_units = 1}};
  RustleSimulatedFeed made_up = {.symbols = &symbol, .symbol_count = 1, .updates_per_second = NAN};
  refused(rustle_feed_new_simulated(&made_up, &none, &error), RUSTLE_RATE_OUT_OF_RANGE, &error);
  made_up.updates_per_second = 1;
  made_up.model = 2;
  refused(rustle_feed_new_simulated(&made_up, &none, &error), RUSTLE_INVALID_VALUE, &error);
  made_up.model = RUSTLE_MODEL_GBM;
  made_up.parameters = parameters;
  made_up.parameter_count = 2;
  refused(rustle_feed_new_simulated(&made_up, &none, &error), RUSTLE_INVALID_LENGTH, &error);
  made_up.parameter_count = 1;
  parameters[0].volatility = -1;
  refused(rustle_feed_new_simulated(&made_up, &none, &error), RUSTLE_INVALID_VALUE, &error);
  made_up.symbol_count = 0;
  refused(rustle_feed_new_simulated(&made_up, &none, &error), RUSTLE_NO_SYMBOLS, &error);
  made_up.runtime = feed;
  refused(rustle_feed_new_simulated(&made_up, &none, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_new_simulated(&made_up, NULL, &error), RUSTLE_NULL_POINTER, &error);
  EXPECT(none == 0);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  refused(rustle_feed_free(feed, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_run(feed, &error), RUSTLE_STALE_HANDLE, &error);
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK && atomic_load(&probe.releases) == 1);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static RustleLiveFeed live_at(const char *address) {
  return (RustleLiveFeed){.address = TEXT(address),
                          .connecting_ns = SECOND,
                          .silence_ns = 60 * SECOND,
                          .base_ns = 1000000,
                          .cap_ns = 4000000,
                          .healthy_ns = SECOND,
                          .subscribes = 1};
}

// On threads of its own: it is waited for.
static void until(atomic_int *number, int least) {
  while (atomic_load(number) < least) sched_yield();
}

static RustleHandle server_at(RustleHandle feed, const char *address, Probe *probe, char where[300]) {
  RustleSink sink = {probe, on_ring, on_release};
  RustleHandle server = 0;
  size_t length = 0;
  EXPECT(rustle_feed_serve(feed, TEXT(address), &keep_all, sink, &server, NULL) == RUSTLE_OK);
  EXPECT(rustle_server_address(server, (uint8_t *)where, 299, &length, NULL) == RUSTLE_OK && length < 299);
  where[length] = 0;
  return server;
}

// Two feeds of one process, joined by a socket: the second gets what the first gives.
static void feed_is_served_to_another_one(const char *address) {
  RustleHandle feed = simulated(0, 20), client = 0;
  Probe of_server = {0}, of_client = {0};
  char where[300];
  RustleHandle server = server_at(feed, address, &of_server, where);
  RustleLiveFeed configuration = live_at(where);
  EXPECT(rustle_feed_new_live(&configuration, &client, NULL) == RUSTLE_OK);
  RustleFeedNotice notice;
  EXPECT(rustle_feed_connection(client, &notice, NULL) == RUSTLE_OK && notice.kind == RUSTLE_NOTICE_NONE);
  RustleHandle session = quotes_of(client, &all_symbols, &keep_all, &of_client);
  EXPECT(rustle_feed_run(client, NULL) == RUSTLE_OK);
  until(&of_server.rings, 1);
  EXPECT(rustle_feed_connection(client, &notice, NULL) == RUSTLE_OK);
  EXPECT(notice.kind == RUSTLE_NOTICE_CONNECTED || notice.kind == RUSTLE_NOTICE_CONNECTING);
  EXPECT(notice.text_length == strlen(where) && memcmp(notice.text, where, notice.text_length) == 0);
  RustleServerClient clients[2];
  size_t count = 7;
  EXPECT(rustle_server_clients(server, clients, 2, &count, NULL) == RUSTLE_OK && count == 1);
  EXPECT(clients[0].number == 0 && clients[0].since_ns > 0 && clients[0].lane.dropped == 0);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK);
  RustleQuote quotes[32];
  size_t got = 0;
  while (got < 20) {
    EXPECT(rustle_feed_drain_quotes(session, quotes + got, 32 - got, &count, NULL, NULL) == RUSTLE_OK);
    got += count;
    sched_yield();
  }
  for (size_t i = 0; i < got; i++) {
    EXPECT(quotes[i].sequence == i / 2 && quotes[i].skipped == 0 && quotes[i].gap == 0 && quotes[i].price_units > 0);
  }
  // The end of the feed ends the server, once the client has left.
  EXPECT(rustle_feed_free(client, NULL) == RUSTLE_OK);
  until(&of_server.releases, 1);
  EXPECT(atomic_load(&of_server.reason) == RUSTLE_RELEASE_ENDED);
  RustleServerCounts counts;
  EXPECT(rustle_server_counts(server, &counts, NULL) == RUSTLE_OK);
  EXPECT(counts.clients == 0 && counts.accepted >= 1 && counts.refused == 0 && counts.quotes == 20 && counts.bytes > 0);
  until(&of_client.releases, 1);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK && rustle_session_free(server, NULL) == RUSTLE_OK);
  EXPECT(rustle_server_counts(server, &counts, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
}

static void server_ends_with_its_session_and_with_its_feed(void) {
  for (int way = 0; way < 3; way++) {
    RustleHandle feed = simulated(0, 0);
    Probe probe = {0};
    char where[300];
    RustleHandle server = server_at(feed, "tcp://127.0.0.1:0", &probe, where);
    if (way == 0) EXPECT(rustle_session_cancel(server, NULL) == RUSTLE_OK);
    if (way == 1) EXPECT(rustle_feed_shut_down(feed, NULL) == RUSTLE_OK);
    if (way == 2) EXPECT(rustle_session_free(server, NULL) == RUSTLE_OK);
    until(&probe.releases, 1);
    EXPECT(atomic_load(&probe.reason) == RUSTLE_RELEASE_CANCELLED && atomic_load(&probe.rings) == 0);
    if (way != 2) EXPECT(rustle_session_free(server, NULL) == RUSTLE_OK);
    EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  }
}

static void host_fills_a_feed_and_tells_of_its_connection(void) {
  RustleHandle runtime = manual_runtime(), feed = 0, session = 0, room = 0;
  RustlePushedFeed configuration = {.runtime = runtime, .format = RUSTLE_FORMAT_NDJSON};
  EXPECT(rustle_feed_new_pushed(&configuration, &feed, NULL) == RUSTLE_OK);
  RustleFeedPolicy awaited = {.kind = RUSTLE_POLICY_AWAITED, .capacity = 2};
  Probe probe = {0}, of_room = {0};
  RustleSink sink = {&of_room, on_ring, on_release};
  session = quotes_of(feed, &all_symbols, &awaited, &probe);
  EXPECT(rustle_feed_start_notices(feed, RUSTLE_NOTICES_ROOM, 1, sink, &room, NULL) == RUSTLE_OK);
  const uint8_t *bytes = (const uint8_t *)recording;
  const size_t length = sizeof recording - 1;
  size_t taken = 7, count = 0;
  EXPECT(rustle_feed_push(feed, bytes, length, &taken, NULL) == RUSTLE_OK && taken == 0);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK && rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&of_room.rings) == 1);
  RustleString here = TEXT("wss://here");
  EXPECT(rustle_feed_tell(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, here, NULL) == RUSTLE_OK);
  // The piece has three quotes, one more than there is room for.
  EXPECT(rustle_feed_push(feed, bytes, length, &taken, NULL) == RUSTLE_OK && taken == length);
  EXPECT(rustle_feed_push(feed, bytes, 1, &taken, NULL) == RUSTLE_OK && taken == 0);
  RustleQuote quotes[8];
  RustleFeedNotice notices[2];
  EXPECT(rustle_feed_drain_quotes(session, quotes, 8, &count, NULL, NULL) == RUSTLE_OK && count == 2);
  EXPECT(rustle_feed_drain_notices(room, notices, 2, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(rustle_runtime_advance(runtime, SECOND, NULL) == RUSTLE_OK && atomic_load(&of_room.rings) == 2);
  EXPECT(rustle_feed_drain_quotes(session, quotes, 8, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(quotes[0].sequence == 4 && quotes[0].skipped == 2);
  RustleFeedNotice notice;
  EXPECT(rustle_feed_connection(feed, &notice, NULL) == RUSTLE_OK && notice.kind == RUSTLE_NOTICE_CONNECTED);
  EXPECT(notice.text_length == here.length && memcmp(notice.text, here.data, here.length) == 0);
  RustleFeedCounts counts;
  EXPECT(rustle_feed_counts(feed, &counts, NULL) == RUSTLE_OK && counts.connections == 1 && counts.malformed == 1);
  EXPECT(counts.bytes == length);
  EXPECT(rustle_feed_tell(feed, RUSTLE_NOTICE_CLOSED, 0, 0, TEXT("enough"), NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 1 && atomic_load(&probe.reason) == RUSTLE_RELEASE_FAILED);
  RustleError error;
  refused(rustle_feed_push(feed, bytes, 1, &taken, &error), RUSTLE_WRONG_STATE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, here, &error), RUSTLE_WRONG_STATE, &error);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK && rustle_session_free(room, NULL) == RUSTLE_OK);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK && rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static void refusals_of_sockets_and_hosts_are_typed(void) {
  RustleHandle runtime = manual_runtime(), feed = simulated(runtime, 0), none = 0;
  RustleError error;
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  size_t count = 7;
  static const char *const malformed[] = {"", "localhost", "a:b:1", "host:65536", "unix:", "tcp://"};
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    RustleLiveFeed live = live_at(malformed[i]);
    refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_MALFORMED_ADDRESS, &error);
    refused(rustle_feed_serve(feed, TEXT(malformed[i]), &keep_all, sink, &none, &error), RUSTLE_MALFORMED_ADDRESS, &error);
  }
  RustleLiveFeed live = live_at("\xff:1");
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_INVALID_UTF8, &error);
  live = live_at("localhost:1");
  live.address.data = NULL;
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_NULL_POINTER, &error);
  live = live_at("localhost:1");
  live.schema = TEXT("price");
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_MALFORMED_SCHEMA, &error);
  live = live_at("localhost:1");
  live.base_ns = 5000000;
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_INVALID_VALUE, &error);
  live = live_at("localhost:1");
  live.connecting_ns = 0;
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_INVALID_VALUE, &error);
  live.connecting_ns = SECOND;
  live.silence_ns = 1;
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_INVALID_VALUE, &error);
  live.silence_ns = 0;
  live.runtime = feed;
  refused(rustle_feed_new_live(&live, &none, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_new_live(NULL, &none, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_new_live(&live, NULL, &error), RUSTLE_NULL_POINTER, &error);
  RustlePushedFeed pushed = {.format = RUSTLE_FORMAT_BY_NAME};
  refused(rustle_feed_new_pushed(&pushed, &none, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_new_pushed(NULL, &none, &error), RUSTLE_NULL_POINTER, &error);

  refused(rustle_feed_serve(feed, TEXT("unix:/there-is-none/x"), &keep_all, sink, &none, &error),
          RUSTLE_ADDRESS_UNAVAILABLE, &error);
  refused(rustle_feed_serve(feed, TEXT("127.0.0.1:0"), NULL, sink, &none, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_serve(feed, TEXT("127.0.0.1:0"), &keep_all, sink, NULL, &error), RUSTLE_NULL_POINTER, &error);
  RustleFeedPolicy empty = {.kind = RUSTLE_POLICY_DROP_OLDEST};
  refused(rustle_feed_serve(feed, TEXT("127.0.0.1:0"), &empty, sink, &none, &error), RUSTLE_INVALID_LENGTH, &error);
  RustleSink mute = {&probe, NULL, on_release};
  refused(rustle_feed_serve(feed, TEXT("127.0.0.1:0"), &keep_all, mute, &none, &error), RUSTLE_NULL_POINTER, &error);

  refused(rustle_feed_push(feed, NULL, 0, &count, &error), RUSTLE_WRONG_SOURCE, &error);
  refused(rustle_feed_push(feed, NULL, 1, &count, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_push(feed, NULL, 0, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, TEXT(""), &error), RUSTLE_WRONG_SOURCE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_ROOM, 0, 0, TEXT(""), &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CLOSED, 0, 0, TEXT("\xff"), &error), RUSTLE_INVALID_UTF8, &error);
  refused(rustle_feed_connection(feed, NULL, &error), RUSTLE_NULL_POINTER, &error);

  // A session that is no server, and one of notices, which has no symbols.
  RustleHandle session = 0;
  EXPECT(rustle_feed_start_notices(feed, RUSTLE_NOTICES_CONNECTION, 1, sink, &session, NULL) == RUSTLE_OK);
  RustleServerCounts counts;
  uint8_t text[300];
  RustleString symbol = TEXT("BTC");
  refused(rustle_feed_subscribe(session, &symbol, 1, NULL, 0, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_server_counts(session, &counts, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_server_clients(session, NULL, 0, &count, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_server_address(session, text, sizeof text, &count, &error), RUSTLE_INVALID_VALUE, &error);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK && rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 1);
  refused(rustle_server_counts(session, &counts, &error), RUSTLE_STALE_HANDLE, &error);

  // A server, and a place that is taken.
  char where[300];
  Probe of_server = {0};
  RustleHandle server = server_at(feed, "127.0.0.1:0", &of_server, where);
  refused(rustle_feed_serve(feed, TEXT(where), &keep_all, sink, &none, &error), RUSTLE_ADDRESS_UNAVAILABLE, &error);
  refused(rustle_server_address(server, text, 3, &count, &error), RUSTLE_INVALID_LENGTH, &error);
  refused(rustle_server_address(server, text, sizeof text, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_server_counts(server, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_server_clients(server, NULL, 1, &count, &error), RUSTLE_NULL_POINTER, &error);
  RustleQuote quotes[1];
  refused(rustle_feed_drain_quotes(server, quotes, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE, &error);
  EXPECT(none == 0 && count == 7);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  until(&of_server.releases, 1);
  EXPECT(rustle_session_free(server, NULL) == RUSTLE_OK);
  refused(rustle_feed_serve(feed, TEXT("127.0.0.1:0"), &keep_all, sink, &none, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_push(feed, NULL, 0, &count, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CLOSED, 0, 0, TEXT(""), &error), RUSTLE_STALE_HANDLE, &error);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

int main(void) {
  consumers_of_one_source_each_have_their_policy();
  subscription_changes_while_it_runs();
  recording_gives_quotes_candles_statistics_alerts_and_notices();
  refusals_are_typed_and_take_no_sink();
  feed_is_served_to_another_one("tcp://127.0.0.1:0");
  char path[64];
  snprintf(path, sizeof path, "unix:/tmp/rustle-feed-%d.socket", (int)getpid());
  feed_is_served_to_another_one(path);
  server_ends_with_its_session_and_with_its_feed();
  host_fills_a_feed_and_tells_of_its_connection();
  refusals_of_sockets_and_hosts_are_typed();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
