// Random sequences of calls with live, freed, foreign and invented handles. What each call must return is known: a live handle
// of its kind is served, any other is stale. Every sink that was taken is released once, and nothing is left over.
//
// Usage: sequences [COUNT [SEED]], by default 20,000 sequences.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define RECENT 16
#define FRAME 64

static atomic_long taken, released;

static void on_signal(void *context, const void *event) {
  (void)context;
  (void)event;
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  EXPECT(reason == RUSTLE_RELEASE_ENDED || reason == RUSTLE_RELEASE_CANCELLED);
  EXPECT(length == 0);
  (void)message;
  // Freed here: a callback after the release, or a second release, is a use after free that AddressSanitizer reports.
  free(context);
  atomic_fetch_add(&released, 1);
}

static uint64_t state;

// Knuth's MMIX generator.
static uint32_t below(uint32_t bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % bound;
}

// From PLAN on: what has no sessions.
typedef enum {
  INVENTED, SESSION, TICKER, CAPTURE, PLAYBACK, FEED, RUNTIME, PLAN, INVERSE, STFT, STREAM, EQUALIZER, METER, PITCH, VOICE,
  KINDS
} Kind;

static const char *const names[KINDS] = {"",         "sessions", "tickers", "captures",     "playbacks",  "feeds",    "runtimes", "plans",
                                         "inverses", "STFTs",    "STFT streams", "equalizers", "meters",
                                         "pitches", "voices"};

typedef struct {
  RustleHandle handle;
  Kind kind;
  int live;
} Entry;

// Every handle that was issued since the last sweep.
static Entry *known;
static size_t known_count, known_capacity;
static long served[KINDS];

static void know(RustleHandle handle, Kind kind) {
  if (known_count == known_capacity) {
    known_capacity = known_capacity == 0 ? 128 : 2 * known_capacity;
    known = realloc(known, known_capacity * sizeof *known);
    EXPECT(known != NULL);
  }
  for (size_t i = 0; i < known_count; i++) EXPECT(known[i].handle != handle);
  known[known_count++] = (Entry){handle, kind, 1};
}

static Entry invented;

// The entry of a number, which may have been issued for all that.
static Entry *entry_of(RustleHandle handle) {
  for (size_t i = 0; i < known_count; i++) {
    if (known[i].handle == handle) return &known[i];
  }
  invented = (Entry){handle, INVENTED, 0};
  return &invented;
}

// One of the latest handles, of the kind that is wanted more often than not, or a number.
static Entry *any_entry(Kind wanted) {
  uint32_t recent = known_count < RECENT ? (uint32_t)known_count : RECENT;
  if (recent == 0) return entry_of(state);
  Entry *some = &known[known_count - 1 - below(recent)];
  switch (below(16)) {
    case 0: return entry_of(0);
    case 1: return entry_of(state);
    case 2: return entry_of(UINT64_MAX);
    case 3: return entry_of(some->handle ^ ((uint64_t)1 << below(64)));
    case 4:
    case 5:
    case 6: return some;
    default:
      for (size_t i = known_count; i > 0; i--) {
        if (known[i - 1].kind == wanted && (known[i - 1].live || below(4) == 0)) return &known[i - 1];
      }
      return some;
  }
}

static int serves(const Entry *entry, Kind kind) { return entry->kind == kind && entry->live; }

// A live handle of the right kind is served, or refused for another reason; any other is stale.
static void fits(RustleStatus status, const Entry *entry, Kind kind, RustleStatus also) {
  if (serves(entry, kind)) {
    EXPECT(status == RUSTLE_OK || status == also);
    served[kind]++;
  } else {
    EXPECT(status == RUSTLE_STALE_HANDLE);
  }
}

