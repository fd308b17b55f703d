// Sound from plain C: captures and playbacks of the device that needs no hardware, and the list of devices.
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

static const RustleLaneRequest events = {.lane = RUSTLE_LANE_PER_VALUE};
static const RustleLaneRequest ring = {.capacity = 256, .lane = RUSTLE_LANE_DROP_OLDEST};

static void capture_gives_each_frame_once(void) {
  RustleHandle runtime = manual_runtime(), capture = 0, session = 0;
  RustleSoundConfiguration demo = configuration("demo", runtime, 1000);
  OK(rustle_capture_new(&demo, &capture, NULL));
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  OK(rustle_capture_start(capture, &ring, sink, &session, NULL));
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
      // At the beginning the tones of 440 and 880 Hz are at -60 dBFS, and hardly louder after 20 ms.
      double seconds = (double)(frames + frame) / RATE;
      EXPECT(is_close(blocks[n].samples[2 * frame], 0.001 * sin(2 * PI * 440 * seconds), 3e-5));
      EXPECT(is_close(blocks[n].samples[2 * frame + 1], 0.001 * sin(2 * PI * 880 * seconds), 3e-5));
    }
    frames += blocks[n].frames;
  }
  EXPECT(frames == 1000);
  FREE(session);
  REFUSED(rustle_capture_drain(session, blocks, 1, &count, NULL, &error), RUSTLE_STALE_HANDLE);
  OK(rustle_capture_free(capture, NULL));
  FREE(runtime);
}

static void playback_takes_what_finds_room_and_ends_when_reported(void) {
  RustleHandle runtime = manual_runtime(), playback = 0, session = 0;
  RustleSoundConfiguration demo = configuration("demo", runtime, 0);
  OK(rustle_playback_new(&demo, &playback, NULL));
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  OK(rustle_playback_start(playback, &ring, sink, &session, NULL));
  // The first period is due at once: it is of silence, whichever thread is faster.
  OK(rustle_runtime_advance(runtime, 0, NULL));
  static float sound[2 * RATE];
  size_t taken = 0, count = 0;
  REFUSED(rustle_playback_write(session, sound, 3, &taken, &error), RUSTLE_INVALID_LENGTH);
  // Half a second of stereo.
  EXPECT(rustle_playback_write(session, sound, 2 * RATE, &taken, NULL) == RUSTLE_OK && taken == RATE);
  EXPECT(rustle_playback_finish(session, NULL) == RUSTLE_OK && rustle_playback_finish(session, NULL) == RUSTLE_OK);
  EXPECT(atomic_load(&probe.releases) == 0);
  OK(rustle_runtime_advance(runtime, 1000 * MILLISECOND, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_ENDED));
  static RustlePlaybackProgress records[256];
  EXPECT(rustle_playback_drain(session, records, 256, &count, NULL, NULL) == RUSTLE_OK && count == 51);
  for (size_t n = 0; n < count; n++) {
    EXPECT(records[n].sequence == n && records[n].played == 480 * n && records[n].position == 480 * (n + 1));
    EXPECT(records[n].queued == (n == 0 ? 0 : RATE / 2 - records[n].played));
    EXPECT(records[n].inserted_silence == 0 && records[n].gap == 0);
  }
  FREE(session);
  OK(rustle_playback_free(playback, NULL));
  FREE(runtime);
}

typedef RustleStatus (*New)(const RustleSoundConfiguration *, RustleHandle *, RustleError *);
typedef RustleStatus (*Start)(RustleHandle, const RustleLaneRequest *, RustleSink, RustleHandle *, RustleError *);
typedef RustleStatus (*End)(RustleHandle, RustleError *);

static void engines_end_and_refuse(New make, Start start, End cancel, End shut_down) {
  RustleHandle engine = 0, session = 0;
  Probe probe = {0};
  RustleSink sink = {&probe, on_event, on_release};
  // A name is tried by each start.
  RustleSoundConfiguration wanted = configuration("no such device", 0, 0);
  OK(make(&wanted, &engine, NULL));
  RustleStatus status = start(engine, &events, sink, &session, &error);
  EXPECT(status == RUSTLE_DEVICE_NOT_FOUND || status == RUSTLE_NO_SOUND_LIBRARY);
  FREE(engine);
  wanted = configuration("demo", 0, 0);
  OK(make(&wanted, &engine, NULL));
  OK(start(engine, &events, sink, &session, NULL));
  EXPECT(cancel(engine, NULL) == RUSTLE_OK && cancel(engine, NULL) == RUSTLE_OK);
  UNTIL(is_released(&probe, RUSTLE_RELEASE_CANCELLED));
  FREE(session);
  EXPECT(shut_down(engine, NULL) == RUSTLE_OK && shut_down(engine, NULL) == RUSTLE_OK);
  REFUSED(start(engine, &events, sink, &session, &error), RUSTLE_SHUT_DOWN);
  FREE(engine);
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

int main(void) {
  capture_gives_each_frame_once();
  playback_takes_what_finds_room_and_ends_when_reported();
  engines_end_and_refuse(rustle_capture_new, rustle_capture_start, rustle_capture_cancel, rustle_capture_shut_down);
  engines_end_and_refuse(rustle_playback_new, rustle_playback_start, rustle_playback_cancel, rustle_playback_shut_down);
  devices_are_shown();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
