// A fork of a process that has started an engine: the threads are not in it, and each start says so.
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "rustle.h"

static atomic_int releases;

static void on_signal(void *context, const void *event) {
  (void)context;
  (void)event;
}

static void on_release(void *context, int32_t reason, const uint8_t *message, size_t length) {
  (void)context;
  (void)reason;
  (void)message;
  (void)length;
  atomic_fetch_add(&releases, 1);
}

static RustleStatus start(RustleHandle ticker, RustleHandle *session, RustleError *error) {
  RustleString symbol = {(const uint8_t *)"BTC", 3};
  RustleTickerRequest request = {.symbols = &symbol, .symbol_count = 1};
  RustleSink sink = {NULL, on_signal, on_release};
  return rustle_ticker_start(ticker, &request, sink, session, error);
}

int main(void) {
  RustleManualRuntime at_zero = {0};
  RustleHandle runtime = 0, ticker = 0, session = 0;
  EXPECT(rustle_runtime_new_manual(&at_zero, &runtime, NULL) == RUSTLE_OK);
  RustleTickerConfiguration configuration = {.updates_per_second = 1, .runtime = runtime};
  EXPECT(rustle_ticker_new(&configuration, &ticker, NULL) == RUSTLE_OK);
  EXPECT(start(ticker, &session, NULL) == RUSTLE_OK);
  pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    RustleHandle other = 0;
    RustleError error;
    EXPECT(start(ticker, &other, &error) == RUSTLE_FORKED && error.status == RUSTLE_FORKED && other == 0);
    EXPECT(error.message_length > 0);
    EXPECT(rustle_runtime_advance(runtime, 1, &error) == RUSTLE_FORKED && error.status == RUSTLE_FORKED);
    // What needs no thread goes on.
    RustlePitchConfiguration pitch = {.sample_rate = 8000, .lowest = 60, .highest = 1000, .hop = 256};
    EXPECT(rustle_pitch_new(&pitch, &other, NULL) == RUSTLE_OK && rustle_pitch_free(other, NULL) == RUSTLE_OK);
    // An exit would look for leaks, and what the missing threads alone knew is lost here.
    raise(SIGKILL);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  // The process that has the threads is as it was.
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK);
  EXPECT(start(ticker, &session, NULL) == RUSTLE_OK);
  EXPECT(rustle_session_free(session, NULL) == RUSTLE_OK && rustle_ticker_free(ticker, NULL) == RUSTLE_OK);
  EXPECT(rustle_runtime_advance(runtime, 1, NULL) == RUSTLE_OK && rustle_runtime_free(runtime, NULL) == RUSTLE_OK);
  UNTIL(atomic_load(&releases) == 2);
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
