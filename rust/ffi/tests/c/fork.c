// A fork of a process that has started an engine: the threads are not in it, and each start reports it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static Probe first, second;

static RustleStatus start(RustleHandle ticker, Probe *probe, RustleHandle *session) {
  RustleString symbol = TEXT("BTC");
  return start_ticker(ticker, &symbol, 1, RUSTLE_LANE_PER_VALUE, 0, (RustleSink){probe, on_event, on_release}, session);
}

int main(void) {
  RustleHandle runtime = manual_runtime(), ticker = 0, session = 0;
  RustleTickerConfiguration configuration = {.updates_per_second = 1, .runtime = runtime};
  OK(rustle_ticker_new(&configuration, &ticker, NULL));
  OK(start(ticker, &first, &session));
  pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    RustleHandle other = 0;
    REFUSED(start(ticker, &second, &other), RUSTLE_FORKED);
    EXPECT(other == 0);
    REFUSED(rustle_runtime_advance(runtime, 1, &error), RUSTLE_FORKED);
    // Calls that need no thread still work.
    RustlePitchConfiguration pitch = {.sample_rate = 8000, .lowest = 60, .highest = 1000, .hop = 256};
    EXPECT(rustle_pitch_new(&pitch, &other, NULL) == RUSTLE_OK && rustle_pitch_free(other, NULL) == RUSTLE_OK);
    // An exit would search for leaks, and the memory of the missing threads is unreachable here.
    raise(SIGKILL);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  // The process with the threads is unchanged.
  OK(rustle_session_free(session, NULL));
  OK(start(ticker, &second, &session));
  FREE(session, ticker);
  OK(rustle_runtime_advance(runtime, 1, NULL));
  FREE(runtime);
  UNTIL(atomic_load(&first.releases) == 1 && atomic_load(&second.releases) == 1);
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
