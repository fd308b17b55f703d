// Calls every function that says `Realtime-safe: yes` from a function that the compiler knows as nonblocking. Built with
// -fsanitize=realtime, the program ends with a report when one of the calls allocates, does I/O or waits.
//
// Usage: realtime           prints the name of each function that was called; scripts/realtime-test compares the header
//        realtime planted N  commits the violation number N, 1 to 3, instead, which must be reported
//
// A lock that is free is taken without a call that the sanitizer sees. A second thread uses the same tables all the while,
// from outside the realtime context, so that a lock that they share would be contended and seen.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../expect.h"
#include "rustle.h"

#define NONBLOCKING __attribute__((nonblocking))
#define ROUNDS 2000
#define SIZE 256
#define MOST_NAMES 64

static const char *names[MOST_NAMES];
static size_t name_count;

static void note(const char *name) NONBLOCKING {
  for (size_t i = 0; i < name_count; i++) {
    if (strcmp(names[i], name) == 0) return;
  }
  if (name_count < MOST_NAMES) names[name_count++] = name;
}

// CALL(NAME, ARGUMENTS...): the call, noted.
#define CALL(name, ...) (note(#name), name(__VA_ARGS__))

typedef struct Memory {
  RustleHandle plan, inverse, stft, stream, equalizer, meter, pitches[5], voice, playback;
  float input[SIZE], output[SIZE + 2], scratch[12 * SIZE];
  size_t scratch_length, inverse_scratch_length, stft_scratch_length;
  RustleError error;
  int round, failures, frames;
} Memory;

#define SUCCEEDS(call) (memory->failures += (call) != RUSTLE_OK)
// A refusal writes its text: that must not allocate either.
#define IS_REFUSED(call) (memory->failures += (call) == RUSTLE_OK || memory->error.message_length == 0)

typedef RustleStatus (*Form)(RustleHandle, const float *, size_t, float *, size_t, float *, size_t, RustleError *);

static void refuse_form(Memory *memory, Form form) NONBLOCKING {
  RustleError *error = &memory->error;
  float *input = memory->input, *output = memory->output, *scratch = memory->scratch;
  size_t length = memory->scratch_length;
  // Another generation of the same slot: the next slot has a plan of the other thread at times.
  IS_REFUSED(form(memory->plan ^ (RustleHandle)1 << 60, input, SIZE, output, SIZE / 2, scratch, length, error));
  IS_REFUSED(form(memory->plan, NULL, SIZE, output, SIZE / 2, scratch, length, error));
  IS_REFUSED(form(memory->plan, input, SIZE - 1, output, SIZE / 2, scratch, length, error));
  IS_REFUSED(form(memory->plan, input, SIZE, output, 3, scratch, length, error));
  IS_REFUSED(form(memory->plan, input, SIZE, input, SIZE / 2, scratch, length, error));
  IS_REFUSED(form(memory->plan, input, SIZE, output, SIZE / 2, scratch, length - 1, error));
}

static void spectra(Memory *memory) NONBLOCKING {
  RustleHandle plan = memory->plan;
  float *input = memory->input, *output = memory->output, *scratch = memory->scratch;
  size_t length = memory->scratch_length;
  SUCCEEDS(CALL(rustle_fft_magnitudes, plan, input, SIZE, output, SIZE / 2 + 1, scratch, length, NULL));
  SUCCEEDS(CALL(rustle_fft_power, plan, input, SIZE, output, SIZE / 2, scratch, length, NULL));
  SUCCEEDS(CALL(rustle_fft_decibels, plan, input, SIZE, output, SIZE / 2, scratch, length, NULL));
  SUCCEEDS(CALL(rustle_fft_complex, plan, input, SIZE, output, SIZE + 2, scratch, length, NULL));
  refuse_form(memory, rustle_fft_magnitudes);
  refuse_form(memory, rustle_fft_power);
  refuse_form(memory, rustle_fft_decibels);
  refuse_form(memory, rustle_fft_complex);
}

