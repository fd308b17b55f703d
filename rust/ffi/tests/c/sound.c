// Sound from plain C: captures, playbacks, equalizers and meters give what they promise, and refuse what they must.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define MILLISECOND 1000000ull
#define RATE 48000
#define PI 3.14159265358979323846
#define IS(call, expected) refused((call), (expected), &error)

static RustleError error;

static void refused(int32_t got, int32_t expected, const RustleError *record) {
  if (got != expected) fprintf(stderr, "status %d: %.*s\n", got, (int)record->message_length, record->message);
  EXPECT(got == expected && record->status == expected && record->message_length > 0);
}

static int close_to(double got, double expected, double tolerance) {
  if (fabs(got - expected) <= tolerance) return 1;
  fprintf(stderr, "expected %g within %g, got %g\n", expected, tolerance, got);
  return 0;
}

typedef struct {
  atomic_int signals, releases, reason;
} Probe;

static void on_signal(void *context, const void *event) {
  (void)event;
  atomic_fetch_add(&((Probe *)context)->signals, 1);
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  Probe *probe = context;
  EXPECT(length == 0 && message != NULL);
  atomic_store(&probe->reason, reason);
  atomic_fetch_add(&probe->releases, 1);
}

static RustleHandle manual_runtime(void) {
  RustleHandle runtime = 0;
  RustleManualRuntime start = {.wall_ms = 0};
  EXPECT(rustle_runtime_new_manual(&start, &runtime, NULL) == RUSTLE_OK);
  return runtime;
}

static RustleSoundConfiguration configuration(const char *device, RustleHandle runtime, uint64_t limit) {
  return (RustleSoundConfiguration){.device = {(const uint8_t *)device, strlen(device)},
                                    .frame_limit = limit,
                                    .runtime = runtime,
                                    .sample_rate = RATE,
                                    .channels = 2,
                                    .period = 480};
}

static const RustleLaneRequest events = {.lane = RUSTLE_LANE_EVENTS};

static RustleLaneRequest ring(size_t capacity) {
  return (RustleLaneRequest){.capacity = capacity, .lane = RUSTLE_LANE_DROP_OLDEST};
}

