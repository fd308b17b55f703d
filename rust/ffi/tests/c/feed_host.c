// A feed that its host fills, from plain C: bytes and room, the host's connection, the subscribed symbols, and the wait before an
// attempt.
#include "feed.h"

static void host_fills_a_feed_and_reports_of_its_connection(void) {
  RustleHandle runtime = manual_runtime(), feed = 0, session = 0, room = 0;
  RustleExternalFeed configuration = {.runtime = runtime, .format = RUSTLE_FORMAT_NDJSON};
  OK(rustle_feed_new_external(&configuration, &feed, NULL));
  RustleFeedPolicy awaited = {.kind = RUSTLE_POLICY_LOSSLESS, .capacity = 2};
  Probe probe = {0}, of_room = {0};
  RustleSink sink = {&of_room, on_ring, on_release};
  RustleNoticeRequest of_one = {.capacity = 1, .notices = RUSTLE_NOTICES_ROOM};
  session = trades_of(feed, &all_symbols, &awaited, &probe);
  OK(rustle_feed_start_notices(feed, &of_one, sink, &room, NULL));
  const uint8_t *bytes = (const uint8_t *)recording;
  const size_t length = sizeof recording - 1;
  size_t taken = 7, count = 0;
  EXPECT(rustle_feed_push(feed, bytes, length, &taken, NULL) == RUSTLE_OK && taken == 0);
  EXPECT(rustle_feed_run(feed, NULL) == RUSTLE_OK && rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&of_room.signals) == 1);
  RustleString here = TEXT("wss://here");
  OK(rustle_feed_report(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, here, NULL));
  // The piece has three trades, one more than there is room for.
  EXPECT(rustle_feed_push(feed, bytes, length, &taken, NULL) == RUSTLE_OK && taken == length);
  EXPECT(rustle_feed_push(feed, bytes, 1, &taken, NULL) == RUSTLE_OK && taken == 0);
  RustleTrade trades[8];
  RustleFeedNotice notices[2];
  EXPECT(rustle_feed_drain_notices(room, notices, 2, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  // Makes room, and the notice of it comes at once.
  EXPECT(rustle_feed_drain_trades(session, trades, 8, &count, NULL, NULL) == RUSTLE_OK && count == 2);
  EXPECT(rustle_runtime_advance(runtime, SECOND, NULL) == RUSTLE_OK && atomic_load(&of_room.signals) == 2);
  EXPECT(rustle_feed_drain_trades(session, trades, 8, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(trades[0].sequence == 4 && trades[0].sequence_gap == 2);
  RustleFeedNotice notice;
  EXPECT(rustle_feed_connection(feed, &notice, NULL) == RUSTLE_OK && notice.kind == RUSTLE_NOTICE_CONNECTED);
  EXPECT(notice.text_length == here.length && memcmp(notice.text, here.data, here.length) == 0);
  RustleFeedCounts counts;
  EXPECT(rustle_feed_counts(feed, &counts, NULL) == RUSTLE_OK && counts.connections == 1 && counts.malformed == 1);
  EXPECT(counts.bytes == length);
  OK(rustle_feed_report(feed, RUSTLE_NOTICE_CLOSED, 0, 0, TEXT("enough"), NULL));
  OK(rustle_runtime_advance(runtime, 0, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_FAILED));
  REFUSED(rustle_feed_push(feed, bytes, 1, &taken, &error), RUSTLE_WRONG_STATE);
  REFUSED(rustle_feed_report(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, here, &error), RUSTLE_WRONG_STATE);
  FREE(session, room, feed, runtime);
}

static void is_wanted(RustleHandle feed, uint32_t all, const char *names) {
  uint8_t buffer[64];
  RustleFeedWanted wanted;
  memset(buffer, '?', sizeof buffer);
  OK(rustle_feed_wanted(feed, buffer, sizeof buffer, &wanted, NULL));
  EXPECT(wanted.all == all && wanted.reserved == 0 && wanted.length == strlen(names));
  EXPECT(memcmp(buffer, names, wanted.length) == 0 && buffer[wanted.length] == '?');
}

static void host_learns_what_is_wanted(void) {
  RustleHandle runtime = manual_runtime(), feed = 0, notices = 0;
  RustleExternalFeed configuration = {.runtime = runtime, .format = RUSTLE_FORMAT_NDJSON};
  OK(rustle_feed_new_external(&configuration, &feed, NULL));
  Probe probe = {0}, of_notices = {0};
  RustleSink sink = {&of_notices, on_ring, on_release};
  RustleNoticeRequest of_one = {.capacity = 1, .notices = RUSTLE_NOTICES_WANTED};
  OK(rustle_feed_start_notices(feed, &of_one, sink, &notices, NULL));
  is_wanted(feed, 0, "");
  RustleString names[] = {TEXT("ETH"), TEXT("BTC")}, more = TEXT("SOL");
  RustleFeedSubscription both = {.symbols = names, .symbol_count = 2};
  RustleHandle session = trades_of(feed, &both, &keep_all, &probe);
  is_wanted(feed, 0, "BTC\nETH\n");
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK && atomic_load(&of_notices.signals) == 1);
  RustleFeedNotice notice;
  size_t count = 0;
  EXPECT(rustle_feed_drain_notices(notices, &notice, 1, &count, NULL, NULL) == RUSTLE_OK && count == 1);
  EXPECT(notice.kind == RUSTLE_NOTICE_WANTED && notice.text_length == 0);
  OK(rustle_feed_subscribe(session, &more, 1, names, 1, NULL));
  is_wanted(feed, 0, "BTC\nSOL\n");
  // Too little room: the call reports the required length and writes nothing else.
  uint8_t buffer[8] = "???????";
  RustleFeedWanted wanted, again;
  OK(rustle_feed_wanted(feed, buffer, 7, &wanted, NULL));
  EXPECT(wanted.length == 8 && wanted.count == 2 && memcmp(buffer, "???????", 8) == 0);
  EXPECT(rustle_feed_wanted(feed, NULL, 0, &again, NULL) == RUSTLE_OK && again.version == wanted.version);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK && rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  is_wanted(feed, 0, "");
  EXPECT(rustle_feed_wanted(feed, NULL, 0, &again, NULL) == RUSTLE_OK && again.version > wanted.version);
  session = trades_of(feed, &all_symbols, &keep_all, &probe);
  is_wanted(feed, 1, "");
  EXPECT(rustle_feed_cancel(feed, NULL) == RUSTLE_OK && rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  EXPECT(is_released(&of_notices, RUSTLE_RELEASE_CANCELLED));
  FREE(session, notices, feed, runtime);
}

static void waits_between_attempts_are_drawn(void) {
  uint64_t wait = 0, same = 0;
  OK(rustle_feed_backoff(1000000, 8000000, 3, 7, &wait, NULL));
  OK(rustle_feed_backoff(1000000, 8000000, 3, 7, &same, NULL));
  EXPECT(wait <= 4000000 && wait == same);
  REFUSED(rustle_feed_backoff(9000000, 8000000, 1, 0, &wait, &error), RUSTLE_INVALID_VALUE);
}

int main(void) {
  host_fills_a_feed_and_reports_of_its_connection();
  host_learns_what_is_wanted();
  waits_between_attempts_are_drawn();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
