// Prints the strongest bin of a tone's spectrum: a program that calls the Rust engines from C.
//
//   cc tone.c $(pkg-config --cflags --libs rustle) -o tone
#include <math.h>
#include <rustle.h>
#include <stdio.h>

enum { SIZE = 4096, HANN = 1 };

int main(void) {
  const double rate = 48000, frequency = 440, turn = 6.283185307179586;
  float signal[SIZE];
  for (int n = 0; n < SIZE; n++) signal[n] = (float)sin(turn * frequency * n / rate);

  // SIZE / 2 magnitudes, from 0 Hz in steps of rate / SIZE.
  const float *magnitudes = compute_fft_rust(signal, SIZE, SIZE, HANN);
  if (magnitudes == NULL) {
    fputs("the arguments were refused\n", stderr);
    return 1;
  }
  int peak = 0;
  for (int bin = 1; bin < SIZE / 2; bin++) {
    if (magnitudes[bin] > magnitudes[peak]) peak = bin;
  }
  free_fft_result_rust(magnitudes);
  printf("%.1f Hz\n", peak * rate / SIZE);
  return 0;
}
