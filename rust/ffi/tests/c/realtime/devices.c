// Captures from and plays to the devices of asound.c, whose threads are in the realtime context of RealtimeSanitizer between two
// calls of the library. Built with -fsanitize=realtime, the program ends with a report when one of them allocates, does I/O or
// waits there.
//
// Usage: devices            prints the devices whose threads were checked
//        devices planted N  loses a device in the realtime context, 1: a capture's, 2: a playback's. The text of the error
//                           is allocated, which must be reported
//
// A lock that is free is taken without a call that the sanitizer sees. This thread drains, writes and asks for the progress all
// the while, so that a lock shared with the device's thread would be contended and reported.
#include "../expect.h"

enum { FRAMES = 50000, RECORDS = 64 };

typedef RustleStatus (*New)(const RustleSoundConfiguration *, RustleHandle *, RustleError *);
typedef RustleStatus (*Start)(RustleHandle, const RustleLaneRequest *, RustleSink, RustleHandle *, RustleError *);

typedef struct Session {
  Probe probe;
  RustleHandle engine, session;
} Session;

static void start(Session *session, const char *device, uint64_t limit, New make, Start begin) {
  RustleSoundConfiguration configuration = {.device = TEXT(device),
                                            .frame_limit = limit,
                                            .sample_rate = 48000,
                                            .channels = 2,
                                            .period = 480};
  RustleLaneRequest request = {.lane = RUSTLE_LANE_DROP_OLDEST, .capacity = RECORDS};
  RustleSink sink = {&session->probe, on_ring, on_release};
  OK(make(&configuration, &session->engine, NULL));
  OK(begin(session->engine, &request, sink, &session->session, NULL));
}

static int is_over(Session *session) {
  sched_yield();
  return atomic_load(&session->probe.releases) > 0;
}

static void start_capture(Session *session, const char *device, uint64_t limit) {
  start(session, device, limit, rustle_capture_new, rustle_capture_start);
}

static void start_playback(Session *session, const char *device) {
  start(session, device, 0, rustle_playback_new, rustle_playback_start);
}

static void drain_blocks(Session *session, RustleSoundBlock *last) {
  static RustleSoundBlock blocks[RECORDS];
  size_t count = 0;
  OK(rustle_capture_drain(session->session, blocks, RECORDS, &count, NULL, NULL));
  if (count > 0) *last = blocks[count - 1];
}

static void drain_progress(Session *session, RustlePlaybackProgress *last) {
  RustlePlaybackProgress records[RECORDS];
  size_t count = 0;
  OK(rustle_playback_drain(session->session, records, RECORDS, &count, NULL, NULL));
  if (count > 0) *last = records[count - 1];
}

// To its last frame, or until it is cancelled.
static void capture_from(const char *device, int is_cancelled) {
  Session session = {0};
  RustleSoundBlock last = {0};
  start_capture(&session, device, is_cancelled ? 0 : FRAMES);
  while (is_cancelled && last.position < FRAMES) drain_blocks(&session, &last);
  if (is_cancelled) OK(rustle_session_cancel(session.session, NULL));
  while (!is_over(&session)) drain_blocks(&session, &last);
  drain_blocks(&session, &last);
  EXPECT(is_released(&session.probe, is_cancelled ? RUSTLE_RELEASE_CANCELLED : RUSTLE_RELEASE_ENDED));
  EXPECT(last.position > 0 && last.overruns > 0);
  FREE(session.session, session.engine);
}

// Silence, then sound, until it was played or is cancelled.
static void play_to(const char *device, int is_cancelled) {
  static float sound[2 * 480];
  Session session = {0};
  RustlePlaybackProgress last = {0};
  start_playback(&session, device);
  while (last.position == 0) drain_progress(&session, &last);
  while (last.played < FRAMES) {
    size_t taken = 0;
    OK(rustle_playback_write(session.session, sound, 2 * 480, &taken, NULL));
    drain_progress(&session, &last);
    if (taken == 0) sched_yield();
  }
  OK((is_cancelled ? rustle_session_cancel : rustle_playback_finish)(session.session, NULL));
  while (!is_over(&session)) drain_progress(&session, &last);
  EXPECT(is_released(&session.probe, is_cancelled ? RUSTLE_RELEASE_CANCELLED : RUSTLE_RELEASE_ENDED));
  EXPECT(last.underruns > 0);
  FREE(session.session, session.engine);
}

static void lose(int planted) {
  Session session = {0};
  if (planted == 1) {
    start_capture(&session, "lost 14", 0);
  } else {
    start_playback(&session, "lost 14");
  }
  while (!is_over(&session)) {}
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "planted") == 0) {
    lose(atoi(argv[2]));
    return 0;
  }
  // Floating point, 32, 24 and 16 bits.
  static const char *const devices[] = {"format 14", "format 10", "format 32", "format 2"};
  for (size_t i = 0; i < COUNT(devices); i++) {
    for (int is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
      capture_from(devices[i], is_cancelled);
      play_to(devices[i], is_cancelled);
    }
  }
  printf("capture\nplayback\n");
  return 0;
}
