// Sound from plain C: captures, playbacks, equalizers and meters give what they promise, and refuse what is out of their range.
#include <pthread.h>

#include "expect.h"

#define RATE 48000

static RustleSoundConfiguration configuration(const char *device, RustleHandle runtime, uint64_t limit) {
  return (RustleSoundConfiguration){.device = TEXT(device),
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
  OK(rustle_capture_new(&demo, &capture, NULL));
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  RustleLaneRequest request = ring(64);
  OK(rustle_capture_start(capture, &request, sink, &session, NULL));
  OK(rustle_runtime_advance(runtime, 100 * MILLISECOND, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_ENDED));
  static RustleSoundBlock blocks[64];
  RustleLaneStatistics statistics;
  size_t count = 0;
  OK(rustle_capture_drain(session, blocks, 64, &count, &statistics, NULL));
  EXPECT(count == statistics.produced && count > 0);
  uint64_t frames = 0;
  for (size_t n = 0; n < count; n++) {
    EXPECT(blocks[n].sequence == n && blocks[n].position == frames && blocks[n].channels == 2);
    EXPECT(blocks[n].gap == 0 && blocks[n].lost == 0 && blocks[n].overruns == 0);
    for (uint32_t frame = 0; frame < blocks[n].frames; frame++) {
      // At the beginning the tones of 440 and 660 Hz are at -60 dBFS, and hardly louder after 20 ms.
      double seconds = (double)(frames + frame) / RATE;
      EXPECT(is_close(blocks[n].samples[2 * frame], 0.001 * sin(2 * PI * 440 * seconds), 3e-5));
      EXPECT(is_close(blocks[n].samples[2 * frame + 1], 0.001 * sin(2 * PI * 660 * seconds), 3e-5));
    }
    frames += blocks[n].frames;
  }
  EXPECT(frames == 1000);
  RustlePlaybackProgress record;
  REFUSED(rustle_playback_drain(session, &record, 1, &count, NULL, &error), RUSTLE_INVALID_VALUE);
  OK(rustle_session_free(session, NULL));
  REFUSED(rustle_capture_drain(session, blocks, 1, &count, NULL, &error), RUSTLE_STALE_HANDLE);
  OK(rustle_capture_free(capture, NULL));
  FREE(runtime);
}

static void playback_takes_what_finds_room_and_ends_when_told(void) {
  RustleHandle runtime = manual_runtime(), playback = 0, session = 0;
  RustleSoundConfiguration demo = configuration("demo", runtime, 0);
  OK(rustle_playback_new(&demo, &playback, NULL));
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  RustleLaneRequest request = ring(256);
  OK(rustle_playback_start(playback, &request, sink, &session, NULL));
  // The first period is due at once: it is of silence, whoever is faster.
  OK(rustle_runtime_advance(runtime, 0, NULL));
  static float sound[2 * RATE];
  size_t taken = 0;
  REFUSED(rustle_playback_write(session, sound, 3, &taken, &error), RUSTLE_INVALID_LENGTH);
  EXPECT(taken == 0);
  // Half a second of stereo.
  EXPECT(rustle_playback_write(session, sound, 2 * RATE, &taken, NULL) == RUSTLE_OK && taken == RATE);
  EXPECT(rustle_playback_write(session, sound, 2, &taken, NULL) == RUSTLE_OK && taken == 0);
  OK(rustle_runtime_advance(runtime, 100 * MILLISECOND, NULL));
  EXPECT(atomic_load(&probe.releases) == 0);
  EXPECT(rustle_playback_finish(session, NULL) == RUSTLE_OK && rustle_playback_finish(session, NULL) == RUSTLE_OK);
  OK(rustle_runtime_advance(runtime, 1000 * MILLISECOND, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_ENDED));
  static RustlePlaybackProgress records[256];
  size_t count = 0;
  EXPECT(rustle_playback_drain(session, records, 256, &count, NULL, NULL) == RUSTLE_OK && count == 51);
  for (size_t n = 0; n < count; n++) {
    EXPECT(records[n].sequence == n && records[n].played == 480 * n && records[n].position == 480 * (n + 1));
    EXPECT(records[n].queued == (n == 0 ? 0 : RATE / 2 - records[n].played));
    EXPECT(records[n].starved == 0 && records[n].gap == 0);
  }
  OK(rustle_session_free(session, NULL));
  OK(rustle_playback_free(playback, NULL));
  FREE(runtime);
}

typedef RustleStatus (*New)(const RustleSoundConfiguration *, RustleHandle *, RustleError *);
typedef RustleStatus (*Start)(RustleHandle, const RustleLaneRequest *, RustleSink, RustleHandle *, RustleError *);
typedef RustleStatus (*Handle)(RustleHandle, RustleError *);

static void devices_refuse(New make, Start start, Handle shut_down, Handle cancel) {
  RustleHandle engine = 0, session = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_event, on_release};
  const RustleSoundConfiguration good = configuration("demo", 0, 0);
  RustleSoundConfiguration bad;
#define WITH_SOUND(field, value) (bad = good, bad.field = (value), make(&bad, &engine, &error))
  REFUSED(WITH_SOUND(sample_rate, 0), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_SOUND(sample_rate, 1000001), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_SOUND(channels, 0), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_SOUND(channels, 33), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_SOUND(period, 0), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_SOUND(period, 65537), RUSTLE_INVALID_VALUE);
  EXPECT(engine == 0);
  // A name is tried by each start.
  OK(WITH_SOUND(device, TEXT("no such device")));
  RustleStatus status = start(engine, &events, sink, &session, &error);
  EXPECT(status == RUSTLE_DEVICE_NOT_FOUND || status == RUSTLE_NO_SOUND_LIBRARY);
  REFUSED(status, status);
  FREE(engine);

  OK(make(&good, &engine, NULL));
  RustleLaneRequest none = ring(0), many = ring(1048577);
  REFUSED(start(engine, &none, sink, &session, &error), RUSTLE_INVALID_LENGTH);
  REFUSED(start(engine, &many, sink, &session, &error), RUSTLE_INVALID_LENGTH);
  EXPECT(atomic_load(&probe.signals) == 0 && session == 0);
  OK(start(engine, &events, sink, &session, NULL));
  EXPECT(cancel(engine, NULL) == RUSTLE_OK && cancel(engine, NULL) == RUSTLE_OK);
  UNTIL(is_released(&probe, RUSTLE_RELEASE_CANCELLED));
  FREE(session);
  EXPECT(shut_down(engine, NULL) == RUSTLE_OK && shut_down(engine, NULL) == RUSTLE_OK);
  REFUSED(start(engine, &events, sink, &session, &error), RUSTLE_SHUT_DOWN);
  FREE(engine);
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
  REFUSED(rustle_sound_devices(NULL, &count, &error), RUSTLE_NULL_POINTER);
}