static RustleStatus free_as(Kind kind, RustleHandle handle) {
  switch (kind) {
    case SESSION: return rustle_session_free(handle, NULL);
    case TICKER: return rustle_ticker_free(handle, NULL);
    case RUNTIME: return rustle_runtime_free(handle, NULL);
    case INVERSE: return rustle_fft_inverse_free(handle, NULL);
    case STFT: return rustle_stft_free(handle, NULL);
    case STREAM: return rustle_stft_stream_free(handle, NULL);
    case CAPTURE: return rustle_capture_free(handle, NULL);
    case PLAYBACK: return rustle_playback_free(handle, NULL);
    case EQUALIZER: return rustle_equalizer_free(handle, NULL);
    case METER: return rustle_meter_free(handle, NULL);
    case PITCH: return rustle_pitch_free(handle, NULL);
    case VOICE: return rustle_voice_free(handle, NULL);
    case FEED: return rustle_feed_free(handle, NULL);
    default: return rustle_fft_plan_free(handle, NULL);
  }
}

static void free_any(Kind kind) {
  Entry *entry = any_entry(kind);
  RustleStatus status = free_as(kind, entry->handle);
  fits(status, entry, kind, RUSTLE_OK);
  if (status == RUSTLE_OK) entry->live = 0;
}

// A sink was taken, or a start was refused for a reason that `fine` arguments do not give.
static int started(RustleStatus status, const RustleError *error, const Entry *engine, Kind kind, RustleHandle session,
                   int fine) {
  if (status == RUSTLE_OK) {
    EXPECT(serves(engine, kind));
    atomic_fetch_add(&taken, 1);
    served[kind]++;
    know(session, SESSION);
    return 1;
  }
  EXPECT(status == error->status && error->message_length > 0);
  if (!serves(engine, kind)) EXPECT(status == RUSTLE_STALE_HANDLE);
  else
    EXPECT(status == RUSTLE_SHUT_DOWN || (!fine && (status == RUSTLE_INVALID_VALUE || status == RUSTLE_INVALID_LENGTH ||
           (kind == TICKER && status >= RUSTLE_NO_SYMBOLS && status <= RUSTLE_TOO_MANY_SYMBOLS))));
  return 0;
}

static void start_sound(Kind kind) {
  int fine = below(4) != 0;
  uint32_t lane = fine ? below(4) : below(5), capacity = fine ? 1 : below(3);
  void *context = malloc(16);
  RustleSink sink = {context, on_signal, on_release};
  RustleHandle session = 0;
  RustleError error;
  Entry *engine = any_entry(kind);
  RustleStatus status = kind == CAPTURE ? rustle_capture_start(engine->handle, lane, capacity, sink, &session, &error)
                                        : rustle_playback_start(engine->handle, lane, capacity, sink, &session, &error);
  if (!started(status, &error, engine, kind, session, fine)) free(context);
}

// A consumer of any kind; feeds that were made here have one symbol.
static void start_feed(void) {
  static const RustleString symbol = {(const uint8_t *)"BTC", 3};
  int fine = below(4) != 0;
  RustleFeedSubscription wanted = {.symbols = &symbol, .symbol_count = 1, .all = below(2)};
  RustleFeedPolicy policy = {.kind = fine ? 1 + below(5) : 0, .capacity = fine ? 1 : below(3), .interval_ns = 1000000};
  RustleFeedThreshold threshold = {.symbol = symbol, .level_units = 1, .direction = below(2)};
  void *context = malloc(16);
  RustleSink sink = {context, on_signal, on_release};
  RustleHandle session = 0;
  RustleError error;
  Entry *feed = any_entry(FEED);
  RustleHandle handle = feed->handle;
  RustleStatus status;
  switch (below(5)) {
    case 0: status = rustle_feed_start_candles(handle, &wanted, 1000000, 0, &policy, sink, &session, &error); break;
    case 1: status = rustle_feed_start_statistics(handle, &wanted, 1000000, &policy, sink, &session, &error); break;
    case 2: status = rustle_feed_start_alerts(handle, &threshold, 1, &policy, sink, &session, &error); break;
    case 3: status = rustle_feed_start_notices(handle, below(3), fine ? 1 : 0, sink, &session, &error); break;
    default: status = rustle_feed_start_quotes(handle, &wanted, &policy, sink, &session, &error);
  }
  if (status == RUSTLE_INVALID_VALUE && !fine) {
    free(context);
    return;
  }
  if (!started(status, &error, feed, FEED, session, fine)) free(context);
}