static void plans(Memory *memory) NONBLOCKING {
  size_t number = 0;
  SUCCEEDS(CALL(rustle_fft_plan_size, memory->plan, &number, NULL));
  memory->failures += number != SIZE;
  SUCCEEDS(CALL(rustle_fft_plan_scratch_length, memory->plan, &number, NULL));
  memory->failures += number != memory->scratch_length;
  IS_REFUSED(rustle_fft_plan_size(0, &number, &memory->error));
  IS_REFUSED(rustle_fft_plan_size(memory->plan, NULL, &memory->error));
  IS_REFUSED(rustle_fft_plan_scratch_length(0, &number, &memory->error));
}

static void inverses(Memory *memory) NONBLOCKING {
  float *input = memory->input, *output = memory->output, *scratch = memory->scratch;
  size_t number = 0, length = memory->inverse_scratch_length;
  SUCCEEDS(CALL(rustle_fft_inverse_scratch_length, memory->inverse, &number, NULL));
  memory->failures += number != length;
  SUCCEEDS(CALL(rustle_fft_inverse_samples, memory->inverse, output, SIZE + 2, input, SIZE, scratch, length, NULL));
  IS_REFUSED(rustle_fft_inverse_samples(0, output, SIZE + 2, input, SIZE, scratch, length, &memory->error));
  IS_REFUSED(rustle_fft_inverse_samples(memory->inverse, output, SIZE, input, SIZE, scratch, length, &memory->error));
  IS_REFUSED(rustle_fft_inverse_scratch_length(0, &number, &memory->error));
  uint32_t path = 0;
  SUCCEEDS(CALL(rustle_fft_plan_path, memory->plan, &path, NULL));
  IS_REFUSED(rustle_fft_plan_path(0, &path, &memory->error));
}

static void frames(Memory *memory) NONBLOCKING {
  float *input = memory->input, *output = memory->output, *scratch = memory->scratch;
  size_t number = 0, taken = 0, length = memory->stft_scratch_length, row = SIZE / 2 + 1;
  SUCCEEDS(CALL(rustle_stft_frame_count, memory->stft, SIZE, &number, NULL));
  memory->failures += number != 5;
  SUCCEEDS(CALL(rustle_stft_scratch_length, memory->stft, &number, NULL));
  SUCCEEDS(CALL(rustle_stft_frames, memory->stft, input, SIZE, 0, output, row, scratch, length, &number, NULL));
  memory->failures += number != 1;
  IS_REFUSED(rustle_stft_frame_count(0, SIZE, &number, &memory->error));
  IS_REFUSED(rustle_stft_scratch_length(memory->stft, NULL, &memory->error));
  IS_REFUSED(rustle_stft_frames(memory->stft, input, SIZE, 0, output, 7, scratch, length, NULL, &memory->error));
  for (size_t at = 0; at < SIZE; at += taken) {
    SUCCEEDS(CALL(rustle_stft_stream_push, memory->stream, input + at, SIZE - at, output, row, &taken, &number, NULL));
  }
  IS_REFUSED(rustle_stft_stream_push(memory->stream, input, SIZE, output, 7, &taken, &number, &memory->error));
  do {
    SUCCEEDS(CALL(rustle_stft_stream_finish, memory->stream, output, row, &number, NULL));
  } while (number > 0);
  IS_REFUSED(rustle_stft_stream_finish(memory->stream, output, 0, &number, &memory->error));
}

static void windows(Memory *memory) NONBLOCKING {
  for (uint32_t window = RUSTLE_WINDOW_NONE; window <= RUSTLE_WINDOW_BLACKMAN; window++) {
    SUCCEEDS(CALL(rustle_fft_window, window, RUSTLE_SYMMETRY_SYMMETRIC, memory->output, SIZE, NULL));
  }
  IS_REFUSED(rustle_fft_window(9, RUSTLE_SYMMETRY_PERIODIC, memory->output, SIZE, &memory->error));
  IS_REFUSED(rustle_fft_window(RUSTLE_WINDOW_HANN, 9, memory->output, SIZE, &memory->error));
  IS_REFUSED(rustle_fft_window(RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_PERIODIC, NULL, SIZE, &memory->error));
}

static void on_signal(void *context, const void *event) {
  (void)context;
  (void)event;
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  (void)context;
  (void)reason;
  (void)message;
  (void)length;
}

