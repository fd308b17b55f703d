// A wrong length on purpose: it exceeds the output by one, and the native side stores past the end of the caller's memory. Only
// an archive that is itself built with AddressSanitizer can detect the store; scripts/test checks.
#include "../expect.h"

enum { SIZE = 1024, BINS = SIZE / 2 + 1 };

int main(void) {
  static float samples[SIZE];
  float *magnitudes = malloc((BINS - 1) * sizeof *magnitudes);
  RustleHandle plan = 0;
  EXPECT(magnitudes != NULL);
  RustleFftPlanConfiguration configuration = {.size = SIZE, .window = RUSTLE_WINDOW_HANN};
  OK(rustle_fft_plan_new(&configuration, &plan, NULL));
  OK(rustle_fft_spectrum(plan, RUSTLE_OUTPUT_MAGNITUDES, samples, SIZE, magnitudes, BINS, NULL, 0, NULL));
  OK(rustle_fft_plan_free(plan, NULL));
  free(magnitudes);
  return 0;
}
