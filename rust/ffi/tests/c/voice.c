// Voices from plain C: analyzers and measures give what they promise, and refuse what they must.
#include <math.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define RATE 16000
#define PI 3.14159265358979323846
#define IS(call, expected) refused((call), (expected), &error)
#define ALL (RUSTLE_VOICE_FORMANTS | RUSTLE_VOICE_HARMONICITY | RUSTLE_VOICE_CENTROID)

static RustleError error;
static float tone[RATE];

static void refused(int32_t got, int32_t expected, const RustleError *record) {
  if (got != expected) fprintf(stderr, "status %d: %.*s\n", got, (int)record->message_length, record->message);
  EXPECT(got == expected && record->status == expected && record->message_length > 0);
}

static int close_to(double got, double expected, double tolerance) {
  if (fabs(got - expected) <= tolerance) return 1;
  fprintf(stderr, "expected %g within %g, got %g\n", expected, tolerance, got);
  return 0;
}

static RustleVoiceConfiguration configuration(void) {
  return (RustleVoiceConfiguration){.sample_rate = RATE,
                                    .lowest = 75,
                                    .highest = 500,
                                    .hop = 160,
                                    .measures = ALL,
                                    .formants = {.ceiling = 5000, .method = RUSTLE_FORMANTS_WEIGHTED}};
}

static void analyzer_measures_a_tone(void) {
  RustleVoiceConfiguration wanted = configuration();
  RustleHandle voice = 0;
  EXPECT(rustle_voice_new(&wanted, &voice, NULL) == RUSTLE_OK);
  RustleVoiceDescription description;
  EXPECT(rustle_voice_describe(voice, &description, NULL) == RUSTLE_OK);
  EXPECT(description.hop == 160 && description.window > 0 && description.window < RATE);
  const size_t due = 1 + (RATE - description.window) / description.hop;
  RustleVoiceFrame frames[7];
  size_t place = 0, taken = 0, written = 0, count = 0;
  while (place < RATE) {
    EXPECT(rustle_voice_process(voice, tone + place, RATE - place, frames, 7, &taken, &written, NULL) == RUSTLE_OK);
    EXPECT(written <= 7 && taken + place <= RATE && (written == 7 || taken + place == RATE));
    for (size_t n = 0; n < written; n++, count++) {
      EXPECT(frames[n].sample == description.window / 2 + 160 * count && frames[n].is_voiced == 1);
      EXPECT(close_to(frames[n].pitch, 200, 0.1) && frames[n].hnr > 30 && frames[n].confidence > 0.5);
      EXPECT(frames[n].formants.count <= RUSTLE_FORMANT_COUNT && frames[n].reserved == 0);
      // Of amplitudes 1, 1/2 and 1/3 of 200, 400 and 600 Hz the powers are as 36, 9 and 4.
      EXPECT(close_to(frames[n].centroid, 200 * (36 + 2 * 9 + 3 * 4) / 49.0, 5));
    }
    place += taken;
  }
  EXPECT(count == due);
  // With no room samples are taken up to the next frame's last.
  EXPECT(rustle_voice_process(voice, tone, RATE, NULL, 0, &taken, &written, NULL) == RUSTLE_OK);
  EXPECT(written == 0 && taken < 160);
  RustleVoiceSummary summary;
  EXPECT(rustle_voice_summary(voice, &summary, NULL) == RUSTLE_OK);
  EXPECT(summary.frames == due && summary.voiced == due && close_to(summary.median_pitch, 200, 0.1));
  EXPECT(close_to(summary.mean_pitch, 200, 0.1) && summary.perturbation.jitter < 0.001);
  EXPECT(close_to(summary.perturbation.mean_period, 0.005, 1e-6));
  EXPECT(rustle_voice_reset(voice, NULL) == RUSTLE_OK);
  EXPECT(rustle_voice_summary(voice, &summary, NULL) == RUSTLE_OK && summary.frames == 0);
  EXPECT(rustle_voice_free(voice, NULL) == RUSTLE_OK);
}

static void signal_is_measured(void) {
  RustleSpectrumFeatures features;
  EXPECT(rustle_voice_spectrum(RATE, tone, RATE, &features, NULL) == RUSTLE_OK);
  EXPECT(close_to(features.centroid, 200 * 66 / 49.0, 5) && features.rolloff > 500 && features.rolloff < 650);
  RustleHarmonicity harmonicity;
  EXPECT(rustle_voice_harmonicity(RATE, 75, 500, tone, RATE, &harmonicity, NULL) == RUSTLE_OK);
  EXPECT(harmonicity.hnr > 30 && harmonicity.is_voiced == 1 && close_to(harmonicity.frequency, 200, 0.1));
  for (double f0 = 0; f0 <= 200; f0 += 200) {
    RustleHarmonicDifference levels;
    EXPECT(rustle_voice_harmonics(RATE, f0, 75, 500, tone, RATE, &levels, NULL) == RUSTLE_OK);
    EXPECT(close_to(levels.difference, 20 * log10(2), 0.05) && close_to(levels.first, 20 * log10(0.4), 0.05));
    EXPECT(close_to(levels.second, 20 * log10(0.2), 0.05) && close_to(levels.frequency, 200, 0.1));
  }
  RustlePerturbation perturbation;
  EXPECT(rustle_voice_perturbation(RATE, 75, 500, tone, RATE, &perturbation, NULL) == RUSTLE_OK);
  EXPECT(perturbation.periods > 150 && perturbation.jitter < 0.001 && perturbation.shimmer < 0.001);
  RustleFormantConfiguration wanted = configuration().formants;
  RustleFormants formants;
  EXPECT(rustle_voice_formants(RATE, &wanted, NULL, 0, &formants, NULL) == RUSTLE_OK);
  EXPECT(formants.count == 0 && formants.frequencies[0] == 0 && formants.confidence == 0);
}

