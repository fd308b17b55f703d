// Feeds over sockets, from plain C: a server and its client, and its ends.
#include <unistd.h>

#include "feed.h"

static const char *const token = "0123456789abcdef";

// Sockets take their time: wait for them.
static RustleHandle server_at(RustleHandle feed, const char *address, Probe *probe, char where[300]) {
  RustleSink sink = {probe, on_ring, on_release};
  RustleHandle server = 0;
  size_t length = 0;
  RustleServerRequest request = {.address = TEXT(address), .policy = keep_all, .token = TEXT(token)};
  OK(rustle_feed_serve(feed, &request, sink, &server, &error));
  EXPECT(rustle_server_address(server, (uint8_t *)where, 299, &length, NULL) == RUSTLE_OK && length < 299);
  where[length] = 0;
  return server;
}

// Two feeds of one process, joined by a socket: the second receives the trades that the first serves.
static void feed_is_served_to_another_one(const char *address) {
  RustleHandle feed = simulated(0, 20), client = 0;
  Probe of_server = {0}, of_client = {0};
  char where[300];
  RustleHandle server = server_at(feed, address, &of_server, where);
  RustleLiveFeed configuration = {.address = TEXT(where),
                                  .token = TEXT(token),
                                  .connecting_ns = SECOND,
                                  .silence_ns = 60 * SECOND,
                                  .base_ns = 1000000,
                                  .cap_ns = 4000000,
                                  .healthy_ns = SECOND,
                                  .subscribes = 1};
  OK(rustle_feed_new_live(&configuration, &client, NULL));
  RustleFeedNotice notice;
  EXPECT(rustle_feed_connection(client, &notice, NULL) == RUSTLE_OK && notice.kind == RUSTLE_NOTICE_NONE);
  RustleHandle session = trades_of(client, &all_symbols, &keep_all, &of_client);
  OK(rustle_feed_run(client, NULL));
  UNTIL(atomic_load(&of_server.signals) >= 1);
  OK(rustle_feed_connection(client, &notice, NULL));
  EXPECT(notice.kind == RUSTLE_NOTICE_CONNECTED || notice.kind == RUSTLE_NOTICE_CONNECTING);
  EXPECT(notice.text_length == strlen(where) && memcmp(notice.text, where, notice.text_length) == 0);
  RustleServerClient clients[2];
  size_t count = 7;
  EXPECT(rustle_server_clients(server, clients, 2, &count, NULL) == RUSTLE_OK && count == 1);
  EXPECT(clients[0].number == 0 && clients[0].since_ns > 0 && clients[0].lane.dropped == 0);
  // A server is a session with nothing to drain.
  REFUSED(rustle_drain(server, RUSTLE_START_FEED_SERVE, NULL, 0, 0, &count, NULL, sizeof(RustleLaneStatistics), &error),
          RUSTLE_INVALID_VALUE);
  OK(rustle_feed_run(feed, NULL));
  RustleTrade trades[32];
  size_t got = 0;
  while (got < 20) {
    OK(rustle_feed_drain_trades(session, trades + got, 32 - got, &count, NULL, NULL));
    got += count;
    sched_yield();
  }
  for (size_t i = 0; i < got; i++) {
    EXPECT(trades[i].sequence == i / 2 && trades[i].sequence_gap == 0 && trades[i].gap == 0 && trades[i].price_units > 0);
  }
  // The end of the feed ends the server, once the client has left.
  OK(rustle_feed_free(client, NULL));
  UNTIL(atomic_load(&of_server.releases) >= 1);
  EXPECT(atomic_load(&of_server.reason) == RUSTLE_RELEASE_ENDED);
  RustleServerCounts counts;
  OK(rustle_server_counts(server, &counts, NULL));
  EXPECT(counts.clients == 0 && counts.accepted >= 1 && counts.refused == 0 && counts.trades == 20 && counts.bytes > 0);
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

// An address that other machines reach is served by a token, or to anyone.
static void strangers_are_served_on_request(void) {
  RustleHandle feed = simulated(0, 0), server = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  RustleServerRequest request = {.address = TEXT("0.0.0.0:0"), .policy = keep_all};
  REFUSED(rustle_feed_serve(feed, &request, sink, &server, &error), RUSTLE_INVALID_VALUE);
  EXPECT(atomic_load(&probe.releases) == 0);
  request.allows_anyone = 1;
  OK(rustle_feed_serve(feed, &request, sink, &server, &error));
  OK(rustle_session_free(server, NULL));
  UNTIL(atomic_load(&probe.releases) >= 1);
  OK(rustle_feed_free(feed, NULL));
}

int main(void) {
  feed_is_served_to_another_one("tcp://127.0.0.1:0");
  char path[64];
  snprintf(path, sizeof path, "unix:/tmp/rustle-feed-%d.socket", (int)getpid());
  feed_is_served_to_another_one(path);
  server_ends_with_its_session_and_with_its_feed();
  strangers_are_served_on_request();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
