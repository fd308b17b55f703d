#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// A standard descriptor that the process was started without is a free number, which the next file or event queue would get, and
// the command's text with it. Before anything else is opened such a number gets a descriptor that refuses: the input is for
// writing, the outputs are for reading.
__attribute__((constructor)) static void hold_standard_descriptors(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is this one.
      (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

static struct winsize size_of(int descriptor) {
  struct winsize size;
  memset(&size, 0, sizeof size);
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) {
    memset(&size, 0, sizeof size);
  }
  return size;
}

int rustle_terminal_columns(int descriptor) { return size_of(descriptor).ws_col; }

int rustle_terminal_rows(int descriptor) { return size_of(descriptor).ws_row; }

// The saved settings are read by signal handlers: the flag is set after them and cleared before they change.
static struct termios saved;
static int saved_descriptor;
static volatile sig_atomic_t has_saved;

int rustle_terminal_keys_begin(int descriptor) {
  struct termios raw;
  if (has_saved) {
    return EBUSY;
  }
  if (tcgetattr(descriptor, &saved) != 0) {
    return errno;
  }
  saved_descriptor = descriptor;
  has_saved = 1;
  raw = saved;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(descriptor, TCSANOW, &raw) != 0) {
    has_saved = 0;
    return errno;
  }
  return 0;
}

void rustle_terminal_keys_end(void) {
  if (has_saved) {
    (void)tcsetattr(saved_descriptor, TCSANOW, &saved);
    has_saved = 0;
  }
}

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
enum { crash_signal_count = sizeof crash_signals / sizeof crash_signals[0] };
static struct sigaction previous[crash_signal_count];
static volatile sig_atomic_t guarded_descriptor = -1;

// Ends a synchronized frame, resets the colours, shows the cursor. Only async-signal-safe calls below. The handler was
// reset on entry (SA_RESETHAND), so raising the signal again ends the process as it would have ended.
static void on_crash(int number) {
  static const char restore[] = "\033[?2026l\033[0m\033[?25h\n";
  int descriptor = (int)guarded_descriptor;
  if (descriptor >= 0) {
    ssize_t ignored = write(descriptor, restore, sizeof restore - 1);
    (void)ignored;
  }
  rustle_terminal_keys_end();
  (void)raise(number);
}

void rustle_terminal_crash_guard_begin(int descriptor) {
  struct sigaction action;
  if (guarded_descriptor >= 0) {
    return;
  }
  memset(&action, 0, sizeof action);
  action.sa_handler = on_crash;
  action.sa_flags = (int)SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  guarded_descriptor = descriptor;
  for (int index = 0; index < crash_signal_count; index++) {
    (void)sigaction(crash_signals[index], &action, &previous[index]);
  }
}

void rustle_terminal_crash_guard_end(void) {
  if (guarded_descriptor < 0) {
    return;
  }
  for (int index = 0; index < crash_signal_count; index++) {
    (void)sigaction(crash_signals[index], &previous[index], NULL);
  }
  guarded_descriptor = -1;
}

int rustle_terminal_reader_is_gone(int descriptor) {
  // No event is asked for: an error or a hang-up is reported all the same.
  struct pollfd state = {.fd = descriptor, .events = 0, .revents = 0};
  return poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

void rustle_terminal_ignore_broken_pipes(void) { (void)signal(SIGPIPE, SIG_IGN); }

void rustle_terminal_stop_process(void) { (void)raise(SIGSTOP); }
