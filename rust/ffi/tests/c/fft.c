// Spectra from plain C: the two functions of the brief, plans and inverses, short-time spectra, windows and peaks.
// `rust/ffi/tests/calls` tests the arguments of every function, of the other programs too.
#include "expect.h"

#define SIZE 1024
#define BINS (SIZE / 2 + 1)
#define HOP 100
#define LENGTH 3000
#define FRAMES (1 + LENGTH / HOP)

static float signal[LENGTH];

// `cycles` periods of a sine in each `SIZE` samples.
static void fill_sine(double cycles) {
  for (int n = 0; n < LENGTH; n++) signal[n] = (float)sin(2 * PI * cycles * n / SIZE);
}

static void magnitudes_of_a_sine_peak_in_its_bin(void) {
  // Half the window's sum, for each window_type.
  static const double half_sums[] = {SIZE / 2.0, SIZE / 4.0, 0.27 * SIZE, 0.21 * SIZE};
  for (int window = 0; window < 4; window++) {
    const float *magnitudes = compute_fft_rust(signal, SIZE, SIZE, window);
    EXPECT(magnitudes != NULL);
    EXPECT(fabs(magnitudes[100] / half_sums[window] - 1) < 1e-6);
    for (int bin = 0; bin < SIZE / 2; bin++) {
      if (bin < 97 || bin > 103) EXPECT(magnitudes[bin] < 1e-3);
    }
    free_fft_result_rust(magnitudes);
  }
}

static void bad_arguments_give_null(void) {
  static const int32_t lengths[] = {0, -1, INT32_MIN};
  static const int32_t sizes[] = {INT32_MIN, -256, 0, 1, 128, 255, 257, 1000, 8191, 16384, INT32_MAX};
  static const int32_t windows[] = {INT32_MIN, -1, 4, INT32_MAX};
  EXPECT(compute_fft_rust(NULL, SIZE, SIZE, 0) == NULL && compute_fft_rust(NULL, 0, SIZE, 0) == NULL);
  for (size_t i = 0; i < COUNT(lengths); i++) EXPECT(compute_fft_rust(signal, lengths[i], SIZE, 0) == NULL);
  for (size_t i = 0; i < COUNT(sizes); i++) EXPECT(compute_fft_rust(signal, SIZE, sizes[i], 0) == NULL);
  for (size_t i = 0; i < COUNT(windows); i++) EXPECT(compute_fft_rust(signal, SIZE, SIZE, windows[i]) == NULL);
}

static void wrong_frees_do_nothing(void) {
  float samples[256] = {1};
  const float *result = compute_fft_rust(samples, 256, 256, 0);
  int64_t live = rustle_live_objects();
  free_fft_result_rust(NULL);
  free_fft_result_rust(samples);
  free_fft_result_rust(result + 1);
  EXPECT(rustle_live_objects() == live && result[10] == 1.0f);
  free_fft_result_rust(result);
  free_fft_result_rust(result);
  EXPECT(rustle_live_objects() == live - 1);
}

static RustleHandle plan_of(uint32_t window, uint32_t normalization) {
  RustleFftPlanConfiguration configuration = {.size = SIZE, .window = window, .normalization = normalization};
  RustleHandle plan = 0;
  OK(rustle_fft_plan_new(&configuration, &plan, NULL));
  return plan;
}

static void samples_come_back_with_and_without_scratch(void) {
  RustleHandle plan = plan_of(RUSTLE_WINDOW_NONE, RUSTLE_NORMALIZATION_NONE), inverse = 0;
  RustleFftInverseConfiguration settings = {.size = SIZE};
  OK(rustle_fft_inverse_new(&settings, &inverse, NULL));
  RustleFftDescription there, back;
  uint32_t instruction_set = 0;
  OK(rustle_fft_instruction_set(&instruction_set, NULL));
  OK(rustle_fft_plan_describe(plan, &there, NULL));
  OK(rustle_fft_inverse_describe(inverse, &back, NULL));
  EXPECT(rustle_fft_plan_describe(inverse, &there, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(there.size == SIZE && back.size == SIZE && there.reserved == 0);
  EXPECT(there.instruction_set == instruction_set && back.instruction_set == instruction_set);
  size_t length = there.scratch_length > back.scratch_length ? there.scratch_length : back.scratch_length;
  float *scratch = malloc(length * sizeof(float));
  memset(scratch, 0xFF, length * sizeof(float));
  float bins[SIZE + 2], again[SIZE + 2], samples[SIZE];
  OK(rustle_fft_spectrum(plan, RUSTLE_OUTPUT_COMPLEX, signal, SIZE, bins, SIZE + 2, NULL, 0, NULL));
  OK(rustle_fft_spectrum(plan, RUSTLE_OUTPUT_COMPLEX, signal, SIZE, again, SIZE + 2, scratch, length, NULL));
  EXPECT(memcmp(bins, again, sizeof bins) == 0);
  OK(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, samples, SIZE, NULL, 0, NULL));
  OK(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, again, SIZE, scratch, length, NULL));
  EXPECT(memcmp(samples, again, sizeof samples) == 0);
  for (int n = 0; n < SIZE; n++) EXPECT(fabsf(samples[n] - signal[n]) < 1e-6f);
  free(scratch);
  OK(rustle_fft_plan_free(plan, NULL));
  OK(rustle_fft_inverse_free(inverse, NULL));
}