static void library(Memory *memory) NONBLOCKING {
  size_t count = 0;
  memory->failures += CALL(rustle_abi_layout, &count) == NULL || count == 0;
  memory->failures += CALL(rustle_build_id) == NULL;
  memory->failures += CALL(rustle_live_objects) < 0;
  SUCCEEDS(CALL(rustle_log_set_level, RUSTLE_LOG_WARNING, NULL));
  IS_REFUSED(rustle_log_set_level(99, &memory->error));
  RustleSink sink = {NULL, on_signal, on_release};
  SUCCEEDS(CALL(rustle_sink_exercise, sink, NULL, 3, NULL));
  sink.on_release = NULL;
  IS_REFUSED(rustle_sink_exercise(sink, NULL, 3, &memory->error));
}

static void sound(Memory *memory) NONBLOCKING {
  RustleError *error = &memory->error;
  float *block = memory->output;
  memcpy(block, memory->input, sizeof memory->input);
  SUCCEEDS(CALL(rustle_equalizer_process, memory->equalizer, block, SIZE, NULL));
  IS_REFUSED(rustle_equalizer_process(0, block, SIZE, error));
  IS_REFUSED(rustle_equalizer_process(memory->equalizer, NULL, SIZE, error));
  IS_REFUSED(rustle_equalizer_process(memory->equalizer, block, SIZE - 1, error));
  SUCCEEDS(CALL(rustle_playback_finish, memory->playback, NULL));
  IS_REFUSED(rustle_playback_finish(0, error));
  // Now and then only: otherwise no change would ever be under way.
  if (memory->round % 64 == 63) SUCCEEDS(CALL(rustle_equalizer_reset, memory->equalizer, NULL));
  IS_REFUSED(rustle_equalizer_reset(0, error));
}

static void levels(Memory *memory) NONBLOCKING {
  RustleHandle meter = memory->meter;
  RustleError *error = &memory->error;
  RustleMeterReading reading;
  double level = 0, centres[40], of_bands[40];
  uint32_t noise_class = 0;
  size_t count = 0;
  SUCCEEDS(CALL(rustle_meter_process, meter, memory->input, SIZE, NULL));
  IS_REFUSED(rustle_meter_process(meter, memory->input, SIZE - 1, error));
  SUCCEEDS(CALL(rustle_meter_read, meter, &reading, NULL));
  IS_REFUSED(rustle_meter_read(meter, NULL, error));
  SUCCEEDS(CALL(rustle_meter_exceeded, meter, 10, &level, NULL));
  IS_REFUSED(rustle_meter_exceeded(meter, 101, &level, error));
  SUCCEEDS(CALL(rustle_meter_bands, meter, centres, of_bands, 40, &count, NULL));
  memory->failures += count < 30;
  IS_REFUSED(rustle_meter_bands(meter, centres, centres, 40, &count, error));
  if (memory->round % 64 == 63) SUCCEEDS(CALL(rustle_meter_restart, meter, NULL));
  IS_REFUSED(rustle_meter_restart(0, error));
  SUCCEEDS(CALL(rustle_noise_scale, reading.level, &level, &noise_class, NULL));
  IS_REFUSED(rustle_noise_scale(0, &level, NULL, error));
}

// Each method by turns: a frame is completed every other round.
static void pitches(Memory *memory) NONBLOCKING {
  RustleHandle pitch = memory->pitches[memory->round % 5];
  RustleError *error = &memory->error;
  RustlePitchDescription description;
  RustlePitchFrame frame;
  size_t taken = 0, written = 0;
  SUCCEEDS(CALL(rustle_pitch_describe, pitch, &description, NULL));
  IS_REFUSED(rustle_pitch_describe(pitch, NULL, error));
  SUCCEEDS(CALL(rustle_pitch_process, pitch, memory->input, SIZE, &frame, 1, &taken, &written, NULL));
  memory->failures += taken != SIZE || written > 1;
  memory->frames += (int)written;
  IS_REFUSED(rustle_pitch_process(0, memory->input, SIZE, &frame, 1, &taken, &written, error));
  IS_REFUSED(rustle_pitch_process(pitch, memory->input, SIZE, NULL, 1, &taken, &written, error));
  IS_REFUSED(rustle_pitch_process(pitch, memory->input, SIZE, &frame, 1, &taken, &taken, error));
  if (memory->round % 64 == 63) SUCCEEDS(CALL(rustle_pitch_reset, pitch, NULL));
  IS_REFUSED(rustle_pitch_reset(0, error));
}

