// Clocks of beats from plain C: taps, requests and refusals, and the beats of a signal.
#include "expect.h"

static const RustleLaneRequest ring = {.capacity = 64, .lane = RUSTLE_LANE_DROP_OLDEST};

static RustleHandle clock_on(RustleHandle runtime) {
  RustleTempoConfiguration configuration = {.beats_a_minute = 120,
                                            .quantum = 4,
                                            .reports_per_second = 10,
                                            .report_limit = 12,
                                            .runtime = runtime,
                                            .reading = RUSTLE_BEATS_EXACT};
  RustleHandle tempo = 0;
  OK(rustle_tempo_new(&configuration, &tempo, NULL));
  return tempo;
}

static RustleTempoChanged change(RustleHandle tempo, uint32_t kind, double value, int64_t at_us) {
  RustleTempoChange change = {.at_us = at_us, .kind = kind, .value = value};
  RustleTempoChanged changed = {0};
  OK(rustle_tempo_change(tempo, &change, &changed, NULL));
  return changed;
}

static RustleBeat beat_at(RustleHandle tempo, int64_t at_us) {
  RustleBeat beat;
  OK(rustle_tempo_beats_at(tempo, at_us, RUSTLE_BEATS_EXACT, &beat, NULL));
  return beat;
}

static void taps_are_followed(void) {
  RustleHandle runtime = manual_runtime(), tempo = clock_on(runtime), session = 0;
  Probe probe = {0};
  OK(rustle_tempo_start(tempo, &ring, (RustleSink){&probe, on_ring, on_release}, &session, NULL));
  for (int tap = 0; tap < 4; tap++) {
    RustleTempoChanged tapped = change(tempo, RUSTLE_TEMPO_TAP, 0, 400000 * tap);
    EXPECT(tapped.tap == (tap == 0 ? RUSTLE_TAP_FIRST : RUSTLE_TAP_COUNTED) && tapped.missed == 0);
    OK(rustle_runtime_advance(runtime, 400 * MILLISECOND, NULL));
  }
  RustleTapEstimate taps;
  OK(rustle_tempo_taps(tempo, &taps, NULL));
  EXPECT(taps.beats_a_minute == 150 && taps.taps == 4 && taps.suggestion == 1 && taps.downbeat_us == 0);
  RustleBeat beat = beat_at(tempo, -1);
  EXPECT(beat.source == RUSTLE_TEMPO_SOURCE_TAP && beat.beats_a_minute == 150 && beat.host_us == 1600000);
  EXPECT(beat.beat_phase == 0 && !beat.is_enabled && beat.peers == 0);
  RustleTempoReport reports[16];
  size_t count = 0;
  OK(rustle_tempo_drain(session, reports, COUNT(reports), &count, NULL, NULL));
  EXPECT(count == 12 && reports[0].kind == RUSTLE_TEMPO_REPORT_STATE && reports[0].beat.beats_a_minute == 120);
  size_t changes = 0;
  for (size_t place = 0; place < count; place++) changes += reports[place].kind == RUSTLE_TEMPO_REPORT_SOURCE_CHANGED;
  EXPECT(changes == 1 && is_released(&probe, RUSTLE_RELEASE_ENDED));
  FREE(session, tempo, runtime);
}

static void beats_are_requested_and_refused(void) {
  RustleHandle runtime = manual_runtime(), tempo = clock_on(runtime);
  RustleTempoChanged requested = change(tempo, RUSTLE_TEMPO_REQUEST_BEAT, 8, 250000);
  EXPECT(requested.at_us == 250000 && requested.tap == RUSTLE_TAP_NONE);
  RustleBeat beat;
  OK(rustle_tempo_beats_at(tempo, 250000, RUSTLE_BEATS_SESSION, &beat, NULL));
  EXPECT(beat.beats == 8 && beat.bar_phase == 0 && beat.source == RUSTLE_TEMPO_SOURCE_LINK);
  RustleTempoChange wrong[] = {
      {.kind = RUSTLE_TEMPO_TEMPO, .value = 19},    {.kind = RUSTLE_TEMPO_QUANTUM, .value = 0},
      {.kind = RUSTLE_TEMPO_ENABLED, .value = 2},   {.kind = RUSTLE_TEMPO_MIDI_BYTE, .value = 256},
      {.kind = RUSTLE_TEMPO_PREFER, .value = 5},    {.kind = RUSTLE_TEMPO_HEARD, .value = 120, .confidence = 2},
      {.kind = RUSTLE_TEMPO_NUDGE, .value = 20000}, {.kind = RUSTLE_TEMPO_HALVE},
      {.kind = RUSTLE_TEMPO_DOWNBEAT},              {.kind = 99}};
  for (size_t place = 0; place < COUNT(wrong); place++) {
    RustleTempoChanged changed = {0};
    REFUSED(rustle_tempo_change(tempo, &wrong[place], &changed, &error), RUSTLE_INVALID_VALUE);
  }
  RustleTempoCounts counts;
  OK(rustle_tempo_counts(tempo, &counts, NULL));
  EXPECT(counts.sent == 0 && counts.messages == 0);
  OK(rustle_tempo_shut_down(tempo, NULL));
  RustleTempoChange enabled = {.kind = RUSTLE_TEMPO_ENABLED, .value = 1};
  RustleTempoChanged changed = {0};
  REFUSED(rustle_tempo_change(tempo, &enabled, &changed, &error), RUSTLE_SHUT_DOWN);
  FREE(tempo, runtime);
}

enum { RATE = 8000, CLICK = RATE / 2, LENGTH = 12 * RATE };

static void clicks_have_their_tempo(void) {
  float *samples = calloc(LENGTH, sizeof *samples);
  EXPECT(samples != NULL);
  for (size_t place = 0; place < LENGTH; place++) samples[place] = place % CLICK < 40 ? 0.5f : 0;
  for (uint32_t is_whole = 0; is_whole < 2; is_whole++) {
    RustleRhythmConfiguration configuration = {.sample_rate = RATE, .is_whole = is_whole};
    RustleHandle rhythm = 0;
    OK(rustle_rhythm_new(&configuration, &rhythm, NULL));
    RustleRhythmDescription description;
    OK(rustle_rhythm_describe(rhythm, &description, NULL));
    EXPECT(description.hop == RATE / 100);
    RustleRhythmFrame frames[64];
    size_t at = 0, beats = 0;
    double tempo = 0;
    while (at < LENGTH) {
      size_t taken = 0, written = 0;
      OK(rustle_rhythm_process(rhythm, samples + at, LENGTH - at, frames, COUNT(frames), &taken, &written, NULL));
      EXPECT(taken > 0 && (!is_whole || written == 0));
      at += taken;
      if (written > 0) tempo = frames[written - 1].tempo;
      for (size_t place = 0; place < written; place++) beats += frames[place].is_beat != 0;
    }
    size_t written = 0;
    do {
      OK(rustle_rhythm_finish(rhythm, frames, 5, &written, NULL));
      for (size_t place = 0; place < written; place++) {
        double distance = fmod(frames[place].sample + CLICK / 2, CLICK) - CLICK / 2;
        EXPECT(fabs(distance) < RATE / 50);
        tempo = frames[place].tempo;
      }
      beats += written;
    } while (written == 5);
    EXPECT(fabs(tempo - 120) < 1 && beats > 15 && beats < 25);
    OK(rustle_rhythm_reset(rhythm, NULL));
    FREE(rhythm);
  }
  free(samples);
}

int main(void) {
  taps_are_followed();
  beats_are_requested_and_refused();
  clicks_have_their_tempo();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
