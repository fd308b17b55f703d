// Feeds over sockets, from plain C: a server and its client, its ends, and what is refused.
#include <unistd.h>

#include "feed.h"

static RustleLiveFeed live_at(const char *address) {
  return (RustleLiveFeed){.address = TEXT(address),
                          .connecting_ns = SECOND,
                          .silence_ns = 60 * SECOND,
                          .base_ns = 1000000,
                          .cap_ns = 4000000,
                          .healthy_ns = SECOND,
                          .subscribes = 1};
}

static RustleStatus serve(RustleHandle feed, const char *address, RustleFeedPolicy policy, RustleSink sink, RustleHandle *server) {
  return rustle_feed_serve(feed, &(RustleServerRequest){TEXT(address), policy}, sink, server, &error);
}

// On threads of its own: it is waited for.
static RustleHandle server_at(RustleHandle feed, const char *address, Probe *probe, char where[300]) {
  RustleSink sink = {probe, on_ring, on_release};
  RustleHandle server = 0;
  size_t length = 0;
  OK(serve(feed, address, keep_all, sink, &server));
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
  OK(rustle_feed_new_live(&configuration, &client, NULL));
  RustleFeedNotice notice;
  EXPECT(rustle_feed_connection(client, &notice, NULL) == RUSTLE_OK && notice.kind == RUSTLE_NOTICE_NONE);
  RustleHandle session = quotes_of(client, &all_symbols, &keep_all, &of_client);
  OK(rustle_feed_run(client, NULL));
  UNTIL(atomic_load(&of_server.signals) >= 1);
  OK(rustle_feed_connection(client, &notice, NULL));
  EXPECT(notice.kind == RUSTLE_NOTICE_CONNECTED || notice.kind == RUSTLE_NOTICE_CONNECTING);
  EXPECT(notice.text_length == strlen(where) && memcmp(notice.text, where, notice.text_length) == 0);
  RustleServerClient clients[2];
  size_t count = 7;
  EXPECT(rustle_server_clients(server, clients, 2, &count, NULL) == RUSTLE_OK && count == 1);
  EXPECT(clients[0].number == 0 && clients[0].since_ns > 0 && clients[0].lane.dropped == 0);
  OK(rustle_feed_run(feed, NULL));
  RustleQuote quotes[32];
  size_t got = 0;
  while (got < 20) {
    OK(rustle_feed_drain_quotes(session, quotes + got, 32 - got, &count, NULL, NULL));
    got += count;
    sched_yield();
  }
  for (size_t i = 0; i < got; i++) {
    EXPECT(quotes[i].sequence == i / 2 && quotes[i].skipped == 0 && quotes[i].gap == 0 && quotes[i].price_units > 0);
  }
  // The end of the feed ends the server, once the client has left.
  OK(rustle_feed_free(client, NULL));
  UNTIL(atomic_load(&of_server.releases) >= 1);
  EXPECT(atomic_load(&of_server.reason) == RUSTLE_RELEASE_ENDED);
  RustleServerCounts counts;
  OK(rustle_server_counts(server, &counts, NULL));
  EXPECT(counts.clients == 0 && counts.accepted >= 1 && counts.refused == 0 && counts.quotes == 20 && counts.bytes > 0);
  UNTIL(atomic_load(&of_client.releases) >= 1);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK && rustle_session_free(server, NULL) == RUSTLE_OK);
  EXPECT(rustle_server_counts(server, &counts, NULL) == RUSTLE_STALE_HANDLE);
  OK(rustle_feed_free(feed, NULL));
}

static void server_ends_with_its_session_and_with_its_feed(void) {
  for (int way = 0; way < 3; way++) {
    RustleHandle feed = simulated(0, 0);
    Probe probe = {0};
    char where[300];
    RustleHandle server = server_at(feed, "tcp://127.0.0.1:0", &probe, where);
    if (way == 0) OK(rustle_session_cancel(server, NULL));
    if (way == 1) OK(rustle_feed_shut_down(feed, NULL));
    if (way == 2) OK(rustle_session_free(server, NULL));
    UNTIL(atomic_load(&probe.releases) >= 1);
    EXPECT(atomic_load(&probe.reason) == RUSTLE_RELEASE_CANCELLED && atomic_load(&probe.signals) == 0);
    if (way != 2) OK(rustle_session_free(server, NULL));
    OK(rustle_feed_free(feed, NULL));
  }
}

