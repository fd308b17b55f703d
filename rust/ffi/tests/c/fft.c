// Spectra from plain C: the two functions of the brief, plans, and what each refuses.
#include "expect.h"

#define SIZE 1024
#define BINS (SIZE / 2 + 1)

// `cycles` periods of a sine over `length` samples.
static void fill_sine(float *samples, int length, double cycles) {
  for (int n = 0; n < length; n++) samples[n] = (float)sin(2 * PI * cycles * n / length);
}

static void magnitudes_of_a_sine_peak_in_its_bin(void) {
  // Half the window's sum, for each window_type.
  static const double half_sums[] = {SIZE / 2.0, SIZE / 4.0, 0.27 * SIZE, 0.21 * SIZE};
  float samples[SIZE];
  fill_sine(samples, SIZE, 100);
  for (int window = 0; window < 4; window++) {
    const float *magnitudes = compute_fft_rust(samples, SIZE, SIZE, window);
    EXPECT(magnitudes != NULL);
    EXPECT(fabs(magnitudes[100] / half_sums[window] - 1) < 1e-6);
    for (int bin = 0; bin < SIZE / 2; bin++) {
      if (bin < 97 || bin > 103) EXPECT(magnitudes[bin] < 1e-3);
    }
    free_fft_result_rust(magnitudes);
  }
}

static void bad_arguments_give_null(void) {
  float samples[SIZE] = {0};
  EXPECT(compute_fft_rust(NULL, SIZE, SIZE, 0) == NULL);
  EXPECT(compute_fft_rust(NULL, 0, SIZE, 0) == NULL);
  EXPECT(compute_fft_rust(samples, 0, SIZE, 0) == NULL);
  EXPECT(compute_fft_rust(samples, -1, SIZE, 0) == NULL);
  EXPECT(compute_fft_rust(samples, INT32_MIN, SIZE, 0) == NULL);
  static const int32_t sizes[] = {INT32_MIN, -256, 0, 1, 128, 255, 257, 1000, 8191, 16384, INT32_MAX};
  for (size_t i = 0; i < COUNT(sizes); i++) EXPECT(compute_fft_rust(samples, SIZE, sizes[i], 0) == NULL);
  static const int32_t windows[] = {INT32_MIN, -1, 4, INT32_MAX};
  for (size_t i = 0; i < COUNT(windows); i++) {
    EXPECT(compute_fft_rust(samples, SIZE, SIZE, windows[i]) == NULL);
  }
}

static void wrong_frees_do_nothing(void) {
  float samples[256] = {1};
  float of_the_caller = 0;
  const float *result = compute_fft_rust(samples, 256, 256, 0);
  int64_t live = rustle_live_objects();
  free_fft_result_rust(NULL);
  free_fft_result_rust(&of_the_caller);
  free_fft_result_rust(result + 1);
  EXPECT(rustle_live_objects() == live);
  EXPECT(result[10] == 1.0f);
  free_fft_result_rust(result);
  EXPECT(rustle_live_objects() == live - 1);
  free_fft_result_rust(result);
  EXPECT(rustle_live_objects() == live - 1);
}

static RustleHandle plan_of(size_t size, uint32_t scale) {
  RustleFftPlanConfiguration configuration = {.size = size, .window = RUSTLE_WINDOW_HANN, .scale = scale};
  RustleHandle plan = 0;
  OK(rustle_fft_plan_new(&configuration, &plan, NULL));
  return plan;
}

static RustleStatus run(RustleHandle plan, uint32_t form, const float *input, size_t count, float *output, size_t room,
                        float *scratch, size_t length) {
  return rustle_fft_spectrum(plan, form, input, count, output, room, scratch, length, NULL);
}

static RustleStatus magnitudes_of(RustleHandle plan, const float *input, size_t count, float *output, size_t room,
                                  float *scratch, size_t length) {
  return run(plan, RUSTLE_FORM_MAGNITUDES, input, count, output, room, scratch, length);
}

