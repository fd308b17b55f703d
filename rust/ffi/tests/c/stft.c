// Short-time spectra, the inverse transform and the paths from plain C: results, and what each refuses.
#include "expect.h"

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
  OK(rustle_stft_new(&settings, &stft, NULL));
  return stft;
}

static RustleHandle new_plan(uint32_t window, uint32_t path) {
  RustleFftPlanConfiguration settings = {.size = SIZE, .window = window, .path = path};
  RustleHandle plan = 0;
  OK(rustle_fft_plan_new(&settings, &plan, NULL));
  return plan;
}

static void paths_are_named_and_forced(void) {
  uint32_t preferred = 0;
  OK(rustle_fft_path(&preferred, NULL));
  EXPECT(preferred >= RUSTLE_PATH_PLAIN && preferred <= RUSTLE_PATH_NEON);
  RustleFftDescription description;
  RustleHandle plan = new_plan(RUSTLE_WINDOW_HANN, RUSTLE_PATH_PREFERRED);
  EXPECT(rustle_fft_plan_describe(plan, &description, NULL) == RUSTLE_OK && description.path == preferred);
  OK(rustle_fft_plan_free(plan, NULL));
  plan = new_plan(RUSTLE_WINDOW_HANN, RUSTLE_PATH_PLAIN);
  EXPECT(rustle_fft_plan_describe(plan, &description, NULL) == RUSTLE_OK && description.path == RUSTLE_PATH_PLAIN);
  OK(rustle_fft_plan_free(plan, NULL));
}

static void inverse_gives_the_samples_back(void) {
  RustleHandle plan = new_plan(RUSTLE_WINDOW_NONE, RUSTLE_PATH_PREFERRED), inverse = 0;
  RustleFftInverseConfiguration settings = {.size = SIZE};
  OK(rustle_fft_inverse_new(&settings, &inverse, NULL));
  float bins[SIZE + 2], back[SIZE], again[SIZE];
  OK(rustle_fft_spectrum(plan, RUSTLE_FORM_COMPLEX, signal, SIZE, bins, SIZE + 2, NULL, 0, NULL));
  OK(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, back, SIZE, NULL, 0, NULL));
  for (int n = 0; n < SIZE; n++) EXPECT(fabsf(back[n] - signal[n]) < 1e-6f);
  RustleFftDescription description;
  OK(rustle_fft_inverse_describe(inverse, &description, NULL));
  EXPECT(rustle_fft_plan_describe(inverse, &description, NULL) == RUSTLE_STALE_HANDLE);
  size_t length = description.scratch_length;
  EXPECT(description.size == SIZE && description.path != RUSTLE_PATH_PREFERRED && length > 2 * SIZE);
  float *scratch = malloc(length * sizeof(float));
  memset(scratch, 0xFF, length * sizeof(float));
  OK(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, again, SIZE, scratch, length, NULL));
  EXPECT(memcmp(back, again, sizeof back) == 0);

  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE, back, SIZE, NULL, 0, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, back, SIZE - 1, NULL, 0, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_fft_inverse_samples(inverse, bins, SIZE + 2, back, SIZE, scratch, 9, NULL) == RUSTLE_INVALID_LENGTH);
  settings = (RustleFftInverseConfiguration){.size = 100};
  EXPECT(rustle_fft_inverse_new(&settings, &plan, NULL) == RUSTLE_INVALID_VALUE);
  free(scratch);
  OK(rustle_fft_plan_free(plan, NULL));
  OK(rustle_fft_inverse_free(inverse, NULL));
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
  OK(rustle_stft_frames(stft, signal, LENGTH, 0, whole, FRAMES * BINS, scratch, length, &count, NULL));
  EXPECT(count == FRAMES);
  // A sine of amplitude 0.5 in bin 16.
  EXPECT(fabsf(whole[5 * BINS + 16] - 0.5f) < 1e-3f);
  OK(rustle_stft_frames(stft, signal, LENGTH, FRAMES - 1, pieces, 2 * BINS, NULL, 0, &count, NULL));
  EXPECT(count == 1 && memcmp(pieces, whole + (FRAMES - 1) * BINS, BINS * sizeof(float)) == 0);

  RustleStftStreamConfiguration of = {stft};
  OK(rustle_stft_stream_new(&of, &stream, NULL));
  OK(rustle_stft_free(stft, NULL));
  EXPECT(rustle_stft_stream_new(&of, &stft, NULL) == RUSTLE_STALE_HANDLE);
  // Three times: a stream that is finished begins anew, and one that is reset forgets what it has.
  for (int round = 0; round < 3; round++) {
    size_t done = 0;
    for (size_t at = 0; at < LENGTH; at += taken) {
      size_t piece = LENGTH - at < 77 ? LENGTH - at : 77;
      OK(rustle_stft_stream_push(stream, signal + at, piece, pieces + done * BINS, BINS, &taken, &written, NULL));
      done += written;
    }
    do {
      EXPECT(done <= FRAMES);
      float row[BINS];
      OK(rustle_stft_stream_finish(stream, row, BINS, &written, NULL));
      if (written == 1) memcpy(pieces + done * BINS, row, sizeof row);
      done += written;
    } while (written > 0);
    EXPECT(done == FRAMES && memcmp(pieces, whole, sizeof whole) == 0);
    if (round == 0) continue;
    OK(rustle_stft_stream_push(stream, signal + 7, 300, pieces, BINS, &taken, &written, NULL));
    EXPECT(taken > 0);
    OK(rustle_stft_stream_reset(stream, NULL));
  }
  OK(rustle_stft_stream_free(stream, NULL));
  free(scratch);
}

static void refusals(void) {
  RustleHandle made = 0, stft = new_stft(), stream = 0;
  RustleStftConfiguration settings = configuration();
  settings.hop = 0;
  EXPECT(rustle_stft_new(&settings, &made, NULL) == RUSTLE_INVALID_VALUE);
  settings = configuration();
  settings.size = 100;
  EXPECT(rustle_stft_new(&settings, &made, NULL) == RUSTLE_INVALID_VALUE && made == 0);

  float row[2 * BINS];
  size_t taken = 0, frames = 0;
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, 0, row, BINS + 1, NULL, 0, NULL, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_stft_frames(stft, signal, LENGTH, SIZE_MAX, row, BINS, NULL, 0, &frames, NULL) == RUSTLE_OK && frames == 0);
  RustleStftStreamConfiguration of = {stft};
  OK(rustle_stft_stream_new(&of, &stream, NULL));
  EXPECT(rustle_stft_stream_push(stream, signal, LENGTH, row, 7, &taken, &frames, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_stft_stream_push(stream, signal, 300, row, BINS, &taken, &frames, NULL) == RUSTLE_OK && frames == 1);
  EXPECT(rustle_stft_stream_finish(stream, row, 0, &frames, NULL) == RUSTLE_INVALID_LENGTH);
  EXPECT(rustle_stft_stream_finish(stream, row, BINS, &frames, NULL) == RUSTLE_OK && frames == 1);
  REFUSED(rustle_stft_stream_push(stream, signal, 1, row, BINS, &taken, &frames, &error), RUSTLE_WRONG_STATE);
  OK(rustle_stft_stream_free(stream, NULL));
  OK(rustle_stft_free(stft, NULL));
}

int main(void) {
  for (int n = 0; n < LENGTH; n++) signal[n] = (float)(0.5 * sin(2 * PI * 16 * n / SIZE));
  paths_are_named_and_forced();
  inverse_gives_the_samples_back();
  frames_are_the_same_whole_and_in_pieces();
  refusals();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
