// Shows from plain C: a show on a sender without a network, its levels and pictures, the faults of its files, and what is refused.
#include "expect.h"

enum { SLOTS = 512 };

static const RustleLaneRequest ring = {.capacity = 64, .lane = RUSTLE_LANE_DROP_OLDEST};

// A dimmer on the third slot of universe 7, full in the first cue and dark in the second, and a fixture of no profile.
static const char *const show_file =
    "{\"v\":1,\"name\":\"C\",\"scenes\":[{\"name\":\"full\",\"layers\":[{\"effect\":\"solid\"}]},"
    "{\"name\":\"dark\",\"layers\":[]}],\"cues\":[{\"scene\":\"full\"},{\"scene\":\"dark\"}]}";
static const char *const rig_file =
    "{\"v\":1,\"fixtures\":[{\"id\":1,\"profile\":\"dimmer\",\"protocol\":\"sacn\",\"universe\":7,\"address\":3},"
    "{\"id\":2,\"profile\":\"none\",\"protocol\":\"sacn\",\"universe\":7,\"address\":9}]}";

static RustleShowConfiguration configuration(RustleHandle runtime) {
  return (RustleShowConfiguration){.show = TEXT(show_file),
                                   .rig = TEXT(rig_file),
                                   .demo = TEXT(""),
                                   .beats_a_minute = 120,
                                   .frames_a_second = 44,
                                   .reports_per_second = 10,
                                   .runtime = runtime};
}

// The session of a sender of sACN without a network.
static RustleHandle sender_session(RustleHandle runtime, RustleHandle *sender, Probe *probe) {
  RustleDMXConfiguration demo = {.interface = TEXT("demo"),
                                 .cid = TEXT("6f8c2a60-1e0b-4c39-9d3e-0a1b2c3d4e5f"),
                                 .name = TEXT("C"),
                                 .frames_a_second = 44,
                                 .reports_per_second = 1,
                                 .runtime = runtime,
                                 .kind = RUSTLE_DMX_SACN,
                                 .priority = 100,
                                 .time_to_live = 1};
  OK(rustle_dmx_sender_new(&demo, sender, NULL));
  RustleHandle session = 0;
  OK(rustle_dmx_sender_start(*sender, &ring, (RustleSink){probe, on_ring, on_release}, &session, NULL));
  return session;
}

// The level of the dimmer in the last frame.
static int dimmer(RustleHandle session) {
  uint32_t universes[2] = {0, 0};
  uint8_t slots[SLOTS];
  RustleShowFrame frame;
  OK(rustle_show_levels(session, universes, COUNT(universes), slots, sizeof slots, &frame, NULL));
  EXPECT(frame.universes == 1 && universes[0] == 7 && universes[1] == 0);
  EXPECT(is_close(frame.beats, (double)frame.time_ns * 120 / 60e9, 1e-9));
  return slots[2];
}

static RustleHandle clock_of(RustleHandle runtime) {
  RustleTempoConfiguration manual = {
      .beats_a_minute = 90, .quantum = 4, .reports_per_second = 1, .runtime = runtime, .reading = RUSTLE_BEATS_EXACT};
  RustleHandle tempo = 0;
  OK(rustle_tempo_new(&manual, &tempo, NULL));
  return tempo;
}

static double beats_of(RustleHandle session) {
  RustleShowFrame frame;
  OK(rustle_show_levels(session, NULL, 0, NULL, 0, &frame, NULL));
  return frame.beats;
}