static void voices(Memory *memory) NONBLOCKING {
  RustleHandle voice = memory->voice;
  RustleError *error = &memory->error;
  RustleVoiceDescription description;
  RustleVoiceSummary summary;
  RustleVoiceFrame frames[8];
  size_t taken = 0, written = 0;
  SUCCEEDS(CALL(rustle_voice_process, voice, memory->input, SIZE, frames, 8, &taken, &written, NULL));
  memory->failures += taken != SIZE;
  IS_REFUSED(rustle_voice_process(voice, memory->input, SIZE, frames, 8, &taken, &taken, error));
  IS_REFUSED(rustle_voice_process(0, memory->input, SIZE, frames, 8, &taken, &written, error));
  SUCCEEDS(CALL(rustle_voice_summary, voice, &summary, NULL));
  IS_REFUSED(rustle_voice_summary(voice, NULL, error));
  SUCCEEDS(CALL(rustle_voice_describe, voice, &description, NULL));
  IS_REFUSED(rustle_voice_describe(0, &description, error));
  if (memory->round % 256 == 255) {
    memory->failures += summary.frames == 0;
    SUCCEEDS(CALL(rustle_voice_reset, voice, NULL));
  }
  IS_REFUSED(rustle_voice_reset(0, error));
}

// What must be reported: a call that says `no`, one that says `yes` under a condition that is not kept, and a lock.
static void make_a_ticker(Memory *memory) NONBLOCKING {
  RustleTickerConfiguration configuration = {.updates_per_second = 1};
  RustleHandle ticker = 0;
  SUCCEEDS(rustle_ticker_new(&configuration, &ticker, NULL));
}

static void bring_no_scratch(Memory *memory) NONBLOCKING {
  SUCCEEDS(rustle_fft_magnitudes(memory->plan, memory->input, SIZE, memory->output, SIZE / 2, NULL, 0, NULL));
}