static void start(void) {
  if (below(3) == 0) {
    start_feed();
    return;
  }
  if (below(2) == 0) {
    start_sound(below(2) == 0 ? CAPTURE : PLAYBACK);
    return;
  }
  static const char *const all[] = {"BTC", "ETH", "SOL", "BTC", "", "A B"};
  RustleString symbols[3];
  uint32_t fine = below(4) != 0;
  uint32_t count = fine ? 1 + below(3) : below(4), lane = fine ? below(4) : below(5), capacity = fine ? 1 : below(3);
  for (uint32_t i = 0; i < count; i++) {
    const char *name = all[fine ? i : below(6)];
    symbols[i] = (RustleString){(const uint8_t *)name, strlen(name)};
  }
  void *context = malloc(16);
  RustleSink sink = {context, on_signal, on_release};
  RustleHandle session = 0;
  RustleError error;
  Entry *ticker = any_entry(TICKER);
  RustleStatus status = rustle_ticker_start(ticker->handle, symbols, count, lane, capacity, sink, &session, &error);
  if (!started(status, &error, ticker, TICKER, session, fine)) free(context);
}

static void new_sound(void) {
  Entry *runtime = below(2) == 0 ? entry_of(0) : any_entry(RUNTIME);
  int fine = below(8) != 0, captures = below(2) == 0;
  RustleSoundConfiguration configuration = {.device = {(const uint8_t *)"demo", 4},
                                            .frame_limit = below(4),
                                            .runtime = runtime->handle,
                                            .sample_rate = fine ? 1000 : 0,
                                            .channels = 1 + below(2),
                                            .period = 1};
  RustleHandle made = 0;
  RustleStatus status = captures ? rustle_capture_new(&configuration, &made, NULL)
                                 : rustle_playback_new(&configuration, &made, NULL);
  if (runtime->handle != 0 && !serves(runtime, RUNTIME)) EXPECT(status == RUSTLE_STALE_HANDLE);
  else EXPECT(status == (fine ? RUSTLE_OK : RUSTLE_INVALID_VALUE));
  if (status == RUSTLE_OK) know(made, captures ? CAPTURE : PLAYBACK);
}

static void new_feed(void) {
  static const RustleString symbol = {(const uint8_t *)"BTC", 3};
  Entry *runtime = below(2) == 0 ? entry_of(0) : any_entry(RUNTIME);
  int fine = below(8) != 0;
  RustleSimulatedFeed configuration = {.symbols = &symbol,
                                       .symbol_count = 1,
                                       .updates_per_second = fine ? 10000 : -1,
                                       .update_limit = below(4),
                                       .runtime = runtime->handle,
                                       .model = below(2)};
  RustleHandle made = 0;
  RustleStatus status = rustle_feed_new_simulated(&configuration, &made, NULL);
  if (runtime->handle != 0 && !serves(runtime, RUNTIME)) EXPECT(status == RUSTLE_STALE_HANDLE);
  else EXPECT(status == (fine ? RUSTLE_OK : RUSTLE_RATE_OUT_OF_RANGE));
  if (status == RUSTLE_OK) know(made, FEED);
}

static void new_ticker(void) {
  Entry *runtime = below(2) == 0 ? entry_of(0) : any_entry(RUNTIME);
  int fine = below(8) != 0;
  RustleTickerConfiguration configuration = {
      .updates_per_second = fine ? 10000 : -1, .update_limit = below(4), .runtime = runtime->handle};
  RustleHandle made = 0;
  RustleStatus status = rustle_ticker_new(&configuration, &made, NULL);
  if (runtime->handle != 0 && !serves(runtime, RUNTIME)) EXPECT(status == RUSTLE_STALE_HANDLE);
  else EXPECT(status == (fine ? RUSTLE_OK : RUSTLE_RATE_OUT_OF_RANGE));
  if (status == RUSTLE_OK) know(made, TICKER);
}

