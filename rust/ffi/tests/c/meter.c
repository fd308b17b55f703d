// Processing from plain C: an equalizer follows its response, and a meter shows the levels.
#include "expect.h"

#define RATE 48000

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

static void equalizer_amplifies_as_its_curve_says(void) {
  RustleEqualizerBand bands[2] = {{.frequency = 1000, .gain = 6, .q = 1.4, .kind = RUSTLE_BAND_PEAKING},
                                  {.frequency = 2000, .gain = 6, .q = 1.4, .kind = RUSTLE_BAND_PEAKING}};
  // Lists that are read may be the same.
  RustleEqualizerSettings settings = {.left = bands, .left_count = 1, .right = bands, .right_count = 1};
  RustleEqualizerConfiguration configuration = {.sample_rate = RATE, .channels = 1, .bands = 2, .settings = settings};
  RustleHandle equalizer = 0;
  OK(rustle_equalizer_new(&configuration, &equalizer, NULL));
  double frequencies[2] = {1000, 2000}, left[2], right[2], targets[2] = {6, 6}, gains[2] = {0}, preamp = 1, distance = 1;
  OK(rustle_equalizer_response(&settings, RATE, frequencies, 2, left, 2, right, 2, NULL));
  EXPECT(is_close(left[0], 6, 1e-3) && left[1] > 0 && left[1] < 3 && right[0] == left[0] && right[1] == left[1]);
  make_tone(2000);
  OK(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL));
  EXPECT(is_close(level_of_tone(), -20 + left[1], 1e-3));
  EXPECT(rustle_equalizer_preamp(&settings, RATE, &preamp, NULL) == RUSTLE_OK && is_close(preamp, -6, 1e-3));
  // Twice 6 dB for a tone that two bands share is too much: the solution has less gain and meets both.
  OK(rustle_equalizer_solve(bands, 2, targets, 2, RATE, gains, 2, &distance, NULL));
  EXPECT(distance < 0.01 && gains[0] < 6);
  for (int k = 0; k < 2; k++) bands[k].gain = gains[k];
  settings.left_count = 2;
  left[0] = left[1] = 0;
  OK(rustle_equalizer_change(equalizer, &settings, frequencies, 2, left, 2, right, 2, NULL));
  EXPECT(is_close(left[0], 6, 0.02) && is_close(left[1], 6, 0.02));
  make_tone(2000);
  EXPECT(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL) == RUSTLE_OK && is_close(level_of_tone(), -14, 0.02));
  EXPECT(rustle_equalizer_set_bypassed(equalizer, 1, NULL) == RUSTLE_OK && rustle_equalizer_reset(equalizer, NULL) == RUSTLE_OK);
  make_tone(1000);
  static float before[10 * RATE];
  memcpy(before, tone, sizeof tone);
  OK(rustle_equalizer_process(equalizer, tone, 10 * RATE, NULL));
  EXPECT(memcmp(before, tone, sizeof tone) == 0);
  settings.left_count = 65;
  REFUSED(rustle_equalizer_change(equalizer, &settings, NULL, 0, NULL, 0, NULL, 0, &error), RUSTLE_INVALID_LENGTH);
  OK(rustle_equalizer_free(equalizer, NULL));
}

