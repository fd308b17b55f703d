// A feed from plain C: consumers of every kind on one source, a recording, and the counts that must come out even.
#include <unistd.h>

#include "feed.h"

static void consumers_of_one_source_each_have_their_policy(void) {
  RustleHandle runtime = manual_runtime(), feed = simulated(runtime, 10);
  RustleFeedPolicy latest = {.kind = RUSTLE_POLICY_CONFLATE};
  RustleString eth = TEXT("ETH");
  RustleFeedSubscription one = {.symbols = &eth, .symbol_count = 1};
  const RustleFeedPolicy oldest = {.kind = RUSTLE_POLICY_DROP_NEWEST, .capacity = 3};
  Probe probes[4] = {0};
  RustleHandle first = trades_of(feed, &all_symbols, &oldest, &probes[3]);
  RustleHandle every = trades_of(feed, &all_symbols, &keep_all, &probes[0]);
  RustleHandle newest = trades_of(feed, &all_symbols, &latest, &probes[1]);
  RustleHandle single = trades_of(feed, &one, &keep_all, &probes[2]);
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  EXPECT(atomic_load(&probes[0].signals) == 0);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK && rustle_feed_run(feed, NULL) == RUSTLE_OK);
  OK(rustle_runtime_advance(runtime, 60 * SECOND, NULL));
  RustleTrade trades[16];
  RustleLaneStatistics statistics;
  size_t count = 0;
  EXPECT(rustle_feed_drain_trades(every, trades, 16, &count, &statistics, NULL) == RUSTLE_OK && count == 10);
  EXPECT(statistics.produced == 10 && statistics.delivered == 10 && statistics.dropped == 0 && statistics.waiting == 0);
  for (size_t i = 0; i < count; i++) {
    EXPECT(trades[i].symbol == i % 2 && trades[i].sequence == i / 2 && trades[i].gap == 0 && trades[i].sequence_gap == 0);
    EXPECT(trades[i].price_units > 0 && trades[i].size_units == 0 && trades[i].is_out_of_order == 0);
  }
  EXPECT(trades[0].price_scale == 2 && trades[0].time_ns == 2000 * 1000000ll);
  is_named(every, 0, "BTC");
  is_named(every, 1, "ETH");
  EXPECT(rustle_feed_drain_trades(newest, trades, 16, &count, &statistics, NULL) == RUSTLE_OK && count == 2);
  EXPECT(trades[0].gap == 4 && trades[1].gap == 4 && trades[1].sequence == 4);
  EXPECT(statistics.produced == 10 && statistics.dropped == 8 && statistics.unreported == 0);
  // Trades dropped after the last one are in no gap.
  EXPECT(rustle_feed_drain_trades(first, trades, 16, &count, &statistics, NULL) == RUSTLE_OK && count == 3);
  EXPECT(trades[0].gap == 0 && trades[2].gap == 0 && statistics.dropped == 7 && statistics.unreported == 7);
  EXPECT(rustle_feed_drain_trades(single, trades, 16, &count, NULL, NULL) == RUSTLE_OK && count == 5);
  EXPECT(trades[0].symbol == 1);
  RustleFeedCounts counts;
  EXPECT(rustle_feed_counts(feed, &counts, NULL) == RUSTLE_OK && counts.trades == 10 && counts.messages == 0);
  for (int i = 0; i < 4; i++) {
    EXPECT(atomic_load(&probes[i].signals) >= 1 && is_released(&probes[i], RUSTLE_RELEASE_ENDED));
  }
  FREE(first, every, newest, single, feed, runtime);
}

static void recording_gives_trades_candles_statistics_alerts_and_notices(void) {
  char path[] = "/tmp/rustle-feed-XXXXXX";
  int file = mkstemp(path);
  EXPECT(file >= 0 && write(file, recording, sizeof recording - 1) == (ssize_t)(sizeof recording - 1));
  close(file);
  RustleHandle runtime = manual_runtime(), feed = 0, sessions[5] = {0};
  RustleReplayFeed configuration = {.path = TEXT(path), .format = RUSTLE_FORMAT_NDJSON, .runtime = runtime};
  OK(rustle_feed_new_replay(&configuration, &feed, NULL));
  Probe probe[5] = {0};
  RustleSink sink[5];
  for (int i = 0; i < 5; i++) sink[i] = (RustleSink){&probe[i], on_ring, on_release};
  RustleFeedThreshold threshold = {
      .symbol = TEXT("A"), .level_units = 125, .level_scale = 1, .direction = RUSTLE_DIRECTION_ABOVE};
  RustleFeedPolicy awaited = {.kind = RUSTLE_POLICY_LOSSLESS, .capacity = 64};
  RustleTradeRequest of_trades = {all_symbols, awaited};
  RustleCandleRequest of_candles = {all_symbols, keep_all, SECOND, 0};
  RustlePriceStatisticsRequest of_statistics = {all_symbols, keep_all, 10 * SECOND};
  RustlePriceAlertRequest of_alerts = {&threshold, 1, keep_all};
  RustleNoticeRequest of_notices = {.capacity = 16, .notices = RUSTLE_NOTICES_ALL};
  OK(rustle_feed_start_trades(feed, &of_trades, sink[0], &sessions[0], NULL));
  OK(rustle_feed_start_candles(feed, &of_candles, sink[1], &sessions[1], NULL));
  OK(rustle_feed_start_statistics(feed, &of_statistics, sink[2], &sessions[2], NULL));
  OK(rustle_feed_start_alerts(feed, &of_alerts, sink[3], &sessions[3], NULL));
  OK(rustle_feed_start_notices(feed, &of_notices, sink[4], &sessions[4], NULL));
  OK(rustle_feed_run(feed, NULL));
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  size_t count = 0;
  RustleTrade trades[8];
  EXPECT(rustle_feed_drain_trades(sessions[0], trades, 8, &count, NULL, NULL) == RUSTLE_OK && count == 3);
  EXPECT(trades[1].price_units == 1250 && trades[1].price_scale == 2);
  EXPECT(trades[1].size_units == 15 && trades[1].size_scale == 1);
  EXPECT(trades[2].sequence_gap == 2 && trades[2].time_ns == 1500 * 1000000ll);
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
  for (int i = 0; i < 5; i++) {
    RustleFeedOmissions omissions = {7, 7};
    OK(rustle_feed_omissions(sessions[i], &omissions, NULL));
    EXPECT(omissions.late == 0 && omissions.evicted == 0);
  }
  // A session of one kind is not one of another.
  EXPECT(rustle_feed_drain_trades(sessions[4], trades, 8, &count, NULL, NULL) == RUSTLE_INVALID_VALUE);
  OK(rustle_feed_free(feed, NULL));
  is_named(sessions[0], 0, "A");
  for (int i = 0; i < 5; i++) {
    EXPECT(is_released(&probe[i], RUSTLE_RELEASE_ENDED));
    OK(rustle_session_free(sessions[i], NULL));
  }
  OK(rustle_runtime_free(runtime, NULL));
  EXPECT(unlink(path) == 0);
}

int main(void) {
  consumers_of_one_source_each_have_their_policy();
  recording_gives_trades_candles_statistics_alerts_and_notices();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