static void show_has_the_beats_of_a_clock(void) {
  RustleHandle runtime = manual_runtime(), tempo = clock_of(runtime), show = 0, session = 0;
  // Fifteen beats before the show.
  OK(rustle_runtime_advance(runtime, 10 * SECOND, NULL));
  Probe probe = {0};
  RustleShowConfiguration played = configuration(runtime);
  played.clock = tempo;
  OK(rustle_show_new(&played, &show, NULL));
  OK(rustle_show_start(show, &ring, (RustleSink){&probe, on_ring, on_release}, &session, NULL));
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  RustleBeat beat;
  OK(rustle_tempo_beats_at(tempo, -1, RUSTLE_BEATS_SMOOTH, &beat, NULL));
  // The last frame was at most two frames ago, or is sent within one.
  EXPECT(is_close(beats_of(session), beat.beats, 0.05) && beat.beats > 16 && is_close(beat.beats_a_minute, 90, 1e-3));
  // Another clock, which is by other beats: the show's go on.
  RustleHandle other = clock_of(runtime);
  OK(rustle_show_attach(session, other, NULL));
  double before = beats_of(session);
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  EXPECT(is_close(beats_of(session), before + 1.5, 0.1));
  played.clock = show;
  RustleHandle none = 0;
  REFUSED(rustle_show_new(&played, &none, &error), RUSTLE_STALE_HANDLE);
  FREE(session, show, other, tempo);
  OK(rustle_runtime_advance(runtime, 0, NULL));
  FREE(runtime);
}

