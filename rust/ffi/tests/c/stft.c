// Short-time spectra, the inverse transform and the paths from plain C: results, and what each refuses.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "rustle.h"

#define SIZE 256
#define HOP 100
#define BINS (SIZE / 2 + 1)
#define LENGTH 1000
#define FRAMES (1 + LENGTH / HOP)

static float signal[LENGTH];

static RustleStftConfiguration configuration(void) {
  return (RustleStftConfiguration){.size = SIZE,
                                   .hop = HOP,
                                   .window = RUSTLE_WINDOW_HANN,
                                   .scale = RUSTLE_SCALE_AMPLITUDE,
                                   .padding = RUSTLE_PADDING_REFLECT,
                                   .form = RUSTLE_FORM_MAGNITUDES};
}

static RustleHandle new_stft(void) {
  RustleStftConfiguration settings = configuration();
  RustleHandle stft = 0;
  EXPECT(rustle_stft_new(&settings, &stft, NULL) == RUSTLE_OK);
  return stft;
}

static RustleHandle new_plan(uint32_t window, uint32_t path) {
  RustleFftPlanConfiguration settings = {.size = SIZE, .window = window, .path = path};
  RustleHandle plan = 0;
  EXPECT(rustle_fft_plan_new(&settings, &plan, NULL) == RUSTLE_OK);
  return plan;
}

