// Shared by the programs of feeds.
#ifndef FEED_H
#define FEED_H

#include "expect.h"

static const RustleFeedSubscription all_symbols = {.all = 1};
static const RustleFeedPolicy keep_all = {.kind = RUSTLE_POLICY_DROP_OLDEST, .capacity = 64};

// Faster on the shared runtime, whose time is real.
static inline RustleHandle simulated(RustleHandle runtime, uint64_t limit) {
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
  OK(rustle_feed_new_simulated(&configuration, &feed, NULL));
  return feed;
}

static inline RustleHandle trades_of(RustleHandle feed, const RustleFeedSubscription *wanted, const RustleFeedPolicy *policy,
                                     Probe *probe) {
  RustleSink sink = {probe, on_ring, on_release};
  RustleHandle session = 0;
  OK(rustle_feed_start_trades(feed, &(RustleTradeRequest){*wanted, *policy}, sink, &session, NULL));
  return session;
}

static inline void is_named(RustleHandle session, uint32_t number, const char *expected) {
  uint8_t name[RUSTLE_SYMBOL_CAPACITY];
  size_t length = 0;
  OK(rustle_feed_symbol(session, number, name, sizeof name, &length, NULL));
  EXPECT(length == strlen(expected) && memcmp(name, expected, length) == 0);
}

static const char recording[] =
    "{\"symbol\":\"A\",\"price\":10.00,\"size\":2,\"t_ms\":0,\"seq\":0}\n"
    "{\"symbol\":\"A\",\"price\":12.50,\"size\":1.5,\"t_ms\":500,\"seq\":1}\n"
    "nonsense\n"
    "{\"symbol\":\"A\",\"price\":9.75,\"t_ms\":1500,\"seq\":4}\n";

#endif
