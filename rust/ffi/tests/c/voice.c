// Voices from plain C: the pitch and the other measures of a tone, frame by frame and as a whole.
#include "expect.h"

#define RATE 16000
#define HOP 160

// Of amplitudes 1, 1/2 and 1/3 of 200, 400 and 600 Hz the powers are as 36, 9 and 4.
static float tone[RATE];

// Whatever the room for frames, none is dropped.
static void tracker_finds_a_tone(void) {
  RustlePitchConfiguration wanted = {
      .sample_rate = RATE, .lowest = 75, .highest = 500, .method = RUSTLE_PITCH_HARMONIC, .hop = HOP};
  RustleHandle pitch = 0;
  OK(rustle_pitch_new(&wanted, &pitch, NULL));
  RustlePitchDescription description;
  OK(rustle_pitch_describe(pitch, &description, NULL));
  EXPECT(description.hop == HOP && description.lowest == 75 && description.highest == 500);
  const size_t due = 1 + (RATE - description.frame_length) / HOP;
  static RustlePitchFrame whole[1 + RATE / HOP];
  size_t taken = 0, written = 7, count = 0, place = 0;
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_FRAME, tone, RATE, NULL, 0, &count, NULL));
  EXPECT(count == due && count <= COUNT(whole));
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_VITERBI, tone, RATE, whole, due, &count, NULL));
  OK(rustle_pitch_contour(&wanted, RUSTLE_DECODING_FRAME, tone, RATE, whole, due, &count, NULL));
  REFUSED(rustle_pitch_contour(&wanted, RUSTLE_DECODING_FRAME, tone, RATE, whole, 2, &count, &error), RUSTLE_INVALID_LENGTH);
  OK(rustle_pitch_process(pitch, tone, RATE, NULL, 0, &taken, &written, NULL));
  EXPECT(taken == description.frame_length - 1 && written == 0);
  OK(rustle_pitch_reset(pitch, NULL));
  for (size_t found = 0; place < RATE; place += taken, found += written) {
    RustlePitchFrame frames[7];
    OK(rustle_pitch_process(pitch, tone + place, RATE - place, frames, 7, &taken, &written, NULL));
    EXPECT(taken > 0 && found + written <= due && memcmp(frames, whole + found, written * sizeof *frames) == 0);
    EXPECT(place + taken < RATE ? written == 7 : found + written == due);
  }
  for (size_t n = 0; n < due; n++) {
    EXPECT(whole[n].sample == description.frame_length / 2 + HOP * n && fabs(1200 * log2(whole[n].frequency / 200)) < 0.1);
    EXPECT(whole[n].confidence > 0.9 && whole[n].confidence <= 1 && whole[n].harmonicity > 30 && whole[n].deviation >= 0);
    EXPECT(is_close(whole[n].level, 10 * log10(0.08 * 49 / 36), 0.2));
  }
  OK(rustle_pitch_free(pitch, NULL));
}

static const RustleVoiceConfiguration good = {
    .sample_rate = RATE,
    .lowest = 75,
    .highest = 500,
    .hop = HOP,
    .measures = RUSTLE_VOICE_FORMANTS | RUSTLE_VOICE_HARMONICITY | RUSTLE_VOICE_CENTROID,
    .formants = {.ceiling = 5000, .method = RUSTLE_FORMANTS_WEIGHTED}};

static void analyzer_measures_a_tone(void) {
  RustleHandle voice = 0;
  OK(rustle_voice_new(&good, &voice, NULL));
  RustleVoiceDescription description;
  OK(rustle_voice_describe(voice, &description, NULL));
  EXPECT(description.hop == HOP && description.frame_length > 0 && description.frame_length < RATE);
  const size_t due = 1 + (RATE - description.frame_length) / HOP;
  RustleVoiceFrame frames[7];
  size_t place = 0, taken = 0, written = 0, count = 0;
  while (place < RATE) {
    OK(rustle_voice_process(voice, tone + place, RATE - place, frames, 7, &taken, &written, NULL));
    EXPECT(written <= 7 && taken + place <= RATE && (written == 7 || taken + place == RATE));
    for (size_t n = 0; n < written; n++, count++) {
      EXPECT(frames[n].sample == description.frame_length / 2 + HOP * count && frames[n].is_voiced == 1);
      EXPECT(is_close(frames[n].pitch, 200, 0.1) && frames[n].hnr > 30 && frames[n].confidence > 0.5);
      EXPECT(frames[n].formants.count <= RUSTLE_FORMANT_COUNT && frames[n].reserved == 0);
      EXPECT(is_close(frames[n].centroid, 200 * (36 + 2 * 9 + 3 * 4) / 49.0, 5));
    }
    place += taken;
  }
  EXPECT(count == due);
  RustleVoiceSummary summary;
  OK(rustle_voice_summary(voice, &summary, NULL));
  EXPECT(summary.frames == due && summary.voiced == due && is_close(summary.median_pitch, 200, 0.1));
  EXPECT(is_close(summary.mean_pitch, 200, 0.1) && summary.perturbation.jitter < 0.001);
  EXPECT(is_close(summary.perturbation.mean_period, 0.005, 1e-6));
  OK(rustle_voice_reset(voice, NULL));
  EXPECT(rustle_voice_summary(voice, &summary, NULL) == RUSTLE_OK && summary.frames == 0);
  OK(rustle_voice_free(voice, NULL));
}

static void signal_is_measured(void) {
  RustleSpectrumFeatures features;
  OK(rustle_voice_spectrum(RATE, tone, RATE, &features, NULL));
  EXPECT(is_close(features.centroid, 200 * 66 / 49.0, 5) && features.rolloff > 500 && features.rolloff < 650);
  RustleHarmonicity harmonicity;
  OK(rustle_voice_harmonicity(RATE, 75, 500, tone, RATE, &harmonicity, NULL));
  EXPECT(harmonicity.hnr > 30 && harmonicity.is_voiced == 1 && is_close(harmonicity.frequency, 200, 0.1));
  RustleH1MinusH2 levels;
  for (double f0 = 0; f0 <= 200; f0 += 200) {
    OK(rustle_voice_harmonics(RATE, f0, 75, 500, tone, RATE, &levels, NULL));
    EXPECT(is_close(levels.difference, 20 * log10(2), 0.05) && is_close(levels.first, 20 * log10(0.4), 0.05));
    EXPECT(is_close(levels.second, 20 * log10(0.2), 0.05) && is_close(levels.frequency, 200, 0.1));
  }
  RustlePerturbation perturbation;
  OK(rustle_voice_perturbation(RATE, 75, 500, tone, RATE, &perturbation, NULL));
  EXPECT(perturbation.periods > 150 && perturbation.jitter < 0.001 && perturbation.shimmer < 0.001);
  RustleFormants formants;
  OK(rustle_voice_formants(RATE, &good.formants, NULL, 0, &formants, NULL));
  EXPECT(formants.count == 0 && formants.frequencies[0] == 0 && formants.confidence == 0);
}

int main(void) {
  for (int n = 0; n < RATE; n++) {
    double phase = 2 * PI * 200 * n / RATE;
    tone[n] = (float)(0.4 * (sin(phase) + sin(2 * phase) / 2 + sin(3 * phase) / 3));
  }
  tracker_finds_a_tone();
  analyzer_measures_a_tone();
  signal_is_measured();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