static void paths_are_named_and_forced(void) {
  uint32_t preferred = 0;
  EXPECT(rustle_fft_path(&preferred, NULL) == RUSTLE_OK);
  EXPECT(preferred >= RUSTLE_PATH_PLAIN && preferred <= RUSTLE_PATH_NEON);
  EXPECT(rustle_fft_path(NULL, NULL) == RUSTLE_NULL_POINTER);
  RustleFftDescription description;
  RustleHandle plan = new_plan(RUSTLE_WINDOW_HANN, RUSTLE_PATH_PREFERRED);
  EXPECT(rustle_fft_plan_describe(plan, &description, NULL) == RUSTLE_OK && description.path == preferred);
  EXPECT(rustle_fft_plan_free(plan, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_plan_describe(plan, &description, NULL) == RUSTLE_STALE_HANDLE);
  plan = new_plan(RUSTLE_WINDOW_HANN, RUSTLE_PATH_PLAIN);
  EXPECT(rustle_fft_plan_describe(plan, &description, NULL) == RUSTLE_OK && description.path == RUSTLE_PATH_PLAIN);
  EXPECT(rustle_fft_plan_free(plan, NULL) == RUSTLE_OK);
}

static void inverse_gives_the_samples_back(void) {
  RustleHandle plan = new_plan(RUSTLE_WINDOW_NONE, RUSTLE_PATH_PREFERRED), inverse = 0;
  RustleFftInverseConfiguration settings = {.size = SIZE};
  EXPECT(rustle_fft_inverse_new(&settings, &inverse, NULL) == RUSTLE_OK);
  float bins[SIZE + 2], back[SIZE], again[SIZE];
  EXPECT(rustle_fft_spectrum(plan, RUSTLE_FORM_COMPLEX, signal, SIZE, bins, SIZE + 2, NULL, 0, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, back, SIZE, NULL, 0, NULL) == RUSTLE_OK);
  for (int n = 0; n < SIZE; n++) EXPECT(fabsf(back[n] - signal[n]) < 1e-6f);
  RustleFftDescription description;
  EXPECT(rustle_fft_inverse_describe(inverse, &description, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_plan_describe(inverse, &description, NULL) == RUSTLE_STALE_HANDLE);
  size_t length = description.scratch_length;
  EXPECT(description.size == SIZE && description.path != RUSTLE_PATH_PREFERRED && length > 2 * SIZE);
  float *scratch = malloc(length * sizeof(float));
  memset(scratch, 0xFF, length * sizeof(float));
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, again, SIZE, scratch, length, NULL) == RUSTLE_OK);
  EXPECT(memcmp(back, again, sizeof back) == 0);

  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE, back, SIZE, NULL, 0, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, back, SIZE - 1, NULL, 0, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, bins, SIZE, NULL, 0, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, back, SIZE, scratch, 9, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_fft_inverse_samples(inverse, NULL, SIZE + 2, back, SIZE, NULL, 0, NULL) == RUSTLE_NULL_POINTER);
  EXPECT(rustle_fft_inverse_samples(plan, bins, SIZE + 2, back, SIZE, NULL, 0, NULL) == RUSTLE_STALE_HANDLE);
  settings.reserved = 1;
  EXPECT(rustle_fft_inverse_new(&settings, &plan, NULL) == RUSTLE_INVALID_VALUE);
  settings = (RustleFftInverseConfiguration){.size = 100};
  EXPECT(rustle_fft_inverse_new(&settings, &plan, NULL) == RUSTLE_INVALID_VALUE);
  free(scratch);
  EXPECT(rustle_fft_plan_free(plan, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_inverse_free(inverse, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_inverse_free(inverse, NULL) == RUSTLE_STALE_HANDLE);
}

static void frames_are_the_same_whole_and_in_pieces(void) {
  RustleHandle stft = new_stft(), stream = 0;
  size_t count = 0, taken = 0, written = 0;
  RustleStftDescription description;
  EXPECT(rustle_stft_frame_count(stft, LENGTH, &count, NULL) == RUSTLE_OK && count == FRAMES);
  EXPECT(rustle_stft_describe(stft, &description, NULL) == RUSTLE_OK && description.row_length == BINS);
  size_t length = description.scratch_length;
  float *scratch = malloc(length * sizeof(float));
  static float whole[FRAMES * BINS], pieces[FRAMES * BINS];
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, 0, whole, FRAMES * BINS, scratch, length, &count, NULL) == RUSTLE_OK);
  EXPECT(count == FRAMES);
  // A sine of amplitude 0.5 in bin 16.
  EXPECT(fabsf(whole[5 * BINS + 16] - 0.5f) < 1e-3f);
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, FRAMES - 1, pieces, 2 * BINS, NULL, 0, &count, NULL) == RUSTLE_OK);
  EXPECT(count == 1 && memcmp(pieces, whole + (FRAMES - 1) * BINS, BINS * sizeof(float)) == 0);

  RustleStftStreamConfiguration of = {stft};
  EXPECT(rustle_stft_stream_new(&of, &stream, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_free(stft, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_stream_new(&of, &stft, NULL) == RUSTLE_STALE_HANDLE);
  // Three times: a stream that is finished begins anew, and one that is reset forgets what it has.
  for (int round = 0; round < 3; round++) {
    size_t done = 0;
    for (size_t at = 0; at < LENGTH; at += taken) {
      size_t piece = LENGTH - at < 77 ? LENGTH - at : 77;
      EXPECT(rustle_stft_stream_push(stream, signal + at, piece, pieces + done * BINS, BINS, &taken, &written, NULL) ==
             RUSTLE_OK);
      done += written;
    }
    do {
      EXPECT(done <= FRAMES);
      float row[BINS];
      EXPECT(rustle_stft_stream_finish(stream, row, BINS, &written, NULL) == RUSTLE_OK);
      if (written == 1) memcpy(pieces + done * BINS, row, sizeof row);
      done += written;
    } while (written > 0);
    EXPECT(done == FRAMES && memcmp(pieces, whole, sizeof whole) == 0);
    if (round == 0) continue;
    EXPECT(rustle_stft_stream_push(stream, signal + 7, 300, pieces, BINS, &taken, &written, NULL) == RUSTLE_OK);
    EXPECT(taken > 0);
    EXPECT(rustle_stft_stream_reset(stream, NULL) == RUSTLE_OK);
  }
  EXPECT(rustle_stft_stream_free(stream, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_stream_free(stream, NULL) == RUSTLE_STALE_HANDLE);
  free(scratch);
}

static void refusals(void) {
  RustleHandle made = 0, stft = new_stft(), stream = 0;
  RustleStftConfiguration settings = configuration();
  EXPECT(rustle_stft_new(NULL, &made, NULL) == RUSTLE_NULL_POINTER);
  EXPECT(rustle_stft_new(&settings, NULL, NULL) == RUSTLE_NULL_POINTER);
  settings.hop = 0;
  EXPECT(rustle_stft_new(&settings, &made, NULL) == RUSTLE_INVALID_VALUE);
  settings = configuration();
  settings.padding = 3;
  EXPECT(rustle_stft_new(&settings, &made, NULL) == RUSTLE_INVALID_VALUE);
  settings = configuration();
  settings.form = 4;
  EXPECT(rustle_stft_new(&settings, &made, NULL) == RUSTLE_INVALID_VALUE);
  settings = configuration();
  settings.size = 100;
  EXPECT(rustle_stft_new(&settings, &made, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(made == 0);

  float row[2 * BINS];
  size_t taken = 0, frames = 0;
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, 0, row, BINS + 1, NULL, 0, NULL, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, 0, signal, BINS, NULL, 0, NULL, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(rustle_stft_frames(stft, NULL, LENGTH, 0, row, BINS, NULL, 0, NULL, NULL) == RUSTLE_NULL_POINTER);
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, SIZE_MAX, row, BINS, NULL, 0, &frames, NULL) == RUSTLE_OK && frames == 0);
  RustleStftStreamConfiguration of = {stft};
  EXPECT(rustle_stft_stream_new(&of, &stream, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_stream_push(stream, signal, LENGTH, row, 7, &taken, &frames, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_stft_stream_push(stream, signal, LENGTH, signal, BINS, &taken, &frames, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(rustle_stft_stream_push(stream, signal, LENGTH, row, BINS, &taken, &taken, NULL) == RUSTLE_INVALID_VALUE);
  EXPECT(rustle_stft_stream_push(stream, signal, LENGTH, row, BINS, NULL, &frames, NULL) == RUSTLE_NULL_POINTER);
  EXPECT(rustle_stft_stream_push(stream, signal, 300, row, BINS, &taken, &frames, NULL) == RUSTLE_OK && frames == 1);
  EXPECT(rustle_stft_stream_finish(stream, row, 0, &frames, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_stft_stream_finish(stream, row, BINS, &frames, NULL) == RUSTLE_OK && frames == 1);
  RustleError error;
  EXPECT(rustle_stft_stream_push(stream, signal, 1, row, BINS, &taken, &frames, &error) == RUSTLE_WRONG_STATE);
  EXPECT(error.message_length > 0);
  EXPECT(rustle_stft_stream_push(stft, signal, 1, row, BINS, &taken, &frames, NULL) == RUSTLE_STALE_HANDLE);
  EXPECT(rustle_stft_stream_free(stream, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_free(stft, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_frame_count(stft, 1, &frames, NULL) == RUSTLE_STALE_HANDLE);
}

int main(void) {
  for (int n = 0; n < LENGTH; n++) signal[n] = (float)(0.5 * sin(2 * 3.14159265358979323846 * 16 * n / SIZE));
  paths_are_named_and_forced();
  inverse_gives_the_samples_back();
  frames_are_the_same_whole_and_in_pieces();
  refusals();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