static void meter_measures_a_tone(void) {
  static const uint32_t mono[1] = {RUSTLE_CHANNEL_FRONT};
  RustleMeterConfiguration configuration = {.sample_rate = RATE,
                                            .offset = 100,
                                            .channels = mono,
                                            .channel_count = 1,
                                            .metered = RUSTLE_CHANNEL_ALL,
                                            .weighting = RUSTLE_WEIGHTING_A,
                                            .time = RUSTLE_TIME_FAST,
                                            .loudness = 1,
                                            .bands = RUSTLE_BANDS_THIRD_OCTAVE};
  RustleHandle meter = 0;
  RustleMeterReading reading;
  double level = 0, value = 0, centres[40], levels[40];
  size_t count = 0;
  uint32_t level_zone = 9;
  OK(rustle_meter_new(&configuration, &meter, NULL));
  make_tone(1000);
  OK(rustle_meter_process(meter, tone, 10 * RATE, NULL));
  OK(rustle_meter_read(meter, &reading, NULL));
  EXPECT(reading.seconds == 10 && reading.overloads == 0 && reading.reserved == 0);
  EXPECT(is_close(reading.equivalent_continuous_level, 80, 0.01) && is_close(reading.level, 80, 0.02) && is_close(reading.highest, 80, 0.05));
  // The filter overshoots a little where the tone sets in.
  EXPECT(is_close(reading.sound_exposure_level, 90, 0.01) && reading.peak > 83 && reading.peak < 83.5);
  EXPECT(is_close(reading.integrated, -20, 0.05) && is_close(reading.momentary, -20, 0.05));
  EXPECT(is_close(reading.short_term, -20, 0.05) && is_close(reading.true_peak, -16.99, 0.1));
  // 120 sqrt((0.1 - m) / (1 - m)), m = 1e-4: silent.
  EXPECT(is_close(reading.display_value, 37.93, 0.05) && reading.level_zone == 0);
  OK(rustle_display_scale(-20, &value, &level_zone, NULL));
  EXPECT(is_close(value, 37.93, 0.01) && level_zone == 0);
  EXPECT(rustle_meter_exceeded(meter, 50, &level, NULL) == RUSTLE_OK && is_close(level, 80, 0.1));
  centres[1] = levels[1] = 77;
  EXPECT(rustle_meter_bands(meter, centres, 2, levels, 1, &count, NULL) == RUSTLE_OK && count >= 30 && count <= 40);
  EXPECT(centres[1] == 77 && levels[1] == 77);
  OK(rustle_meter_bands(meter, centres, 40, levels, 40, &count, NULL));
  int seen = 0;
  for (size_t n = 0; n < count; n++) {
    if (fabs(centres[n] - 1000) < 1) seen += is_close(levels[n], -20, 0.05);
    else EXPECT(levels[n] < -35);
  }
  EXPECT(seen == 1);
  RustleHandle other = 0;
  RustleMeterAddition addition = {.meter = meter};
  configuration.sample_rate = 2 * RATE;
  OK(rustle_meter_new(&configuration, &other, NULL));
  // At twice the rate it is 1 kHz, for 5 s.
  make_tone(500);
  OK(rustle_meter_process(other, tone, 10 * RATE, NULL));
  OK(rustle_meter_add(other, &addition, NULL));
  OK(rustle_meter_read(other, &reading, NULL));
  EXPECT(is_close(reading.seconds, 15, 1e-9) && is_close(reading.equivalent_continuous_level, 80, 0.01));
  EXPECT(is_close(reading.integrated, -20, 0.05) && is_close(reading.range, 0, 0.05));
  REFUSED(rustle_meter_add(meter, &addition, &error), RUSTLE_WRONG_STATE);
  OK(rustle_meter_free(other, NULL));
  configuration.range_step = RUSTLE_RANGE_STEP_SECOND;
  OK(rustle_meter_new(&configuration, &other, NULL));
  REFUSED(rustle_meter_add(other, &addition, &error), RUSTLE_INVALID_VALUE);
  OK(rustle_meter_free(other, NULL));
  EXPECT(rustle_meter_restart(meter, NULL) == RUSTLE_OK && rustle_meter_read(meter, &reading, NULL) == RUSTLE_OK);
  EXPECT(reading.seconds == 0 && rustle_meter_exceeded(meter, 50, &level, NULL) == RUSTLE_OK && isnan(level));
  OK(rustle_meter_free(meter, NULL));
}

int main(void) {
  equalizer_amplifies_as_its_curve_says();
  meter_measures_a_tone();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