// A sine whose mean square is -20 dB, on one channel.
static float tone[10 * RATE];

static void make_tone(double frequency) {
  for (size_t n = 0; n < COUNT(tone); n++) {
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
  OK(rustle_equalizer_new(&configuration, &equalizer, NULL));
  double frequencies[2] = {1000, 2000}, left[2], right[2], preamp = 1, distance = 1;
  OK(rustle_equalizer_response(&settings, RATE, frequencies, 2, left, 2, right, 2, NULL));
  EXPECT(is_close(left[0], 6, 1e-3) && left[1] > 0 && left[1] < 3 && right[0] == 0 && right[1] == 0);
  for (int k = 0; k < 2; k++) {
    make_tone(frequencies[k]);
    OK(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL));
    EXPECT(is_close(level_of_tone(), -20 + left[k], 1e-3));
  }
  EXPECT(rustle_equalizer_preamp(&settings, RATE, &preamp, NULL) == RUSTLE_OK && is_close(preamp, -6, 1e-3));
  // Twice 6 dB for a tone that two bands share is too much: the solution has less gain and meets both.
  RustleEqualizerBand bands[2] = {band, band};
  bands[1].frequency = 2000;
  double targets[2] = {6, 6}, gains[2] = {0};
  EXPECT(rustle_equalizer_solve(bands, 2, targets, 2, RATE, gains, 2, &distance, NULL) == RUSTLE_OK && distance < 0.01);
  for (int k = 0; k < 2; k++) bands[k].gain = gains[k];
  settings.left = bands;
  settings.left_count = 2;
  OK(rustle_equalizer_response(&settings, RATE, frequencies, 2, left, 2, right, 2, NULL));
  EXPECT(is_close(left[0], 6, 0.01) && is_close(left[1], 6, 0.01) && bands[0].gain < 6);
  OK(rustle_equalizer_change(equalizer, &settings, NULL));
  make_tone(2000);
  EXPECT(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL) == RUSTLE_OK && is_close(level_of_tone(), -14, 0.02));
  EXPECT(rustle_equalizer_set_bypassed(equalizer, 1, NULL) == RUSTLE_OK && rustle_equalizer_reset(equalizer, NULL) == RUSTLE_OK);
  make_tone(1000);
  static float before[10 * RATE];
  memcpy(before, tone, sizeof tone);
  OK(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL));
  EXPECT(memcmp(before, tone, sizeof tone) == 0);
  OK(rustle_equalizer_free(equalizer, NULL));
}