static void new_stft(int fine) {
  RustleStftConfiguration configuration = {.size = FRAME, .hop = fine ? FRAME : 0};
  RustleHandle made = 0;
  RustleStatus status = rustle_stft_new(&configuration, &made, NULL);
  EXPECT((status == RUSTLE_OK) == fine);
  if (fine) know(made, STFT);
}

static void new_stream(void) {
  Entry *stft = any_entry(STFT);
  RustleHandle made = 0;
  RustleStatus status = rustle_stft_stream_new(stft->handle, &made, NULL);
  fits(status, stft, STFT, RUSTLE_OK);
  if (status == RUSTLE_OK) know(made, STREAM);
}

static const RustleEqualizerBand band = {.frequency = 1000, .gain = 6, .q = 1.4, .kind = RUSTLE_BAND_PEAKING};
static const RustleEqualizerSettings settings = {.left = &band, .left_count = 1, .right = &band, .right_count = 1};

static void new_equalizer(int fine) {
  RustleHandle made = 0;
  EXPECT((rustle_equalizer_new(fine ? 48000 : 0, 2, 1, below(2) == 0 ? NULL : &settings, &made, NULL) == RUSTLE_OK) == fine);
  if (fine) know(made, EQUALIZER);
}

static void new_meter(int fine) {
  static const uint32_t channels[2] = {RUSTLE_CHANNEL_FRONT, RUSTLE_CHANNEL_FRONT};
  RustleMeterConfiguration configuration = {
      .sample_rate = fine ? 8000 : 7, .channels = channels, .channel_count = 2, .metered = RUSTLE_CHANNEL_ALL};
  RustleHandle made = 0;
  EXPECT((rustle_meter_new(&configuration, &made, NULL) == RUSTLE_OK) == fine);
  if (fine) know(made, METER);
}

static RustlePitchConfiguration pitch_configuration(int fine) {
  return (RustlePitchConfiguration){.sample_rate = 8000,
                                    .lowest = 100,
                                    .highest = fine ? 1000 : 50,
                                    .method = RUSTLE_PITCH_YIN,
                                    .window = 256,
                                    .hop = FRAME};
}

static void new_pitch(int fine) {
  RustlePitchConfiguration configuration = pitch_configuration(fine);
  RustleHandle made = 0;
  EXPECT((rustle_pitch_new(&configuration, &made, NULL) == RUSTLE_OK) == fine);
  if (fine) know(made, PITCH);
}

static void new_voice(int fine) {
  RustleVoiceConfiguration configuration = {.sample_rate = fine ? 8000 : 7, .lowest = 400, .highest = 500};
  RustleHandle made = 0;
  EXPECT((rustle_voice_new(&configuration, &made, NULL) == RUSTLE_OK) == fine);
  if (fine) know(made, VOICE);
}

static void new_plan(void) {
  RustleHandle made = 0;
  int fine = below(4) != 0;
  switch (below(8)) {
    case 0: new_stft(fine); return;
    case 1: new_stream(); return;
    case 3: new_equalizer(fine); return;
    case 4: new_meter(fine); return;
    case 5: new_pitch(fine); return;
    case 6: new_voice(fine); return;
    case 2:
      EXPECT((rustle_fft_inverse_new(fine ? FRAME : 1, RUSTLE_PATH_PREFERRED, &made, NULL) == RUSTLE_OK) == fine);
      if (fine) know(made, INVERSE);
      return;
    default: break;
  }
  RustleStatus status = rustle_fft_plan_new(fine ? FRAME : FRAME + 1, RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_PERIODIC,
                                            RUSTLE_SCALE_NONE, &made, NULL);
  EXPECT((status == RUSTLE_OK) == fine);
  if (fine) know(made, PLAN);
}