static void forms_agree_with_and_without_scratch(void) {
  RustleHandle plan = plan_of(SIZE, RUSTLE_SCALE_AMPLITUDE);
  RustleFftDescription description;
  OK(rustle_fft_plan_describe(plan, &description, NULL));
  size_t scratch_length = description.scratch_length;
  EXPECT(description.size == SIZE && scratch_length > 0 && description.reserved == 0);
  float *scratch = malloc(scratch_length * sizeof(float));
  float samples[SIZE], magnitudes[BINS], again[BINS], power[BINS], decibels[BINS], bins[2 * BINS];
  fill_sine(samples, SIZE, 50);
  OK(magnitudes_of(plan, samples, SIZE, magnitudes, BINS, scratch, scratch_length));
  OK(magnitudes_of(plan, samples, SIZE, again, BINS, NULL, 0));
  OK(run(plan, RUSTLE_FORM_POWER, samples, SIZE, power, BINS, NULL, 0));
  OK(run(plan, RUSTLE_FORM_DECIBELS, samples, SIZE, decibels, BINS, NULL, 0));
  OK(run(plan, RUSTLE_FORM_COMPLEX, samples, SIZE, bins, 2 * BINS, NULL, 0));
  EXPECT(memcmp(magnitudes, again, sizeof again) == 0);
  EXPECT(fabs(magnitudes[50] - 1) < 1e-6 && fabs(power[50] - 1) < 1e-6 && fabs(decibels[50]) < 1e-5);
  EXPECT(fabs(hypot(bins[100], bins[101]) - 1) < 1e-6);
  free(scratch);
  OK(rustle_fft_plan_free(plan, NULL));
}

static void refusals_name_what_came(void) {
  RustleHandle plan = 0;
  RustleFftPlanConfiguration wanted = {.size = 1000};
  REFUSED(rustle_fft_plan_new(&wanted, &plan, &error), RUSTLE_INVALID_VALUE);
  EXPECT(strstr((char *)error.message, "got 1000") != NULL && plan == 0);

  plan = plan_of(SIZE, RUSTLE_SCALE_NONE);
  float memory[2 * SIZE] = {0}, scratch[1];
  float *output = memory + SIZE;
  EXPECT(magnitudes_of(plan, memory, SIZE - 1, output, BINS, NULL, 0) == RUSTLE_INVALID_LENGTH);
  EXPECT(magnitudes_of(plan, memory, SIZE, output, BINS - 2, NULL, 0) == RUSTLE_INVALID_LENGTH);
  EXPECT(run(plan, RUSTLE_FORM_COMPLEX, memory, SIZE, output, BINS, NULL, 0) == RUSTLE_INVALID_LENGTH);
  EXPECT(magnitudes_of(plan, memory, SIZE, output, BINS, scratch, 1) == RUSTLE_INVALID_LENGTH);
  EXPECT(magnitudes_of(plan, memory, SIZE, memory + 1, BINS, NULL, 0) == RUSTLE_INVALID_VALUE);
  OK(rustle_fft_plan_free(plan, NULL));
  EXPECT(magnitudes_of(plan, memory, SIZE, output, BINS, NULL, 0) == RUSTLE_STALE_HANDLE);
}

static void window_and_peaks(void) {
  float window[5];
  OK(rustle_fft_window(RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_SYMMETRIC, window, 5, NULL));
  EXPECT(window[0] == 0 && fabs(window[1] - 0.5) < 1e-7 && window[2] == 1 && window[4] == 0);
  OK(rustle_fft_window(0, 0, NULL, 0, NULL));

  RustleHandle plan = plan_of(SIZE, RUSTLE_SCALE_AMPLITUDE);
  float samples[SIZE], amplitudes[BINS];
  fill_sine(samples, SIZE, 50.3);
  OK(magnitudes_of(plan, samples, SIZE, amplitudes, BINS, NULL, 0));
  OK(rustle_fft_plan_free(plan, NULL));
  RustlePeakSearch search = {.sample_rate = SIZE, .threshold = 0.01, .window = RUSTLE_WINDOW_HANN};
  RustlePeak peaks[4];
  size_t count = 0;
  OK(rustle_spectrum_peaks(amplitudes, BINS, &search, peaks, 4, &count, NULL));
  EXPECT(count == 1);
  EXPECT(fabs(peaks[0].frequency - 50.3) < 1e-3 && fabs(peaks[0].amplitude - 1) < 1e-3);
  EXPECT(rustle_spectrum_peaks(amplitudes, BINS, &search, NULL, 0, &count, NULL) == RUSTLE_OK && count == 0);
  EXPECT(rustle_spectrum_peaks(amplitudes, BINS - 1, &search, peaks, 4, &count, NULL) == RUSTLE_INVALID_LENGTH);
}

int main(void) {
  magnitudes_of_a_sine_peak_in_its_bin();
  bad_arguments_give_null();
  wrong_frees_do_nothing();
  forms_agree_with_and_without_scratch();
  refusals_name_what_came();
  window_and_peaks();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