static void equalizer_refuses(void) {
  RustleHandle equalizer = 0;
  RustleEqualizerBand many[65], bad;
  for (int k = 0; k < 65; k++) many[k] = band;
  const RustleEqualizerSettings good = {.left = &band, .left_count = 1};
  RustleEqualizerSettings wrong = good;
  double a[2] = {1000, 2000}, b[2] = {7, 7}, c[2], gains[2] = {7, 7};
  const RustleEqualizerConfiguration fit = {.sample_rate = RATE, .channels = 2, .bands = 2, .settings = good};
  RustleEqualizerConfiguration unfit;
#define WITH_ROOM(field, value) (unfit = fit, unfit.field = (value), rustle_equalizer_new(&unfit, &equalizer, &error))
  REFUSED(WITH_ROOM(channels, 0), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_ROOM(channels, 3), RUSTLE_INVALID_VALUE);
  REFUSED(WITH_ROOM(bands, 65), RUSTLE_INVALID_LENGTH);
  REFUSED(WITH_ROOM(bands, 0), RUSTLE_INVALID_LENGTH);
  EXPECT(equalizer == 0);
  OK(rustle_equalizer_new(&fit, &equalizer, NULL));
  // The tests of rustle-dsp go through the ranges, here and for the meter.
  bad = band, bad.frequency = 24000, wrong.left = &bad;
  REFUSED(rustle_equalizer_change(equalizer, &wrong, &error), RUSTLE_INVALID_VALUE);
  wrong = (RustleEqualizerSettings){.left = many, .left_count = 3};
  REFUSED(rustle_equalizer_change(equalizer, &wrong, &error), RUSTLE_INVALID_LENGTH);
  wrong = (RustleEqualizerSettings){.preamp = INFINITY};
  REFUSED(rustle_equalizer_change(equalizer, &wrong, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_equalizer_process(equalizer, tone, 3, &error), RUSTLE_INVALID_LENGTH);
  wrong = (RustleEqualizerSettings){.left = many, .left_count = 65};
  REFUSED(rustle_equalizer_preamp(&wrong, RATE, c, &error), RUSTLE_INVALID_LENGTH);
  REFUSED(rustle_equalizer_response(&good, RATE, a, 2, b, 1, c, 2, &error), RUSTLE_INVALID_LENGTH);
  REFUSED(rustle_equalizer_response(&good, RATE, a, 1, b, 1, c, 2, &error), RUSTLE_INVALID_LENGTH);
  a[1] = INFINITY;
  REFUSED(rustle_equalizer_response(&good, RATE, a, 2, b, 2, c, 2, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_equalizer_solve(many, 2, a, 2, RATE, gains, 2, c, &error), RUSTLE_INVALID_VALUE);
  // Memory that overlaps in part.
  REFUSED(rustle_equalizer_solve(many, 2, b, 2, RATE, gains, 2, &many[1].gain, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_equalizer_solve(many, 2, b, 1, RATE, gains, 2, c, &error), RUSTLE_INVALID_LENGTH);
  REFUSED(rustle_equalizer_solve(many, 2, b, 2, RATE, gains, 1, c, &error), RUSTLE_INVALID_LENGTH);
  EXPECT(many[1].gain == 6 && gains[0] == 7 && gains[1] == 7 && b[0] == 7 && b[1] == 7);
  OK(rustle_equalizer_free(equalizer, NULL));
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
  OK(rustle_meter_new(&configuration, &meter, NULL));
  make_tone(1000);
  OK(rustle_meter_process(meter, tone, 10 * RATE, NULL));
  OK(rustle_meter_read(meter, &reading, NULL));
  EXPECT(reading.seconds == 10 && reading.overloads == 0 && reading.reserved == 0);
  EXPECT(is_close(reading.equivalent, 80, 0.01) && is_close(reading.level, 80, 0.02) && is_close(reading.highest, 80, 0.05));
  // The filter overshoots a little where the tone sets in.
  EXPECT(is_close(reading.exposure, 90, 0.01) && reading.peak > 83 && reading.peak < 83.5);
  EXPECT(is_close(reading.integrated, -20, 0.05) && is_close(reading.momentary, -20, 0.05));
  EXPECT(is_close(reading.short_term, -20, 0.05) && is_close(reading.true_peak, -16.99, 0.1));
  // 120 sqrt((0.1 - m) / (1 - m)), m = 1e-4: silent.
  EXPECT(is_close(reading.place, 37.93, 0.05) && reading.noise_class == 0);
  EXPECT(rustle_meter_exceeded(meter, 50, &level, NULL) == RUSTLE_OK && is_close(level, 80, 0.1));
  EXPECT(rustle_meter_bands(meter, centres, 40, levels, 40, &count, NULL) == RUSTLE_OK && count >= 30 && count <= 40);
  int seen = 0;
  for (size_t n = 0; n < count; n++) {
    if (fabs(centres[n] - 1000) < 1) seen += is_close(levels[n], -20, 0.05);
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
  OK(rustle_meter_free(meter, NULL));
}

static void scale_has_its_five_classes(void) {
  static const double powers[] = {-INFINITY, -10, -7, -4, 0};
  double place = 77;
  for (uint32_t expected = 0; expected < COUNT(powers); expected++) {
    uint32_t noise_class = 9;
    OK(rustle_noise_scale(powers[expected], &place, &noise_class, NULL));
    EXPECT(noise_class == expected && (expected > 0 || place == 0));
  }
  EXPECT(place == 120);
}

static void meter_refuses(void) {
  const RustleMeterConfiguration good = of_everything();
  RustleMeterConfiguration bad;
  RustleHandle meter = 0;
  const RustleResponsePoint points[2] = {{1000, 0}, {100, 0}};
  static const uint32_t unknown[1] = {3};
#define WITH(field, value) (bad = good, bad.field = (value), rustle_meter_new(&bad, &meter, &error))
  REFUSED(WITH(offset, 301), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(channels, unknown), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(channel_count, 0), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(metered, 1), RUSTLE_INVALID_VALUE);
  bad = good, bad.response = points, bad.response_count = 2;
  REFUSED(rustle_meter_new(&bad, &meter, &error), RUSTLE_INVALID_VALUE);
  EXPECT(meter == 0);
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
  OK(rustle_equalizer_new(&one, &shared_equalizer, NULL));
  OK(rustle_meter_new(&configuration, &shared_meter, NULL));
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, process_all_the_while, NULL) == 0);
  // Each goes on until it has met a call of the other thread's, which lasts for milliseconds.
#define MEETS(call)               \
  UNTIL((call) != RUSTLE_OK);     \
  EXPECT(error.status == RUSTLE_WRONG_STATE)
  MEETS(rustle_equalizer_process(shared_equalizer, &sample, 1, &error));
  MEETS(rustle_equalizer_reset(shared_equalizer, &error));
  atomic_store(&turn, METER);
  MEETS(rustle_meter_process(shared_meter, &sample, 1, &error));
  MEETS(rustle_meter_read(shared_meter, &reading, &error));
  MEETS(rustle_meter_restart(shared_meter, &error));
  atomic_store(&turn, DONE);
  EXPECT(pthread_join(other, NULL) == 0);
  FREE(shared_equalizer, shared_meter);
}

int main(void) {
  capture_gives_each_frame_once();
  playback_takes_what_finds_room_and_ends_when_told();
  devices_refuse(rustle_capture_new, rustle_capture_start, rustle_capture_shut_down, rustle_capture_cancel);
  devices_refuse(rustle_playback_new, rustle_playback_start, rustle_playback_shut_down, rustle_playback_cancel);
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