static RustleHandle new_session(void) {
  RustleTickerConfiguration configuration = {.updates_per_second = 10000000};
  RustleString symbol = {(const uint8_t *)"BTC", 3};
  RustleSink sink = {NULL, on_signal, on_release};
  RustleHandle ticker = 0, session = 0;
  EXPECT(rustle_ticker_new(&configuration, &ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_ticker_start(ticker, &symbol, 1, RUSTLE_LANE_DROP_OLDEST, 4096, sink, &session, NULL) == RUSTLE_OK);
  return session;
}

// Shares a lock with a busy worker: once in a while it is taken.
static void share_a_lock(RustleHandle session) NONBLOCKING {
  size_t count = 0;
  for (long n = 0; n < 100000000; n++) {
    if (rustle_ticker_drain(session, NULL, 0, &count, NULL, NULL) != RUSTLE_OK) return;
  }
}

static RustleHandle new_plan(void) {
  RustleHandle plan = 0;
  EXPECT(rustle_fft_plan_new(SIZE, RUSTLE_WINDOW_HANN, RUSTLE_SYMMETRY_PERIODIC, RUSTLE_SCALE_AMPLITUDE, &plan, NULL) ==
         RUSTLE_OK);
  return plan;
}

static RustleHandle new_stft(void) {
  RustleStftConfiguration configuration = {
      .size = SIZE, .hop = SIZE / 4, .window = RUSTLE_WINDOW_HANN, .padding = RUSTLE_PADDING_REFLECT};
  RustleHandle stft = 0;
  EXPECT(rustle_stft_new(&configuration, &stft, NULL) == RUSTLE_OK);
  return stft;
}

static RustleHandle new_stream(RustleHandle stft) {
  RustleHandle stream = 0;
  EXPECT(rustle_stft_stream_new(stft, &stream, NULL) == RUSTLE_OK);
  return stream;
}

static RustleHandle new_inverse(void) {
  RustleHandle inverse = 0;
  EXPECT(rustle_fft_inverse_new(SIZE, RUSTLE_PATH_PREFERRED, &inverse, NULL) == RUSTLE_OK);
  return inverse;
}

// For two channels with 14 bands each.
static RustleHandle new_equalizer(void) {
  RustleHandle equalizer = 0;
  EXPECT(rustle_equalizer_new(48000, 2, 14, NULL, &equalizer, NULL) == RUSTLE_OK);
  return equalizer;
}

// Of everything there is to measure.
static RustleHandle new_meter(void) {
  static const uint32_t channels[2] = {RUSTLE_CHANNEL_FRONT, RUSTLE_CHANNEL_FRONT};
  static const RustleResponsePoint response[2] = {{100, 1}, {10000, -2}};
  RustleMeterConfiguration configuration = {.sample_rate = 48000,
                                            .channels = channels,
                                            .channel_count = 2,
                                            .response = response,
                                            .response_count = 2,
                                            .metered = RUSTLE_CHANNEL_ALL,
                                            .loudness = 1,
                                            .bands = RUSTLE_BANDS_THIRD_OCTAVE};
  RustleHandle meter = 0;
  EXPECT(rustle_meter_new(&configuration, &meter, NULL) == RUSTLE_OK);
  return meter;
}

// A frame of two blocks, which begins with each second one.
static RustleHandle new_pitch(uint32_t method) {
  RustlePitchConfiguration configuration = {
      .sample_rate = 8000, .lowest = 60, .highest = 2000, .method = method, .window = 2 * SIZE, .hop = 2 * SIZE};
  RustleHandle pitch = 0;
  EXPECT(rustle_pitch_new(&configuration, &pitch, NULL) == RUSTLE_OK);
  return pitch;
}

// Of everything that is measured along a voice; the input is periodic, and so a voice of 8000 / 17 Hz.
static RustleHandle new_voice(void) {
  RustleVoiceConfiguration configuration = {
      .sample_rate = 8000,
      .lowest = 100,
      .highest = 1000,
      .measures = RUSTLE_VOICE_FORMANTS | RUSTLE_VOICE_HARMONICITY | RUSTLE_VOICE_CENTROID,
      .formants = {.ceiling = 5000}};
  RustleHandle voice = 0;
  EXPECT(rustle_voice_new(&configuration, &voice, NULL) == RUSTLE_OK);
  return voice;
}

// A session whose device takes sound, and ends when it is told that there is no more.
static RustleHandle new_playback(void) {
  RustleSoundConfiguration configuration = {
      .device = {(const uint8_t *)"demo", 4}, .sample_rate = 48000, .channels = 2, .period = 480};
  RustleSink sink = {NULL, on_signal, on_release};
  RustleHandle playback = 0, session = 0;
  EXPECT(rustle_playback_new(&configuration, &playback, NULL) == RUSTLE_OK);
  EXPECT(rustle_playback_start(playback, RUSTLE_LANE_EVENTS, 0, sink, &session, NULL) == RUSTLE_OK);
  return session;
}

static atomic_bool done;

// Changes what an equalizer does, all the while that another thread's sound runs through it.
static void *change_the_equalizer(void *argument) {
  RustleHandle equalizer = *(const RustleHandle *)argument;
  RustleEqualizerBand bands[14];
  for (int n = 0; !atomic_load(&done); n++) {
    for (int k = 0; k < 14; k++) {
      bands[k] = (RustleEqualizerBand){
          .frequency = 25 * (double)(1 << (k / 2)) * (k % 2 + 1), .gain = (n + k) % 25 - 12, .q = 1.4};
    }
    RustleEqualizerSettings settings = {bands, 14, bands, 14, -(n % 12)};
    EXPECT(rustle_equalizer_change(equalizer, &settings, NULL) == RUSTLE_OK);
    if (n % 16 == 0) EXPECT(rustle_equalizer_set_bypassed(equalizer, n / 16 % 2, NULL) == RUSTLE_OK);
  }
  return NULL;
}

static void *use_the_same_tables(void *argument) {
  (void)argument;
  while (!atomic_load(&done)) {
    RustleHandle plan = new_plan();
    RustleHandle inverse = new_inverse(), stft = new_stft(), stream = new_stream(stft), equalizer = new_equalizer(),
                 meter = new_meter(), pitch = new_pitch(RUSTLE_PITCH_YIN), voice = new_voice();
    EXPECT(rustle_voice_free(voice, NULL) == RUSTLE_OK);
    EXPECT(rustle_equalizer_free(equalizer, NULL) == RUSTLE_OK);
    EXPECT(rustle_meter_free(meter, NULL) == RUSTLE_OK);
    EXPECT(rustle_pitch_free(pitch, NULL) == RUSTLE_OK);
    EXPECT(rustle_log_set_level(RUSTLE_LOG_ERROR, NULL) == RUSTLE_OK);
    EXPECT(rustle_fft_inverse_free(inverse, NULL) == RUSTLE_OK);
    EXPECT(rustle_stft_stream_free(stream, NULL) == RUSTLE_OK);
    EXPECT(rustle_stft_free(stft, NULL) == RUSTLE_OK);
    EXPECT(rustle_fft_plan_free(plan, NULL) == RUSTLE_OK);
  }
  return NULL;
}

int main(int argc, char **argv) {
  static Memory storage;
  Memory *memory = &storage;
  memory->plan = new_plan();
  EXPECT(rustle_fft_plan_scratch_length(memory->plan, &memory->scratch_length, NULL) == RUSTLE_OK);
  memory->inverse = new_inverse();
  memory->stft = new_stft();
  memory->stream = new_stream(memory->stft);
  memory->equalizer = new_equalizer();
  memory->meter = new_meter();
  for (uint32_t method = 0; method < 5; method++) memory->pitches[method] = new_pitch(method);
  memory->voice = new_voice();
  memory->playback = new_playback();
  EXPECT(rustle_fft_inverse_scratch_length(memory->inverse, &memory->inverse_scratch_length, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_scratch_length(memory->stft, &memory->stft_scratch_length, NULL) == RUSTLE_OK);
  const size_t room = sizeof memory->scratch / sizeof *memory->scratch;
  EXPECT(memory->scratch_length <= room && memory->inverse_scratch_length <= room && memory->stft_scratch_length <= room);
  for (size_t i = 0; i < SIZE; i++) memory->input[i] = (float)(i % 17) - 8;

  if (argc == 3 && strcmp(argv[1], "planted") == 0) {
    switch (atoi(argv[2])) {
      case 1: make_a_ticker(memory); break;
      case 2: bring_no_scratch(memory); break;
      default: share_a_lock(new_session());
    }
    return 0;
  }
  pthread_t other, changes;
  EXPECT(pthread_create(&changes, NULL, change_the_equalizer, &memory->equalizer) == 0);
  EXPECT(pthread_create(&other, NULL, use_the_same_tables, NULL) == 0);
  for (memory->round = 0; memory->round < ROUNDS; memory->round++) {
    sound(memory);
    levels(memory);
    pitches(memory);
    voices(memory);
    spectra(memory);
    plans(memory);
    inverses(memory);
    frames(memory);
    windows(memory);
    library(memory);
  }
  atomic_store(&done, true);
  EXPECT(pthread_join(other, NULL) == 0);
  EXPECT(pthread_join(changes, NULL) == 0);
  EXPECT(memory->failures == 0);
  EXPECT(memory->frames > ROUNDS / 3);
  EXPECT(rustle_fft_plan_free(memory->plan, NULL) == RUSTLE_OK);
  EXPECT(rustle_fft_inverse_free(memory->inverse, NULL) == RUSTLE_OK);
  EXPECT(rustle_equalizer_free(memory->equalizer, NULL) == RUSTLE_OK);
  EXPECT(rustle_meter_free(memory->meter, NULL) == RUSTLE_OK);
  for (uint32_t method = 0; method < 5; method++) EXPECT(rustle_pitch_free(memory->pitches[method], NULL) == RUSTLE_OK);
  EXPECT(rustle_voice_free(memory->voice, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(memory->playback, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_stream_free(memory->stream, NULL) == RUSTLE_OK);
  EXPECT(rustle_stft_free(memory->stft, NULL) == RUSTLE_OK);
  for (size_t i = 0; i < name_count; i++) printf("%s\n", names[i]);
  return 0;
}
