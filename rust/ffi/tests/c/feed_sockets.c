// Feeds over sockets, from plain C: a server and its client, its ends, and what is refused.
#include <stdio.h>
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

static RustleStatus serve(RustleHandle feed, const char *address, RustleFeedPolicy policy, RustleSink sink, RustleHandle *server,
                          RustleError *error) {
  return rustle_feed_serve(feed, &(RustleServerRequest){TEXT(address), policy}, sink, server, error);
}

// On threads of its own: it is waited for.
static RustleHandle server_at(RustleHandle feed, const char *address, Probe *probe, char where[300]) {
  RustleSink sink = {probe, on_ring, on_release};
  RustleHandle server = 0;
  size_t length = 0;
  EXPECT(serve(feed, address, keep_all, sink, &server, NULL) == RUSTLE_OK);
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
    refused(serve(feed, malformed[i], keep_all, sink, &none, &error), RUSTLE_MALFORMED_ADDRESS, &error);
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
  pushed = (RustlePushedFeed){.format = RUSTLE_FORMAT_CSV, .message_limit = 16777217};
  refused(rustle_feed_new_pushed(&pushed, &none, &error), RUSTLE_INVALID_LENGTH, &error);
  refused(rustle_feed_new_pushed(NULL, &none, &error), RUSTLE_NULL_POINTER, &error);

  refused(serve(feed, "unix:/there-is-none/x", keep_all, sink, &none, &error),
          RUSTLE_ADDRESS_UNAVAILABLE, &error);
  refused(rustle_feed_serve(feed, NULL, sink, &none, &error), RUSTLE_NULL_POINTER, &error);
  refused(serve(feed, "127.0.0.1:0", keep_all, sink, NULL, &error), RUSTLE_NULL_POINTER, &error);
  RustleFeedPolicy empty = {.kind = RUSTLE_POLICY_DROP_OLDEST};
  refused(serve(feed, "127.0.0.1:0", empty, sink, &none, &error), RUSTLE_INVALID_LENGTH, &error);
  RustleSink mute = {&probe, NULL, on_release};
  refused(serve(feed, "127.0.0.1:0", keep_all, mute, &none, &error), RUSTLE_NULL_POINTER, &error);

  refused(rustle_feed_push(feed, NULL, 0, &count, &error), RUSTLE_WRONG_SOURCE, &error);
  refused(rustle_feed_push(feed, NULL, 1, &count, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_push(feed, NULL, 0, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CONNECTED, 0, 0, TEXT(""), &error), RUSTLE_WRONG_SOURCE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_ROOM, 0, 0, TEXT(""), &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CLOSED, 0, 0, TEXT("\xff"), &error), RUSTLE_INVALID_UTF8, &error);
  refused(rustle_feed_connection(feed, NULL, &error), RUSTLE_NULL_POINTER, &error);

  // A session that is no server, and one of notices, which has no symbols.
  RustleHandle session = 0;
  RustleNoticeRequest of_one = {.capacity = 1, .notices = RUSTLE_NOTICES_CONNECTION};
  EXPECT(rustle_feed_start_notices(feed, &of_one, sink, &session, NULL) == RUSTLE_OK);
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
  refused(serve(feed, where, keep_all, sink, &none, &error), RUSTLE_ADDRESS_UNAVAILABLE, &error);
  refused(rustle_server_address(server, text, 3, &count, &error), RUSTLE_INVALID_LENGTH, &error);
  refused(rustle_server_address(server, text, sizeof text, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_server_counts(server, NULL, &error), RUSTLE_NULL_POINTER, &error);
  refused(rustle_server_clients(server, NULL, 1, &count, &error), RUSTLE_NULL_POINTER, &error);
  RustleQuote quotes[1];
  refused(rustle_feed_drain_quotes(server, quotes, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_drain(server, RUSTLE_START_FEED_SERVE, NULL, 0, 0, &count, NULL, sizeof(RustleLaneStatistics), &error), RUSTLE_INVALID_VALUE, &error);
  RustleFeedOmissions omissions;
  refused(rustle_feed_omissions(server, &omissions, &error), RUSTLE_INVALID_VALUE, &error);
  refused(rustle_feed_subscribe(server, &symbol, 1, NULL, 0, &error), RUSTLE_INVALID_VALUE, &error);
  EXPECT(none == 0 && count == 7);
  EXPECT(rustle_feed_free(feed, NULL) == RUSTLE_OK);
  until(&of_server.releases, 1);
  EXPECT(rustle_session_free(server, NULL) == RUSTLE_OK);
  refused(serve(feed, "127.0.0.1:0", keep_all, sink, &none, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_push(feed, NULL, 0, &count, &error), RUSTLE_STALE_HANDLE, &error);
  refused(rustle_feed_tell(feed, RUSTLE_NOTICE_CLOSED, 0, 0, TEXT(""), &error), RUSTLE_STALE_HANDLE, &error);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
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
