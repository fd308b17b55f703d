// A lie about a length on purpose: the native side is told of one more output than there is, and stores past the end of the
// caller's memory. Only an archive that is itself built with AddressSanitizer can notice the store; scripts/test looks.
#include <stdlib.h>

#include "../expect.h"
#include "rustle.h"

enum { SIZE = 1024, BINS = SIZE / 2 + 1 };

int main(void) {
  static float samples[SIZE];
  float *magnitudes = malloc((BINS - 1) * sizeof *magnitudes);
  RustleHandle plan = 0;
  EXPECT(magnitudes != NULL);
  EXPECT(rustle_fft_plan_new(SIZE, RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_PERIODIC, RUSTLE_SCALE_NONE, &plan, NULL) ==
         RUSTLE_OK);
  EXPECT(rustle_fft_magnitudes(plan, samples, SIZE, magnitudes, BINS, NULL, 0, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_plan_free(plan, NULL) == RUSTLE_OK);
  free(magnitudes);
  return 0;
}