static void equalize(void) {
  float block[FRAME] = {0.5f};
  Entry *entry = any_entry(EQUALIZER);
  RustleStatus status;
  switch (below(4)) {
    case 0: status = rustle_equalizer_change(entry->handle, &settings, NULL); break;
    case 1: status = rustle_equalizer_set_bypassed(entry->handle, below(2), NULL); break;
    case 2: status = rustle_equalizer_reset(entry->handle, NULL); break;
    default: status = rustle_equalizer_process(entry->handle, block, FRAME, NULL);
  }
  fits(status, entry, EQUALIZER, RUSTLE_OK);
}

static void measure(void) {
  float block[FRAME] = {0.5f};
  double level = 0, centre = 0;
  size_t count = 0;
  RustleMeterReading reading;
  Entry *entry = any_entry(METER);
  RustleStatus status;
  switch (below(5)) {
    case 0: status = rustle_meter_read(entry->handle, &reading, NULL); break;
    case 1: status = rustle_meter_exceeded(entry->handle, 10, &level, NULL); break;
    case 2: status = rustle_meter_bands(entry->handle, &centre, &level, 1, &count, NULL); break;
    case 3: status = rustle_meter_restart(entry->handle, NULL); break;
    default: status = rustle_meter_process(entry->handle, block, FRAME, NULL);
  }
  fits(status, entry, METER, RUSTLE_OK);
}

static void track(void) {
  static float samples[512];
  RustlePitchConfiguration configuration = pitch_configuration(1);
  RustlePitchDescription description;
  RustlePitchFrame frames[2];
  size_t taken = 0, written = 0, length = below(513), room = below(3);
  Entry *entry = any_entry(PITCH);
  RustleStatus status;
  switch (below(5)) {
    case 0: status = rustle_pitch_describe(entry->handle, &description, NULL); break;
    case 1: status = rustle_pitch_reset(entry->handle, NULL); break;
    case 2:
      status = rustle_pitch_contour(&configuration, below(2), samples, length, NULL, 0, &written, NULL);
      EXPECT(status == RUSTLE_OK && written == (length < 256 ? 0 : 1 + (length - 256) / FRAME));
      return;
    default:
      status = rustle_pitch_process(entry->handle, samples, length, frames, room, &taken, &written, NULL);
      EXPECT(taken <= length && written <= room);
      // Samples are left only where the next one would complete a frame that has no room.
      if (status == RUSTLE_OK && taken < length) EXPECT(written == room);
  }
  fits(status, entry, PITCH, RUSTLE_OK);
}

static void listen(void) {
  float block[FRAME] = {0.5f};
  size_t taken = 0, written = 0;
  RustleVoiceFrame frame;
  RustleVoiceSummary summary;
  RustleVoiceDescription description;
  Entry *entry = any_entry(VOICE);
  RustleStatus status;
  switch (below(8)) {
    case 0: status = rustle_voice_describe(entry->handle, &description, NULL); break;
    case 1: status = rustle_voice_summary(entry->handle, &summary, NULL); break;
    case 2: status = rustle_voice_reset(entry->handle, NULL); break;
    default: status = rustle_voice_process(entry->handle, block, FRAME, &frame, 1, &taken, &written, NULL);
  }
  fits(status, entry, VOICE, RUSTLE_OK);
}