static void analyzer_refuses(void) {
  RustleVoiceConfiguration good = configuration(), bad;
  RustleHandle voice = 0;
  IS(rustle_voice_new(NULL, &voice, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_new(&good, NULL, &error), RUSTLE_NULL_POINTER);
#define WITH(field, value) (bad = good, bad.field = (value), IS(rustle_voice_new(&bad, &voice, &error), RUSTLE_INVALID_VALUE))
  WITH(sample_rate, 7999);
  WITH(sample_rate, NAN);
  WITH(lowest, 39);
  WITH(highest, 75);
  WITH(highest, 4000);
  WITH(hop, 1048577);
  WITH(measures, 8);
  WITH(formants.ceiling, 2000);
  WITH(formants.length, -1);
  WITH(formants.order, 3);
  WITH(formants.method, 2);
  EXPECT(voice == 0);
  // Formants that are not looked for are not read.
  bad = good, bad.measures = 0, bad.formants.method = 7;
  EXPECT(rustle_voice_new(&bad, &voice, NULL) == RUSTLE_OK && rustle_voice_free(voice, NULL) == RUSTLE_OK);
  EXPECT(rustle_voice_new(&good, &voice, NULL) == RUSTLE_OK);
  union {
    RustleVoiceFrame frame;
    float samples[8];
  } shared = {.samples = {0}};
  RustleVoiceFrame frame;
  size_t taken = 77, written = 77;
  IS(rustle_voice_process(voice, NULL, 1, &frame, 1, &taken, &written, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_process(voice, tone, 1, NULL, 1, &taken, &written, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_process(voice, tone, 1, &frame, 1, NULL, &written, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_process(voice, tone, 1, &frame, 1, &taken, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_process(voice, tone, 1, &frame, 1, &taken, &taken, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_process(voice, shared.samples, 8, &shared.frame, 1, &taken, &written, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_process(voice, tone, SIZE_MAX, &frame, 1, &taken, &written, &error), RUSTLE_INVALID_LENGTH);
  EXPECT(taken == 77 && written == 77);
  RustleVoiceSummary summary;
  RustleVoiceDescription description;
  IS(rustle_voice_summary(voice, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_describe(voice, NULL, &error), RUSTLE_NULL_POINTER);
  EXPECT(rustle_voice_free(voice, NULL) == RUSTLE_OK);
  IS(rustle_voice_free(voice, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_voice_reset(voice, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_voice_summary(voice, &summary, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_voice_describe(voice, &description, &error), RUSTLE_STALE_HANDLE);
  IS(rustle_voice_process(voice, tone, 1, &frame, 1, &taken, &written, &error), RUSTLE_STALE_HANDLE);
}

static void measures_refuse(void) {
  union {
    float samples[64];
    RustleFormants formants;
    RustleSpectrumFeatures features;
    RustleHarmonicity harmonicity;
    RustleHarmonicDifference levels;
    RustlePerturbation perturbation;
  } shared = {.samples = {0}}, other = {.samples = {0}};
  const float *in = other.samples;
  RustleFormantConfiguration good = configuration().formants, bad = good;
  bad.method = 2;
  IS(rustle_voice_formants(RATE, NULL, in, 64, &shared.formants, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_formants(RATE, &good, NULL, 64, &shared.formants, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_formants(RATE, &good, in, 64, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_formants(RATE, &bad, in, 64, &shared.formants, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_formants(7, &good, in, 64, &shared.formants, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_formants(RATE, &good, shared.samples, 64, &shared.formants, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_spectrum(RATE, in, 64, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_spectrum(7, in, 64, &shared.features, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_spectrum(RATE, shared.samples, 64, &shared.features, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_spectrum(RATE, in, SIZE_MAX / 4, &shared.features, &error), RUSTLE_INVALID_LENGTH);
  IS(rustle_voice_harmonicity(RATE, 75, 500, in, 64, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_harmonicity(RATE, 500, 75, in, 64, &shared.harmonicity, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_harmonicity(RATE, 75, 500, shared.samples, 64, &shared.harmonicity, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_harmonics(RATE, 0, 75, 500, in, 64, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_harmonics(RATE, 4001, 75, 500, in, 64, &shared.levels, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_harmonics(RATE, NAN, 75, 500, in, 64, &shared.levels, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_harmonics(RATE, 0, 75, 500, shared.samples, 64, &shared.levels, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_perturbation(RATE, 75, 500, in, 64, NULL, &error), RUSTLE_NULL_POINTER);
  IS(rustle_voice_perturbation(RATE, NAN, 500, in, 64, &shared.perturbation, &error), RUSTLE_INVALID_VALUE);
  IS(rustle_voice_perturbation(RATE, 75, 500, shared.samples, 64, &shared.perturbation, &error), RUSTLE_INVALID_VALUE);
}

int main(void) {
  for (int n = 0; n < RATE; n++) {
    double phase = 2 * PI * 200 * n / RATE;
    tone[n] = (float)(0.4 * (sin(phase) + sin(2 * phase) / 2 + sin(3 * phase) / 3));
  }
  analyzer_measures_a_tone();
  signal_is_measured();
  analyzer_refuses();
  measures_refuse();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