static void window_and_peaks(void) {
  float window[5], amplitudes[BINS];
  OK(rustle_fft_window(RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_SYMMETRIC, window, 5, NULL));
  EXPECT(window[0] == 0 && fabs(window[1] - 0.5) < 1e-7 && window[2] == 1 && window[4] == 0);
  RustleHandle plan = plan_of(RUSTLE_WINDOW_HANN, RUSTLE_NORMALIZATION_AMPLITUDE);
  OK(rustle_fft_spectrum(plan, RUSTLE_OUTPUT_MAGNITUDES, signal, SIZE, amplitudes, BINS, NULL, 0, NULL));
  FREE(plan);
  RustlePeakSearch search = {.sample_rate = SIZE, .threshold = 0.01, .window = RUSTLE_WINDOW_HANN};
  RustlePeak peaks[4];
  size_t count = 0;
  OK(rustle_spectrum_peaks(amplitudes, BINS, &search, peaks, 4, &count, NULL));
  EXPECT(count == 1 && fabs(peaks[0].frequency - 50.3) < 1e-3 && fabs(peaks[0].amplitude - 1) < 1e-3);
}

static void frames_are_the_same_whole_and_in_pieces(void) {
  RustleStftConfiguration configuration = {.size = SIZE,
                                           .hop = HOP,
                                           .window = RUSTLE_WINDOW_HANN,
                                           .normalization = RUSTLE_NORMALIZATION_AMPLITUDE,
                                           .padding = RUSTLE_PADDING_REFLECT,
                                           .output = RUSTLE_OUTPUT_MAGNITUDES};
  RustleHandle stft = 0, stream = 0;
  OK(rustle_stft_new(&configuration, &stft, NULL));
  size_t count = 0, taken = 0, written = 0, done = 0;
  RustleStftDescription description;
  EXPECT(rustle_stft_frame_count(stft, LENGTH, &count, NULL) == RUSTLE_OK && count == FRAMES);
  EXPECT(rustle_stft_describe(stft, &description, NULL) == RUSTLE_OK && description.row_length == BINS);
  static float whole[FRAMES * BINS], pieces[FRAMES * BINS];
  OK(rustle_stft_frames(stft, signal, LENGTH, 0, whole, FRAMES * BINS, NULL, 0, &count, NULL));
  EXPECT(count == FRAMES && fabsf(whole[15 * BINS + 100] - 1) < 1e-3f);
  RustleStftStreamConfiguration of = {stft};
  OK(rustle_stft_stream_new(&of, &stream, NULL));
  OK(rustle_stft_free(stft, NULL));
  OK(rustle_stft_stream_push(stream, signal + 7, 900, pieces, BINS, &taken, &written, NULL));
  OK(rustle_stft_stream_reset(stream, NULL));
  for (size_t at = 0; at < LENGTH; at += taken) {
    size_t piece = LENGTH - at < 77 ? LENGTH - at : 77;
    OK(rustle_stft_stream_push(stream, signal + at, piece, pieces + done * BINS, BINS, &taken, &written, NULL));
    done += written;
  }
  do {
    float row[BINS];
    OK(rustle_stft_stream_finish(stream, row, BINS, &written, NULL));
    EXPECT(done + written <= FRAMES);
    memcpy(pieces + done * BINS, row, written * sizeof row);
    done += written;
  } while (written > 0);
  EXPECT(done == FRAMES && memcmp(pieces, whole, sizeof whole) == 0);
  REFUSED(rustle_stft_stream_push(stream, signal, LENGTH, pieces, 7, &taken, &written, &error), RUSTLE_INVALID_LENGTH);
  OK(rustle_stft_stream_free(stream, NULL));
}

int main(void) {
  fill_sine(100);
  magnitudes_of_a_sine_peak_in_its_bin();
  bad_arguments_give_null();
  wrong_frees_do_nothing();
  samples_come_back_with_and_without_scratch();
  frames_are_the_same_whole_and_in_pieces();
  fill_sine(50.3);
  window_and_peaks();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
