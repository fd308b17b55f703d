// Pitch from plain C: a tracker gives what it promises, and refuses what is out of its range.
#include "expect.h"

#define RATE 44100
#define LENGTH 22050
#define WINDOW 2048
#define HOP 441
#define FRAMES (1 + (LENGTH - WINDOW) / HOP)

static float sound[LENGTH];

static RustlePitchConfiguration configuration(void) {
  return (RustlePitchConfiguration){
      .sample_rate = RATE, .lowest = 60, .highest = 1000, .method = RUSTLE_PITCH_HARMONIC, .window = 0, .hop = HOP};
}

static RustleHandle new_pitch(void) {
  RustlePitchConfiguration wanted = configuration();
  RustleHandle pitch = 0;
  EXPECT(rustle_pitch_new(&wanted, &pitch, NULL) == RUSTLE_OK && pitch != 0);
  return pitch;
}

static void tracker_finds_a_tone(const RustlePitchFrame *whole) {
  for (size_t n = 0; n < FRAMES; n++) {
    EXPECT(whole[n].sample == WINDOW / 2 + HOP * n);
    EXPECT(fabs(1200 * log2(whole[n].frequency / 220)) < 0.01);
    EXPECT(whole[n].confidence > 0.9 && whole[n].confidence <= 1);
    EXPECT(whole[n].harmonicity > 40 && whole[n].deviation >= 0);
    EXPECT(fabs(whole[n].level - 20 * log10(0.5 * sqrt(0.5))) < 0.1);
  }
}

// However much room there is for frames, none is lost.
static void nothing_is_lost_for_want_of_room(const RustlePitchFrame *whole) {
  for (size_t room = 1; room <= FRAMES + 1; room += 6) {
    RustleHandle pitch = new_pitch();
    RustlePitchFrame frames[FRAMES + 1];
    size_t at = 0, found = 0;
    while (at < LENGTH) {
      size_t taken = 0, written = 0;
      OK(rustle_pitch_process(pitch, sound + at, LENGTH - at, frames, room, &taken, &written, NULL));
      EXPECT(taken > 0 && written <= room && found + written <= FRAMES);
      EXPECT(memcmp(frames, whole + found, written * sizeof *frames) == 0);
      at += taken;
      found += written;
      EXPECT(at == LENGTH || written == room);
    }
    EXPECT(found == FRAMES);
    OK(rustle_pitch_free(pitch, NULL));
  }
}

static void without_room_samples_are_taken_up_to_a_frames_last(void) {
  RustleHandle pitch = new_pitch();
  RustlePitchFrame frame;
  size_t taken = 0, written = 7;
  OK(rustle_pitch_process(pitch, sound, LENGTH, NULL, 0, &taken, &written, NULL));
  EXPECT(taken == WINDOW - 1 && written == 0);
  OK(rustle_pitch_process(pitch, sound + taken, 9, NULL, 0, &taken, &written, NULL));
  EXPECT(taken == 0 && written == 0);
  OK(rustle_pitch_process(pitch, sound + WINDOW - 1, 1, &frame, 1, &taken, &written, NULL));
  EXPECT(taken == 1 && written == 1 && frame.sample == WINDOW / 2);
  OK(rustle_pitch_reset(pitch, NULL));
  OK(rustle_pitch_process(pitch, sound, LENGTH, NULL, 0, &taken, &written, NULL));
  EXPECT(taken == WINDOW - 1);
  OK(rustle_pitch_free(pitch, NULL));
}

static void description_tells_what_the_window_holds(void) {
  RustlePitchConfiguration wanted = configuration();
  RustlePitchDescription description;
  RustleHandle pitch = new_pitch();
  OK(rustle_pitch_describe(pitch, &description, NULL));
  EXPECT(description.window == WINDOW && description.hop == HOP);
  EXPECT(description.lowest == 60 && description.highest == 1000);
  OK(rustle_pitch_free(pitch, NULL));
  wanted.window = 512;
  wanted.highest = 1e6;
  OK(rustle_pitch_new(&wanted, &pitch, NULL));
  OK(rustle_pitch_describe(pitch, &description, NULL));
  EXPECT(description.window == 512 && fabs(description.lowest - 2.25 * RATE / 512) < 1e-9);
  EXPECT(fabs(description.highest - 0.45 * RATE) < 1e-9);
  OK(rustle_pitch_free(pitch, NULL));
}

static void refusals(void) {
  RustlePitchConfiguration bad;
  RustleHandle pitch = 0;
  RustlePitchFrame frames[2];
  size_t count = 7;
#define WITH(field, value) (bad = configuration(), bad.field = (value), rustle_pitch_new(&bad, &pitch, &error))
  REFUSED(WITH(lowest, 0), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(highest, 50), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(highest, INFINITY), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(window, 1000), RUSTLE_INVALID_VALUE);
  REFUSED(WITH(hop, 0), RUSTLE_INVALID_VALUE);
  REFUSED(rustle_pitch_contour(&bad, RUSTLE_DECODING_FRAME, sound, LENGTH, NULL, 0, &count, &error), RUSTLE_INVALID_VALUE);
  bad = configuration();
  REFUSED(rustle_pitch_contour(&bad, RUSTLE_DECODING_FRAME, sound, LENGTH, frames, 2, &count, &error), RUSTLE_INVALID_LENGTH);
  EXPECT(pitch == 0 && count == 7);
}

int main(void) {
  const double step = 2 * PI * 220 / RATE;
  for (size_t n = 0; n < LENGTH; n++) sound[n] = 0.5f * (float)sin(step * (double)n);
  static RustlePitchFrame whole[FRAMES], path[FRAMES];
  RustlePitchConfiguration wanted = configuration();
  size_t count = 0;
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_FRAME, sound, LENGTH, NULL, 0, &count, NULL));
  EXPECT(count == FRAMES);
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_FRAME, sound, LENGTH, whole, FRAMES, &count, NULL));
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_VITERBI, sound, LENGTH, path, FRAMES, &count, NULL));
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_FRAME, sound, WINDOW - 1, NULL, 0, &count, NULL));
  EXPECT(count == 0);
  tracker_finds_a_tone(whole);
  tracker_finds_a_tone(path);
  nothing_is_lost_for_want_of_room(whole);
  without_room_samples_are_taken_up_to_a_frames_last();
  description_tells_what_the_window_holds();
  refusals();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