static void capture_gives_each_frame_once(void) {
  RustleHandle runtime = manual_runtime(), capture = 0, session = 0;
  RustleSoundConfiguration demo = configuration("demo", runtime, 1000);
  EXPECT(rustle_capture_new(&demo, &capture, NULL) == RUSTLE_OK);
  Probe probe = {0};
  RustleSink sink = {&probe, on_signal, on_release};
  RustleLaneRequest request = ring(64);
  EXPECT(rustle_capture_start(capture, &request, sink, &session, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 100 * MILLISECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 1 && atomic_load(&probe.reason) == RUSTLE_RELEASE_ENDED);
  static RustleSoundBlock blocks[64];
  RustleLaneStatistics statistics;
  size_t count = 0;
  EXPECT(rustle_capture_drain(session, blocks, 64, &count, &statistics, NULL) == RUSTLE_OK);
  EXPECT(count == statistics.produced && count > 0);
  uint64_t frames = 0;
  for (size_t n = 0; n < count; n++) {
    EXPECT(blocks[n].sequence == n && blocks[n].position == frames && blocks[n].channels == 2);
    EXPECT(blocks[n].gap == 0 && blocks[n].lost == 0 && blocks[n].overruns == 0);
    for (uint32_t frame = 0; frame < blocks[n].frames; frame++) {
      // At the beginning the tones of 440 and 660 Hz are at -60 dBFS, and hardly louder after 20 ms.
      double seconds = (double)(frames + frame) / RATE;
      EXPECT(close_to(blocks[n].samples[2 * frame], 0.001 * sin(2 * PI * 440 * seconds), 3e-5));
      EXPECT(close_to(blocks[n].samples[2 * frame + 1], 0.001 * sin(2 * PI * 660 * seconds), 3e-5));
    }
    frames += blocks[n].frames;
  }
  EXPECT(frames == 1000);
  RustlePlaybackProgress record;
  IS(rustle_playback_drain(session, &record, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_playback_finish(session, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_playback_write(session, NULL, 0, &count, &error), RUSTLE_INVALID_VALUE);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  IS(rustle_capture_drain(session, blocks, 1, &count, NULL, &error), RUSTLE_STALE_HANDLE);
  EXPECT(rustle_capture_free(capture, NULL) == RUSTLE_OK);
  IS(rustle_capture_cancel(capture, &error), RUSTLE_STALE_HANDLE);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

static void playback_takes_what_finds_room_and_ends_when_told(void) {
  RustleHandle runtime = manual_runtime(), playback = 0, session = 0;
  RustleSoundConfiguration demo = configuration("demo", runtime, 0);
  EXPECT(rustle_playback_new(&demo, &playback, NULL) == RUSTLE_OK);
  Probe probe = {0};
  RustleSink sink = {&probe, on_signal, on_release};
  RustleLaneRequest request = ring(256);
  EXPECT(rustle_playback_start(playback, &request, sink, &session, NULL) == RUSTLE_OK);
  // The first period is due at once: it is of silence, whoever is faster.
  EXPECT(rustle_runtime_advance(runtime, 0, NULL) == RUSTLE_OK);
  static float sound[2 * RATE];
  union {
    size_t count;
    float samples[2];
  } shared;
  size_t taken = 0;
  IS(rustle_playback_write(session, sound, 3, &taken, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_playback_write(session, NULL, 2, &taken, &error), RUSTLE_NULL_POINTER);
  IS(rustle_playback_write(session, sound, 2, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_playback_write(session, shared.samples, 2, &shared.count, &error), RUSTLE_INVALID_VALUE);
  EXPECT(taken == 0);
  // Half a second of stereo.
  EXPECT(rustle_playback_write(session, sound, 2 * RATE, &taken, NULL) == RUSTLE_OK && taken == RATE);
  EXPECT(rustle_playback_write(session, sound, 2, &taken, NULL) == RUSTLE_OK && taken == 0);
  EXPECT(rustle_runtime_advance(runtime, 100 * MILLISECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 0);
  EXPECT(rustle_playback_finish(session, NULL) == RUSTLE_OK && rustle_playback_finish(session, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 1000 * MILLISECOND, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 1 && atomic_load(&probe.reason) == RUSTLE_RELEASE_ENDED);
  static RustlePlaybackProgress records[256];
  size_t count = 0;
  EXPECT(rustle_playback_drain(session, records, 256, &count, NULL, NULL) == RUSTLE_OK && count == 51);
  for (size_t n = 0; n < count; n++) {
    EXPECT(records[n].sequence == n && records[n].played == 480 * n && records[n].position == 480 * (n + 1));
    EXPECT(records[n].queued == (n == 0 ? 0 : RATE / 2 - records[n].played));
    EXPECT(records[n].starved == 0 && records[n].gap == 0);
  }
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  IS(rustle_playback_finish(session, &error), RUSTLE_STALE_HANDLE);
  EXPECT(rustle_playback_free(playback, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
}

typedef RustleStatus (*New)(const RustleSoundConfiguration *, RustleHandle *, RustleError *);
typedef RustleStatus (*Start)(RustleHandle, const RustleLaneRequest *, RustleSink, RustleHandle *, RustleError *);
typedef RustleStatus (*Handle)(RustleHandle, RustleError *);

static void devices_refuse(New make, Start start, Handle shut_down, Handle cancel, Handle free_it) {
  RustleHandle engine = 0, session = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_signal, on_release}, half = {&probe, on_signal, NULL};
  RustleSoundConfiguration good = configuration("demo", 0, 0), bad = good;
  IS(make(NULL, &engine, &error), RUSTLE_NULL_POINTER);
  IS(make(&good, NULL, &error), RUSTLE_NULL_POINTER);
#define CHANGED(field, value, status) (bad = good, bad.field = (value), IS(make(&bad, &engine, &error), status))
  CHANGED(sample_rate, 0, RUSTLE_INVALID_VALUE);
  CHANGED(sample_rate, 1000001, RUSTLE_INVALID_VALUE);
  CHANGED(channels, 0, RUSTLE_INVALID_VALUE);
  CHANGED(channels, 33, RUSTLE_INVALID_VALUE);
  CHANGED(period, 0, RUSTLE_INVALID_VALUE);
  CHANGED(period, 65537, RUSTLE_INVALID_VALUE);
  CHANGED(reserved, 1, RUSTLE_INVALID_VALUE);
  CHANGED(runtime, 77, RUSTLE_STALE_HANDLE);
  CHANGED(device.data, NULL, RUSTLE_NULL_POINTER);
  CHANGED(device.data, (const uint8_t *)"\xff\xfe\xff\xfe", RUSTLE_INVALID_UTF8);
  CHANGED(device.length, SIZE_MAX, RUSTLE_INVALID_LENGTH);
  EXPECT(engine == 0);
  // A name is tried by each start.
  bad = configuration("no such device", 0, 0);
  EXPECT(make(&bad, &engine, NULL) == RUSTLE_OK);
  RustleStatus status = start(engine, &events, sink, &session, &error);
  EXPECT(status == RUSTLE_DEVICE_NOT_FOUND || status == RUSTLE_NO_SOUND_LIBRARY);
  EXPECT(error.status == status && error.message_length > 0);
  EXPECT(free_it(engine, NULL) == RUSTLE_OK);

  EXPECT(make(&good, &engine, NULL) == RUSTLE_OK);
  RustleLaneRequest unknown = {.capacity = 1, .lane = 9}, reserved = {.capacity = 1, .reserved = 1};
  RustleLaneRequest none = ring(0), many = ring(1048577);
  IS(start(engine, &unknown, sink, &session, &error), RUSTLE_INVALID_VALUE);
  IS(start(engine, &reserved, sink, &session, &error), RUSTLE_INVALID_VALUE);
  IS(start(engine, &none, sink, &session, &error), RUSTLE_INVALID_LENGTH);
  IS(start(engine, &many, sink, &session, &error), RUSTLE_INVALID_LENGTH);
  IS(start(engine, NULL, sink, &session, &error), RUSTLE_NULL_POINTER);
  IS(start(engine, &events, half, &session, &error), RUSTLE_NULL_POINTER);
  IS(start(engine, &events, sink, NULL, &error), RUSTLE_NULL_POINTER);
  IS(start(engine + 1, &events, sink, &session, &error), RUSTLE_STALE_HANDLE);
  EXPECT(atomic_load(&probe.signals) == 0 && session == 0);
  EXPECT(start(engine, &events, sink, &session, NULL) == RUSTLE_OK);
  EXPECT(cancel(engine, NULL) == RUSTLE_OK && cancel(engine, NULL) == RUSTLE_OK);
  UNTIL(atomic_load(&probe.releases) == 1);
  EXPECT(atomic_load(&probe.reason) == RUSTLE_RELEASE_CANCELLED);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(shut_down(engine, NULL) == RUSTLE_OK && shut_down(engine, NULL) == RUSTLE_OK);
  IS(start(engine, &events, sink, &session, &error), RUSTLE_SHUT_DOWN);
  EXPECT(free_it(engine, NULL) == RUSTLE_OK);
  IS(free_it(engine, &error), RUSTLE_STALE_HANDLE);
  EXPECT(atomic_load(&probe.releases) == 1);
}

static void on_device(void *context, const RustleSoundDevice *device) {
  *(size_t *)context += 1;
  EXPECT(device->name.length > 0 && (device->captures != 0 || device->plays != 0));
}

static void devices_are_shown(void) {
  size_t count = 0;
  RustleStatus status = rustle_sound_devices(on_device, &count, &error);
  EXPECT(status == RUSTLE_OK || (status == RUSTLE_NO_SOUND_LIBRARY && count == 0));
  IS(rustle_sound_devices(NULL, &count, &error), RUSTLE_NULL_POINTER);
}

// A sine whose mean square is -20 dB, on one channel.
static float tone[10 * RATE];

static void make_tone(double frequency) {
  for (size_t n = 0; n < sizeof tone / sizeof *tone; n++) {
    tone[n] = (float)(0.1 * sqrt(2) * sin(2 * PI * fmod(frequency * (double)n / RATE, 1)));
  }
}

// The level of the second half of the tone, in dB.
static double level_of_tone(void) {
  double sum = 0;
  for (size_t n = 5 * RATE; n < 10 * RATE; n++) sum += (double)tone[n] * tone[n];
  return 10 * log10(sum / (5 * RATE));
}

static const RustleEqualizerBand band = {.frequency = 1000, .gain = 6, .q = 1.4, .kind = RUSTLE_BAND_PEAKING};

static void equalizer_amplifies_as_its_curve_says(void) {
  RustleEqualizerSettings settings = {.left = &band, .left_count = 1};
  RustleHandle equalizer = 0;
  RustleEqualizerConfiguration configuration = {.sample_rate = RATE, .channels = 1, .bands = 2, .settings = settings};
  EXPECT(rustle_equalizer_new(&configuration, &equalizer, NULL) == RUSTLE_OK);
  double frequencies[2] = {1000, 2000}, left[2], right[2], preamp = 1, distance = 1;
  EXPECT(rustle_equalizer_response(&settings, RATE, frequencies, 2, left, 2, right, 2, NULL) == RUSTLE_OK);
  EXPECT(close_to(left[0], 6, 1e-3) && left[1] > 0 && left[1] < 3 && right[0] == 0 && right[1] == 0);
  for (int k = 0; k < 2; k++) {
    make_tone(frequencies[k]);
    EXPECT(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL) == RUSTLE_OK);
    EXPECT(close_to(level_of_tone(), -20 + left[k], 1e-3));
  }
  EXPECT(rustle_equalizer_preamp(&settings, RATE, &preamp, NULL) == RUSTLE_OK && close_to(preamp, -6, 1e-3));
  // Twice 6 dB for a tone that two bands share is too much: the solution has less gain and meets both.
  RustleEqualizerBand bands[2] = {band, band};
  bands[1].frequency = 2000;
  double targets[2] = {6, 6}, gains[2] = {0};
  EXPECT(rustle_equalizer_solve(bands, 2, targets, 2, RATE, gains, 2, &distance, NULL) == RUSTLE_OK && distance < 0.01);
  for (int k = 0; k < 2; k++) bands[k].gain = gains[k];
  settings.left = bands;
  settings.left_count = 2;
  EXPECT(rustle_equalizer_response(&settings, RATE, frequencies, 2, left, 2, right, 2, NULL) == RUSTLE_OK);
  EXPECT(close_to(left[0], 6, 0.01) && close_to(left[1], 6, 0.01) && bands[0].gain < 6);
  EXPECT(rustle_equalizer_change(equalizer, &settings, NULL) == RUSTLE_OK);
  make_tone(2000);
  EXPECT(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL) == RUSTLE_OK && close_to(level_of_tone(), -14, 0.02));
  EXPECT(rustle_equalizer_set_bypassed(equalizer, 1, NULL) == RUSTLE_OK && rustle_equalizer_reset(equalizer, NULL) == RUSTLE_OK);
  make_tone(1000);
  static float before[10 * RATE];
  memcpy(before, tone, sizeof tone);
  EXPECT(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL) == RUSTLE_OK);
  EXPECT(memcmp(before, tone, sizeof tone) == 0);
  EXPECT(rustle_equalizer_free(equalizer, NULL) == RUSTLE_OK);
}

static void equalizer_refuses(void) {
  RustleHandle equalizer = 0;
  RustleEqualizerBand many[65], bad;
  for (int k = 0; k < 65; k++) many[k] = band;
  RustleEqualizerSettings good = {.left = &band, .left_count = 1}, wrong = good;
  double a[2] = {1000, 2000}, b[2] = {7, 7}, c[2];
  RustleEqualizerConfiguration fit = {.sample_rate = RATE, .channels = 2, .bands = 2, .settings = good}, unfit;
#define WITHOUT(field, value, status) (unfit = fit, unfit.field = (value), IS(rustle_equalizer_new(&unfit, &equalizer, &error), status))
  WITHOUT(sample_rate, NAN, RUSTLE_INVALID_VALUE);
  WITHOUT(channels, 0, RUSTLE_INVALID_VALUE);
  WITHOUT(channels, 3, RUSTLE_INVALID_VALUE);
  WITHOUT(bands, 65, RUSTLE_INVALID_LENGTH);
  WITHOUT(bands, 0, RUSTLE_INVALID_LENGTH);
  WITHOUT(settings.left, NULL, RUSTLE_NULL_POINTER);
  IS(rustle_equalizer_new(NULL, &equalizer, &error), RUSTLE_NULL_POINTER);
  IS(rustle_equalizer_new(&fit, NULL, &error), RUSTLE_NULL_POINTER);
  EXPECT(equalizer == 0);
  EXPECT(rustle_equalizer_new(&fit, &equalizer, NULL) == RUSTLE_OK);
#define CHANGE(field, value, status) \
  (bad = band, bad.field = (value), wrong.left = &bad, IS(rustle_equalizer_change(equalizer, &wrong, &error), status))
  CHANGE(frequency, 24000, RUSTLE_INVALID_VALUE);
  CHANGE(frequency, 0.047, RUSTLE_INVALID_VALUE);
  CHANGE(frequency, NAN, RUSTLE_INVALID_VALUE);
  CHANGE(gain, 24.5, RUSTLE_INVALID_VALUE);
  CHANGE(q, 0, RUSTLE_INVALID_VALUE);
  CHANGE(kind, 5, RUSTLE_INVALID_VALUE);
  CHANGE(reserved, 1, RUSTLE_INVALID_VALUE);
  wrong = (RustleEqualizerSettings){.left = NULL, .left_count = 1};
  IS(rustle_equalizer_change(equalizer, &wrong, &error), RUSTLE_NULL_POINTER);
  wrong = (RustleEqualizerSettings){.left = many, .left_count = 3};
  IS(rustle_equalizer_change(equalizer, &wrong, &error), RUSTLE_INVALID_LENGTH);
  wrong = (RustleEqualizerSettings){.preamp = INFINITY};
  IS(rustle_equalizer_change(equalizer, &wrong, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_equalizer_change(equalizer, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_equalizer_process(equalizer, tone, 3, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_equalizer_process(equalizer, NULL, 2, &error), RUSTLE_NULL_POINTER);
  IS(rustle_equalizer_process(equalizer, (float *)((char *)tone + 1), 2, &error), RUSTLE_INVALID_VALUE);
  wrong = (RustleEqualizerSettings){.left = many, .left_count = 65};
  IS(rustle_equalizer_preamp(&wrong, RATE, c, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_equalizer_response(&good, RATE, a, 2, b, 2, b, 2, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_equalizer_response(&good, RATE, a, 2, b, 2, NULL, 2, &error), RUSTLE_NULL_POINTER);
  IS(rustle_equalizer_response(&good, RATE, a, 2, b, 1, c, 2, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_equalizer_response(&good, RATE, a, 1, b, 1, c, 2, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_equalizer_response(&good, -1, a, 2, b, 2, c, 2, &error), RUSTLE_INVALID_VALUE);
  a[1] = INFINITY;
  IS(rustle_equalizer_response(&good, RATE, a, 2, b, 2, c, 2, &error), RUSTLE_INVALID_VALUE);
  EXPECT(b[0] == 7 && b[1] == 7);
  double gains[2] = {7, 7};
  IS(rustle_equalizer_solve(many, 2, a, 2, RATE, gains, 2, c, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_equalizer_solve(many, 2, b, 2, RATE, gains, 2, &many[1].gain, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_equalizer_solve(many, 2, b, 2, RATE, b, 2, c, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_equalizer_solve(many, 2, b, 1, RATE, gains, 2, c, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_equalizer_solve(many, 2, b, 2, RATE, gains, 1, c, &error), RUSTLE_INVALID_LENGTH);
  EXPECT(many[1].gain == 6 && gains[0] == 7 && gains[1] == 7 && b[0] == 7 && b[1] == 7);
  EXPECT(rustle_equalizer_free(equalizer, NULL) == RUSTLE_OK);
  IS(rustle_equalizer_free(equalizer, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_equalizer_process(equalizer, tone, 2, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_equalizer_set_bypassed(equalizer, 1, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_equalizer_reset(equalizer, &error), RUSTLE_STALE_HANDLE);
}

static const uint32_t mono[1] = {RUSTLE_CHANNEL_FRONT};

static RustleMeterConfiguration of_everything(void) {
  return (RustleMeterConfiguration){.sample_rate = RATE,
                                    .offset = 100,
                                    .channels = mono,
                                    .channel_count = 1,
                                    .metered = RUSTLE_CHANNEL_ALL,
                                    .weighting = RUSTLE_WEIGHTING_A,
                                    .time = RUSTLE_TIME_FAST,
                                    .loudness = 1,
                                    .bands = RUSTLE_BANDS_THIRD_OCTAVE};
}

static void meter_measures_a_tone(void) {
  RustleMeterConfiguration configuration = of_everything();
  RustleHandle meter = 0;
  RustleMeterReading reading;
  double level = 0, centres[40], levels[40];
  size_t count = 0;
  EXPECT(rustle_meter_new(&configuration, &meter, NULL) == RUSTLE_OK);
  make_tone(1000);
  EXPECT(rustle_meter_process(meter, tone, 10 * RATE, NULL) == RUSTLE_OK);
  EXPECT(rustle_meter_read(meter, &reading, NULL) == RUSTLE_OK);
  EXPECT(reading.seconds == 10 && reading.overloads == 0 && reading.reserved == 0);
  EXPECT(close_to(reading.equivalent, 80, 0.01) && close_to(reading.level, 80, 0.02) && close_to(reading.highest, 80, 0.05));
  // The filter overshoots a little where the tone sets in.
  EXPECT(close_to(reading.exposure, 90, 0.01) && reading.peak > 83 && reading.peak < 83.5);
  EXPECT(close_to(reading.integrated, -20, 0.05) && close_to(reading.momentary, -20, 0.05));
  EXPECT(close_to(reading.short_term, -20, 0.05) && close_to(reading.true_peak, -16.99, 0.1));
  // 120 sqrt((0.1 - m) / (1 - m)), m = 1e-4: silent.
  EXPECT(close_to(reading.place, 37.93, 0.05) && reading.noise_class == 0);
  EXPECT(rustle_meter_exceeded(meter, 50, &level, NULL) == RUSTLE_OK && close_to(level, 80, 0.1));
  EXPECT(rustle_meter_bands(meter, centres, 40, levels, 40, &count, NULL) == RUSTLE_OK && count >= 30 && count <= 40);
  int seen = 0;
  for (size_t n = 0; n < count; n++) {
    if (fabs(centres[n] - 1000) < 1) seen += close_to(levels[n], -20, 0.05);
    else EXPECT(levels[n] < -35);
  }
  EXPECT(seen == 1);
  centres[1] = levels[1] = 77;
  EXPECT(rustle_meter_bands(meter, centres, 1, levels, 1, &count, NULL) == RUSTLE_OK && count >= 30);
  EXPECT(centres[1] == 77 && levels[1] == 77);
  EXPECT(rustle_meter_bands(meter, centres, 2, levels, 1, &count, NULL) == RUSTLE_OK && count >= 30);
  EXPECT(centres[1] == 77 && levels[1] == 77);
  EXPECT(rustle_meter_restart(meter, NULL) == RUSTLE_OK && rustle_meter_read(meter, &reading, NULL) == RUSTLE_OK);
  EXPECT(reading.seconds == 0 && rustle_meter_exceeded(meter, 50, &level, NULL) == RUSTLE_OK && isnan(level));
  EXPECT(rustle_meter_free(meter, NULL) == RUSTLE_OK);
}

static void scale_has_its_five_classes(void) {
  // From a place to its power: a = m + (1 - m) (place / 120)^2.
  static const struct {
    double place;
    uint32_t below, at;
  } edges[] = {{50, 0, 1}, {75, 1, 2}, {90, 2, 3}, {100, 3, 4}};
  double place = 0;
  uint32_t noise_class = 9;
  for (size_t n = 0; n < sizeof edges / sizeof *edges; n++) {
    double power = 20 * log10(1e-4 + (1 - 1e-4) * pow(edges[n].place / 120, 2));
    EXPECT(rustle_noise_scale(power - 1e-9, &place, &noise_class, NULL) == RUSTLE_OK);
    EXPECT(close_to(place, edges[n].place, 1e-6) && noise_class == edges[n].below);
    EXPECT(rustle_noise_scale(power + 1e-9, &place, &noise_class, NULL) == RUSTLE_OK && noise_class == edges[n].at);
  }
  EXPECT(rustle_noise_scale(0, &place, &noise_class, NULL) == RUSTLE_OK && place == 120 && noise_class == 4);
  EXPECT(rustle_noise_scale(-INFINITY, &place, &noise_class, NULL) == RUSTLE_OK && place == 0 && noise_class == 0);
  IS(rustle_noise_scale(0, NULL, &noise_class, &error), RUSTLE_NULL_POINTER);
  IS(rustle_noise_scale(0, &place, NULL, &error), RUSTLE_NULL_POINTER);
  union {
    double place;
    uint32_t noise_class;
  } shared;
  IS(rustle_noise_scale(0, &shared.place, &shared.noise_class, &error), RUSTLE_INVALID_VALUE);
}

static void meter_refuses(void) {
  RustleMeterConfiguration good = of_everything(), bad;
  RustleHandle meter = 0;
  RustleMeterReading reading;
  RustleResponsePoint points[2] = {{1000, 0}, {100, 0}};
  static const uint32_t unknown[1] = {3};
  double numbers[4] = {7, 7, 7, 7};
  size_t count = 0;
  IS(rustle_meter_new(NULL, &meter, &error), RUSTLE_NULL_POINTER);
  IS(rustle_meter_new(&good, NULL, &error), RUSTLE_NULL_POINTER);
#define WITH(field, value, status) (bad = good, bad.field = (value), IS(rustle_meter_new(&bad, &meter, &error), status))
  WITH(sample_rate, 7999, RUSTLE_INVALID_VALUE);
  WITH(sample_rate, NAN, RUSTLE_INVALID_VALUE);
  WITH(offset, 301, RUSTLE_INVALID_VALUE);
  WITH(channels, NULL, RUSTLE_NULL_POINTER);
  WITH(channels, unknown, RUSTLE_INVALID_VALUE);
  WITH(channel_count, 0, RUSTLE_INVALID_VALUE);
  WITH(response_count, 2, RUSTLE_NULL_POINTER);
  WITH(metered, 1, RUSTLE_INVALID_VALUE);
  WITH(weighting, 3, RUSTLE_INVALID_VALUE);
  WITH(time, 2, RUSTLE_INVALID_VALUE);
  WITH(bands, 2, RUSTLE_INVALID_VALUE);
  WITH(reserved, 1, RUSTLE_INVALID_VALUE);
  bad = good;
  bad.response = points;
  bad.response_count = 2;
  IS(rustle_meter_new(&bad, &meter, &error), RUSTLE_INVALID_VALUE);
  EXPECT(meter == 0 && rustle_meter_new(&good, &meter, NULL) == RUSTLE_OK);
  IS(rustle_meter_process(meter, NULL, 1, &error), RUSTLE_NULL_POINTER);
  IS(rustle_meter_process(meter, tone, SIZE_MAX, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_meter_read(meter, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_meter_exceeded(meter, NAN, numbers, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_meter_exceeded(meter, -1, numbers, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_meter_exceeded(meter, 50, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_meter_bands(meter, numbers, 2, numbers + 1, 2, &count, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_meter_bands(meter, numbers, 2, NULL, 2, &count, &error), RUSTLE_NULL_POINTER);
  IS(rustle_meter_bands(meter, numbers, 2, numbers + 2, 2, NULL, &error), RUSTLE_NULL_POINTER);
  EXPECT(numbers[0] == 7 && numbers[3] == 7);
  EXPECT(rustle_meter_free(meter, NULL) == RUSTLE_OK);
  IS(rustle_meter_free(meter, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_meter_process(meter, tone, 1, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_meter_read(meter, &reading, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_meter_exceeded(meter, 50, numbers, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_meter_bands(meter, NULL, 0, NULL, 0, &count, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_meter_restart(meter, &error), RUSTLE_STALE_HANDLE);
}

// What the other thread works on: nearly all of its time is in that one call, so that it is soon met there, under valgrind too,
// which runs one thread at a time.
static atomic_int turn;
enum { EQUALIZER, METER, DONE };
static RustleHandle shared_equalizer, shared_meter;

static void *process_all_the_while(void *argument) {
  static float block[RATE];
  (void)argument;
  // A call that meets the other thread's is refused as well.
  for (int now; (now = atomic_load(&turn)) != DONE;) {
    RustleStatus status = now == EQUALIZER ? rustle_equalizer_process(shared_equalizer, block, RATE, NULL)
                                           : rustle_meter_process(shared_meter, block, RATE, NULL);
    EXPECT(status == RUSTLE_OK || status == RUSTLE_WRONG_STATE);
  }
  return NULL;
}

static void second_call_at_a_time_is_refused(void) {
  RustleMeterConfiguration configuration = of_everything();
  RustleMeterReading reading;
  RustleEqualizerConfiguration one = {
      .sample_rate = RATE, .channels = 1, .bands = 1, .settings = {.left = &band, .left_count = 1}};
  float sample = 0.5f;
  EXPECT(rustle_equalizer_new(&one, &shared_equalizer, NULL) == RUSTLE_OK);
  EXPECT(rustle_meter_new(&configuration, &shared_meter, NULL) == RUSTLE_OK);
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, process_all_the_while, NULL) == 0);
  // Each goes on until it has met a call of the other thread's, which lasts for milliseconds.
  UNTIL(rustle_equalizer_process(shared_equalizer, &sample, 1, &error) != RUSTLE_OK);
  EXPECT(error.status == RUSTLE_WRONG_STATE);
  UNTIL(rustle_equalizer_reset(shared_equalizer, &error) != RUSTLE_OK);
  EXPECT(error.status == RUSTLE_WRONG_STATE);
  atomic_store(&turn, METER);
  UNTIL(rustle_meter_process(shared_meter, &sample, 1, &error) != RUSTLE_OK);
  EXPECT(error.status == RUSTLE_WRONG_STATE);
  UNTIL(rustle_meter_read(shared_meter, &reading, &error) != RUSTLE_OK);
  EXPECT(error.status == RUSTLE_WRONG_STATE);
  UNTIL(rustle_meter_restart(shared_meter, &error) != RUSTLE_OK);
  EXPECT(error.status == RUSTLE_WRONG_STATE);
  atomic_store(&turn, DONE);
  EXPECT(pthread_join(other, NULL) == 0);
  EXPECT(rustle_equalizer_free(shared_equalizer, NULL) == RUSTLE_OK && rustle_meter_free(shared_meter, NULL) == RUSTLE_OK);
}

int main(void) {
  capture_gives_each_frame_once();
  playback_takes_what_finds_room_and_ends_when_told();
  devices_refuse(rustle_capture_new, rustle_capture_start, rustle_capture_shut_down, rustle_capture_cancel,
                 rustle_capture_free);
  devices_refuse(rustle_playback_new, rustle_playback_start, rustle_playback_shut_down, rustle_playback_cancel,
                 rustle_playback_free);
  devices_are_shown();
  equalizer_amplifies_as_its_curve_says();
  equalizer_refuses();
  meter_measures_a_tone();
  scale_has_its_five_classes();
  meter_refuses();
  second_call_at_a_time_is_refused();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