static void show_is_sent_and_follows_its_inputs(void) {
  RustleHandle runtime = manual_runtime(), sender = 0, show = 0, session = 0;
  Probe of_sender = {0}, probe = {0};
  RustleHandle sending = sender_session(runtime, &sender, &of_sender);
  RustleShowConfiguration played = configuration(runtime);
  played.sacn = sending;
  OK(rustle_show_new(&played, &show, NULL));
  OK(rustle_show_start(show, &ring, (RustleSink){&probe, on_ring, on_release}, &session, NULL));
  EXPECT(dimmer(session) == 0);
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  EXPECT(dimmer(session) == 255);
  RustleDMXReport counts;
  OK(rustle_dmx_sender_counts(sending, &counts, NULL));
  EXPECT(counts.universes == 1 && counts.packets > 0);
  OK(rustle_show_input(session, RUSTLE_SHOW_MASTER, 0, 0.5, NULL));
  OK(rustle_runtime_advance(runtime, 30 * MILLISECOND, NULL));
  EXPECT(dimmer(session) == 127 || dimmer(session) == 128);
  OK(rustle_show_input(session, RUSTLE_SHOW_GO, 0, 0, NULL));
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  EXPECT(dimmer(session) == 0);
  RustleShowReport reports[64];
  size_t count = 0;
  RustleLaneStatistics statistics;
  OK(rustle_show_drain(session, reports, COUNT(reports), &count, &statistics, NULL));
  EXPECT(count > 0 && reports[count - 1].cue == 1 && reports[count - 1].scene == 1 && reports[count - 1].outputs == 1);
  size_t started = 0;
  for (size_t place = 0; place < count; place++) started += reports[place].kind == RUSTLE_SHOW_REPORT_CUE_STARTED;
  EXPECT(started == 2);
  OK(rustle_show_attach(session, sending, NULL));
  RustleShowScene half = {.json = TEXT("{\"name\":\"half\",\"layers\":[{\"effect\":\"solid\",\"opacity\":0.5}]}"), .place = 1};
  OK(rustle_show_replace(session, &half, NULL));
  OK(rustle_runtime_advance(runtime, 100 * MILLISECOND, NULL));
  EXPECT(dimmer(session) == 64);
  half.place = 2;
  REFUSED(rustle_show_replace(session, &half, &error), RUSTLE_INVALID_VALUE);
  half = (RustleShowScene){.json = TEXT("{\"nam"), .place = 1};
  REFUSED(rustle_show_replace(session, &half, &error), RUSTLE_MALFORMED_FILE);
  REFUSED(rustle_show_input(session, RUSTLE_SHOW_CUE, 2, 0, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_show_input(session, RUSTLE_SHOW_MASTER, 0, 1.5, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_show_input(session, RUSTLE_SHOW_TEMPO, 0, 0, &error), RUSTLE_INVALID_VALUE);
  OK(rustle_show_cancel(show, NULL));
  OK(rustle_runtime_advance(runtime, 0, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_CANCELLED));
  FREE(session, show, sending, sender, runtime);
}

static void frames_are_those_of_the_show(void) {
  RustleHandle runtime = manual_runtime(), show = 0, session = 0, newest = 0, all = 0;
  Probe probe = {0}, of_newest = {0}, of_all = {0};
  RustleShowConfiguration played = configuration(runtime);
  OK(rustle_show_new(&played, &show, NULL));
  RustleShowFramesRequest request = {.capacity = 0};
  OK(rustle_show_start_frames(show, &request, (RustleSink){&of_newest, on_ring, on_release}, &newest, NULL));
  request.capacity = 64;
  OK(rustle_show_start_frames(show, &request, (RustleSink){&of_all, on_ring, on_release}, &all, NULL));
  OK(rustle_show_start(show, &ring, (RustleSink){&probe, on_ring, on_release}, &session, NULL));
  OK(rustle_runtime_advance(runtime, SECOND, NULL));
  RustleShowLevels levels[64];
  size_t count = 0;
  RustleLaneStatistics statistics;
  OK(rustle_show_drain_frames(all, levels, COUNT(levels), &count, &statistics, NULL));
  EXPECT(count > 40 && statistics.dropped == 0);
  for (size_t place = 0; place < count; place++) {
    RustleShowLevels shown = levels[place];
    EXPECT(shown.sequence == place && shown.frame == place + 1 && shown.gap == 0);
    EXPECT(shown.kind == RUSTLE_DMX_SACN && shown.universe == 7 && shown.index == 0);
    EXPECT(is_close(shown.beats, (double)shown.time_ns * 120 / 60e9, 1e-9));
    EXPECT(shown.levels_count == SLOTS && shown.levels[2] == 255);
  }
  RustleShowLevels last = levels[count - 1];
  OK(rustle_show_drain_frames(newest, levels, COUNT(levels), &count, &statistics, NULL));
  EXPECT(count == 1 && levels[0].frame == last.frame && levels[0].gap == last.sequence);
  EXPECT(levels[0].time_ns == last.time_ns && memcmp(levels[0].levels, last.levels, SLOTS) == 0);
  RustleHandle none = 0;
  request.capacity = 1048577;
  REFUSED(rustle_show_start_frames(show, &request, (RustleSink){&probe, on_ring, on_release}, &none, &error),
          RUSTLE_INVALID_LENGTH);
  OK(rustle_cancel(session, NULL));
  OK(rustle_runtime_advance(runtime, 0, NULL));
  EXPECT(is_released(&of_newest, RUSTLE_RELEASE_ENDED) && is_released(&of_all, RUSTLE_RELEASE_ENDED));
  FREE(newest, all, session, show, runtime);
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void picture_is_a_file_of_its_size(void) {
  RustleHandle runtime = manual_runtime(), show = 0, session = 0;
  RustleShowConfiguration played = configuration(runtime);
  OK(rustle_show_new(&played, &show, NULL));
  Probe probe = {0};
  OK(rustle_show_start(show, &ring, (RustleSink){&probe, on_ring, on_release}, &session, NULL));
  OK(rustle_runtime_advance(runtime, 100 * MILLISECOND, NULL));
  RustlePictureSettings settings = {.width = 40, .height = 24, .format = RUSTLE_PICTURE_PNG};
  size_t length = 0;
  OK(rustle_show_picture(session, &settings, NULL, 0, &length, NULL));
  EXPECT(length > 45);
  uint8_t *file = malloc(length);
  EXPECT(file != NULL);
  OK(rustle_show_picture(session, &settings, file, length, &length, NULL));
  // The signature, and the chunk IHDR with its 13 bytes: 8 bits of each colour.
  EXPECT(memcmp(file, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) == 0);
  EXPECT(big_endian(file + 16) == 40 && big_endian(file + 20) == 24 && file[24] == 8);
  free(file);
  settings.format = RUSTLE_PICTURE_RGBA;
  uint8_t pixels[40 * 24 * 4];
  OK(rustle_show_picture(session, &settings, pixels, sizeof pixels, &length, NULL));
  EXPECT(length == sizeof pixels && pixels[3] == 255);
  settings.width = 8193;
  REFUSED(rustle_show_picture(session, &settings, NULL, 0, &length, &error), RUSTLE_INVALID_LENGTH);
  FREE(session, show);
  OK(rustle_runtime_advance(runtime, 0, NULL));
  FREE(runtime);
}

static void faults_of_the_files_are_texts(void) {
  RustleHandle show = 0;
  RustleShowConfiguration played = configuration(0);
  OK(rustle_show_new(&played, &show, NULL));
  RustleShowDescription found;
  OK(rustle_show_describe(show, &found, NULL));
  EXPECT(found.fixtures == 1 && found.universes == 1 && found.scenes == 2 && found.cues == 2 && found.faults == 1);
  uint8_t text[256];
  size_t length = 0;
  OK(rustle_show_text(show, RUSTLE_SHOW_TEXT_NAME, 0, text, sizeof text, &length, NULL));
  EXPECT(length == 1 && text[0] == 'C');
  OK(rustle_show_text(show, RUSTLE_SHOW_TEXT_FIXTURE, 0, text, sizeof text, &length, NULL));
  EXPECT(length > 2 && length < sizeof text && text[0] == '{' && text[length - 1] == '}');
  OK(rustle_show_text(show, RUSTLE_SHOW_TEXT_FIXTURE, 1, text, sizeof text, &length, NULL));
  EXPECT(length == 0);
  OK(rustle_show_text(show, RUSTLE_SHOW_TEXT_FAULT, 0, text, sizeof text, &length, NULL));
  EXPECT(length > 21 && length <= sizeof text && memcmp(text, "fixtures[1].profile: ", 21) == 0);
  OK(rustle_show_text(show, RUSTLE_SHOW_TEXT_FAULT, 1, text, sizeof text, &length, NULL));
  EXPECT(length == 0);
  FREE(show);
  played.show = TEXT("[]");
  REFUSED(rustle_show_new(&played, &show, &error), RUSTLE_MALFORMED_FILE);
  played = configuration(0);
  played.demo = TEXT("none");
  REFUSED(rustle_show_new(&played, &show, &error), RUSTLE_INVALID_VALUE);
  played.demo = TEXT("wall");
  played.reports_per_second = 0;
  REFUSED(rustle_show_new(&played, &show, &error), RUSTLE_RATE_OUT_OF_RANGE);
}

static void sender_on_another_runtime_is_refused(void) {
  RustleHandle runtime = manual_runtime(), other = manual_runtime(), sender = 0, show = 0, session = 0;
  Probe of_sender = {0}, probe = {0};
  RustleHandle sending = sender_session(other, &sender, &of_sender);
  RustleShowConfiguration played = configuration(runtime);
  OK(rustle_show_new(&played, &show, NULL));
  OK(rustle_show_start(show, &ring, (RustleSink){&probe, on_ring, on_release}, &session, NULL));
  REFUSED(rustle_show_attach(session, sending, &error), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_show_attach(session, session, &error), RUSTLE_INVALID_VALUE);
  FREE(session, show, sending, sender);
  OK(rustle_runtime_advance(runtime, 0, NULL));
  OK(rustle_runtime_advance(other, 0, NULL));
  FREE(runtime, other);
}

int main(void) {
  show_is_sent_and_follows_its_inputs();
  show_has_the_beats_of_a_clock();
  frames_are_those_of_the_show();
  picture_is_a_file_of_its_size();
  faults_of_the_files_are_texts();
  sender_on_another_runtime_is_refused();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