static void refusals_of_sockets_and_hosts_are_typed(void) {
  RustleHandle runtime = manual_runtime(), feed = simulated(runtime, 0), none = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  size_t count = 7;
  static const char *const malformed[] = {"", "localhost", "a:b:1", "host:65536", "unix:", "tcp://"};
  RustleLiveFeed live;
#define LIVE(field, value) (live = live_at("localhost:1"), live.field = (value), rustle_feed_new_live(&live, &none, &error))
  for (size_t i = 0; i < COUNT(malformed); i++) {
    REFUSED(LIVE(address, TEXT(malformed[i])), RUSTLE_MALFORMED_ADDRESS);
    REFUSED(serve(feed, malformed[i], keep_all, sink, &none), RUSTLE_MALFORMED_ADDRESS);
  }
  REFUSED(LIVE(schema, TEXT("price")), RUSTLE_MALFORMED_SCHEMA);
  REFUSED(LIVE(base_ns, 5000000), RUSTLE_INVALID_VALUE);
  REFUSED(LIVE(connecting_ns, 0), RUSTLE_INVALID_VALUE);
  REFUSED(LIVE(silence_ns, 1), RUSTLE_INVALID_VALUE);
  RustlePushedFeed pushed = {.format = RUSTLE_FORMAT_BY_NAME};
  REFUSED(rustle_feed_new_pushed(&pushed, &none, &error), RUSTLE_INVALID_VALUE);
  pushed = (RustlePushedFeed){.format = RUSTLE_FORMAT_CSV, .message_limit = 16777217};
  REFUSED(rustle_feed_new_pushed(&pushed, &none, &error), RUSTLE_INVALID_LENGTH);

  REFUSED(serve(feed, "unix:/there-is-none/x", keep_all, sink, &none), RUSTLE_ADDRESS_UNAVAILABLE);
  RustleFeedPolicy empty = {.kind = RUSTLE_POLICY_DROP_OLDEST};
  REFUSED(serve(feed, "127.0.0.1:0", empty, sink, &none), RUSTLE_INVALID_LENGTH);

  REFUSED(rustle_feed_push(feed, NULL, 0, &count, &error), RUSTLE_WRONG_SOURCE);
  REFUSED(rustle_feed_tell(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, TEXT(""), &error), RUSTLE_WRONG_SOURCE);
  REFUSED(rustle_feed_tell(feed, RUSTLE_NOTICE_ROOM, 0, 0, TEXT(""), &error), RUSTLE_INVALID_VALUE);

  // A session that is no server, and one of notices, which has no symbols.
  RustleHandle session = 0;
  RustleNoticeRequest of_one = {.capacity = 1, .notices = RUSTLE_NOTICES_CONNECTION};
  OK(rustle_feed_start_notices(feed, &of_one, sink, &session, NULL));
  RustleServerCounts counts;
  uint8_t text[300];
  RustleString symbol = TEXT("BTC");
  REFUSED(rustle_feed_subscribe(session, &symbol, 1, NULL, 0, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_server_counts(session, &counts, &error), RUSTLE_INVALID_VALUE);
  FREE(session);
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK && atomic_load(&probe.releases) == 1);

  // A server, and a place that is taken.
  char where[300];
  Probe of_server = {0};
  RustleHandle server = server_at(feed, "127.0.0.1:0", &of_server, where);
  REFUSED(serve(feed, where, keep_all, sink, &none), RUSTLE_ADDRESS_UNAVAILABLE);
  REFUSED(rustle_server_address(server, text, 3, &count, &error), RUSTLE_INVALID_LENGTH);
  RustleQuote quotes[1];
  REFUSED(rustle_feed_drain_quotes(server, quotes, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_drain(server, RUSTLE_START_FEED_SERVE, NULL, 0, 0, &count, NULL, sizeof(RustleLaneStatistics), &error),
          RUSTLE_INVALID_VALUE);
  RustleFeedOmissions omissions;
  REFUSED(rustle_feed_omissions(server, &omissions, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_feed_subscribe(server, &symbol, 1, NULL, 0, &error), RUSTLE_INVALID_VALUE);
  EXPECT(none == 0 && count == 7);
  FREE(feed);
  UNTIL(atomic_load(&of_server.releases) == 1);
  FREE(server, runtime);
}

int main(void) {
  feed_is_served_to_another_one("tcp://127.0.0.1:0");
  char path[64];
  snprintf(path, sizeof path, "unix:/tmp/rustle-feed-%d.socket", (int)getpid());
  feed_is_served_to_another_one(path);
  server_ends_with_its_session_and_with_its_feed();
  refusals_of_sockets_and_hosts_are_typed();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