static void transform(void) {
  static float input[FRAME + 2], output[4 * (FRAME / 2 + 1)];
  size_t taken = 0, frames = 0;
  Entry *entry;
  switch (below(8)) {
    case 4: equalize(); break;
    case 5: measure(); break;
    case 6: track(); break;
    case 7: listen(); break;
    case 0:
      entry = any_entry(INVERSE);
      fits(rustle_fft_inverse_samples(entry->handle, input, FRAME + 2, output, FRAME, NULL, 0, NULL), entry, INVERSE,
           RUSTLE_OK);
      break;
    case 1:
      entry = any_entry(STREAM);
      fits(rustle_stft_stream_push(entry->handle, input, below(FRAME + 1), output, 4 * (FRAME / 2 + 1), &taken, &frames, NULL),
           entry, STREAM, RUSTLE_WRONG_STATE);
      break;
    case 2:
      entry = any_entry(STREAM);
      fits(rustle_stft_stream_finish(entry->handle, output, 4 * (FRAME / 2 + 1), &frames, NULL), entry, STREAM,
           RUSTLE_WRONG_STATE);
      break;
    default:
      entry = any_entry(PLAN);
      fits(rustle_fft_magnitudes(entry->handle, input, FRAME, output, FRAME / 2, NULL, 0, NULL), entry, PLAN, RUSTLE_OK);
  }
}

// As `on_session`, for a session of a feed.
static void on_feed_session(void) {
  static RustleQuote quotes[4];
  static RustleCandle candles[4];
  static RustlePriceStatistics statistics[4];
  static RustlePriceAlert alerts[4];
  static RustleFeedNotice notices[4];
  const RustleString symbol = {(const uint8_t *)"BTC", 3};
  uint8_t name[RUSTLE_SYMBOL_CAPACITY];
  size_t count = 0;
  uint64_t omitted = 0;
  Entry *entry = any_entry(SESSION);
  RustleHandle handle = entry->handle;
  RustleStatus status;
  switch (below(8)) {
    case 0: status = rustle_feed_drain_quotes(handle, quotes, below(5), &count, NULL, NULL); break;
    case 1: status = rustle_feed_drain_candles(handle, candles, below(5), &count, NULL, NULL); break;
    case 2: status = rustle_feed_drain_statistics(handle, statistics, below(5), &count, NULL, NULL); break;
    case 3: status = rustle_feed_drain_alerts(handle, alerts, below(5), &count, NULL, NULL); break;
    case 4: status = rustle_feed_drain_notices(handle, notices, below(5), &count, NULL, NULL); break;
    case 5: status = rustle_feed_symbol(handle, below(2), name, sizeof name, &count, NULL); break;
    case 6: status = (below(2) ? rustle_feed_late : rustle_feed_evicted)(handle, &omitted, NULL); break;
    default:
      status = rustle_feed_subscribe(handle, &symbol, below(2), &symbol, below(2), NULL);
      if (status == RUSTLE_WRONG_STATE && serves(entry, SESSION)) return;  // It may be over.
  }
  fits(status, entry, SESSION, RUSTLE_INVALID_VALUE);
}

// The source of a feed, and what is told of it.
static void on_feed(void) {
  RustleFeedCounts counts;
  Entry *entry = any_entry(FEED);
  if (below(4) == 0) fits(rustle_feed_counts(entry->handle, &counts, NULL), entry, FEED, RUSTLE_OK);
  else if (below(4) == 0) fits(rustle_feed_tell(entry->handle, 1, 0, 0, (RustleString){NULL, 0}, NULL), entry, FEED, RUSTLE_WRONG_SOURCE);
  else fits(rustle_feed_run(entry->handle, NULL), entry, FEED, RUSTLE_SHUT_DOWN);
}

// The calls of a session that its own engine serves and the others do not.
static void on_session(void) {
  static RustlePriceUpdate updates[4];
  static RustleSoundBlock blocks[4];
  static RustlePlaybackProgress records[4];
  static const float samples[8];
  size_t count = 0;
  Entry *entry = any_entry(SESSION);
  RustleStatus status;
  switch (below(5)) {
    case 0: status = rustle_ticker_drain(entry->handle, updates, below(5), &count, NULL, NULL); break;
    case 1: status = rustle_capture_drain(entry->handle, blocks, below(5), &count, NULL, NULL); break;
    case 2: status = rustle_playback_drain(entry->handle, records, below(5), &count, NULL, NULL); break;
    case 3: status = rustle_playback_write(entry->handle, samples, 2 * below(5), &count, NULL); break;
    default: status = rustle_playback_finish(entry->handle, NULL);
  }
  fits(status, entry, SESSION, RUSTLE_INVALID_VALUE);
}

