#ifndef RUSTLE_TERMINAL_H
#define RUSTLE_TERMINAL_H

// The few terminal calls of the command line. Every parameter and result is a plain integer, so that the Swift side needs
// no unsafe expression, and what must run inside a signal handler is written in C, where it can be.

/// The width of the terminal behind a file descriptor in columns, or 0 when it is not a terminal or does not say.
int rustle_terminal_columns(int descriptor);

/// The height of the terminal behind a file descriptor in rows, or 0 when it is not a terminal or does not say.
int rustle_terminal_rows(int descriptor);

/// Makes a terminal hand over each key at once and without echo; Ctrl-C and Ctrl-Z stay signals. The settings of before
/// are kept for `rustle_terminal_keys_end`. Returns 0, or errno.
///
/// Thread-safe: no; one terminal at a time.
int rustle_terminal_keys_begin(int descriptor);

/// Puts back the settings that `rustle_terminal_keys_begin` found. Does nothing when there are none.
///
/// Thread-safe: no. Async-signal-safe: yes.
void rustle_terminal_keys_end(void);

/// Makes a crash of the process (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT) show the cursor on a descriptor and
/// put back the keys before it takes its course.
///
/// Thread-safe: no.
void rustle_terminal_crash_guard_begin(int descriptor);

/// Gives the signals of a crash back to who had them.
///
/// Thread-safe: no.
void rustle_terminal_crash_guard_end(void);

/// Whether nobody can read any more what is written to a pipe or socket: 1 or 0.
///
/// Thread-safe: yes.
int rustle_terminal_reader_is_gone(int descriptor);

/// Makes writing to a pipe without a reader an error (EPIPE) rather than the end of the process.
///
/// Thread-safe: no; to be called once, at the start.
void rustle_terminal_ignore_broken_pipes(void);

/// Stops the process until somebody continues it (SIGSTOP to itself, which cannot be caught).
void rustle_terminal_stop_process(void);

#endif