// Cancels the sessions of an engine, or shuts it down.
static void end_engine(int for_good) {
  Kind kind = TICKER + below(4);
  Entry *entry = any_entry(kind);
  RustleStatus status;
  switch (kind) {
    case TICKER: status = (for_good ? rustle_ticker_shut_down : rustle_ticker_cancel)(entry->handle, NULL); break;
    case FEED: status = (for_good ? rustle_feed_shut_down : rustle_feed_cancel)(entry->handle, NULL); break;
    case CAPTURE: status = (for_good ? rustle_capture_shut_down : rustle_capture_cancel)(entry->handle, NULL); break;
    default: status = (for_good ? rustle_playback_shut_down : rustle_playback_cancel)(entry->handle, NULL);
  }
  fits(status, entry, kind, RUSTLE_OK);
}

static void one_call(void) {
  Entry *entry;
  switch (below(16)) {
    case 0:
      switch (below(3)) {
        case 0: new_ticker(); break;
        case 1: new_feed(); break;
        default: new_sound();
      }
      break;
    case 1:
    case 2:
    case 3:
    case 4: start(); break;
    case 5:
      entry = any_entry(SESSION);
      fits(rustle_session_cancel(entry->handle, NULL), entry, SESSION, RUSTLE_OK);
      break;
    case 6: free_any(SESSION); break;
    case 7: free_any(TICKER + below(4)); break;
    case 8: end_engine(0); break;
    case 9:
      switch (below(3)) {
        case 0: on_feed(); break;
        case 1: on_feed_session(); break;
        default: on_session();
      }
      break;
    case 10: {
      RustleHandle made = 0;
      if (below(16) == 0 && rustle_runtime_new_manual(0, &made, NULL) == RUSTLE_OK) know(made, RUNTIME);
      break;
    }
    case 11:
      entry = any_entry(RUNTIME);
      fits(rustle_runtime_advance(entry->handle, 1000000, NULL), entry, RUNTIME, RUSTLE_OK);
      break;
    case 12: free_any(RUNTIME); break;
    case 13: new_plan(); break;
    case 14:
      if (below(2) == 0) free_any(PLAN + below(KINDS - PLAN));
      else transform();
      break;
    default:
      if (below(8) == 0) end_engine(1);
  }
}

// Frees what is live, each with its own function, and sees that no other function takes it.
static void free_all(void) {
  for (size_t i = 0; i < known_count; i++) {
    for (Kind kind = SESSION; kind < KINDS; kind++) {
      if (kind != known[i].kind) EXPECT(free_as(kind, known[i].handle) == RUSTLE_STALE_HANDLE);
    }
    RustleStatus status = free_as(known[i].kind, known[i].handle);
    EXPECT(status == (known[i].live ? RUSTLE_OK : RUSTLE_STALE_HANDLE));
  }
  known_count = 0;
}

int main(int argc, char **argv) {
  long sequences = argc > 1 ? atol(argv[1]) : 20000;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  EXPECT(sequences > 0);
  for (long n = 0; n < sequences; n++) {
    for (uint32_t calls = 2 + below(7); calls > 0; calls--) one_call();
    if (known_count > 64) free_all();
  }
  free_all();
  free(known);
  // The last releases come from the workers in their own time.
  while (atomic_load(&released) < atomic_load(&taken) || rustle_live_objects() > 0) sched_yield();
  EXPECT(atomic_load(&released) == atomic_load(&taken));
  for (Kind kind = SESSION; kind < KINDS; kind++) EXPECT(served[kind] > 0);
  printf("%ld sequences, %ld sessions, %ld releases; served:", sequences, atomic_load(&taken), atomic_load(&released));
  for (Kind kind = SESSION; kind < KINDS; kind++) printf(" %ld %s", served[kind], names[kind]);
  printf("\n");
  return 0;
}
