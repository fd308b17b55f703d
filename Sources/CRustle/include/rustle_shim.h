#ifndef RUSTLE_SHIM_H
#define RUSTLE_SHIM_H

/// The fingerprint of the archive that this package was last built against, as scripts/build wrote it: a
/// NUL-terminated string with static lifetime. It equals `rustle_build_id()` unless the linked archive is another one.
///
/// Thread-safe: yes. Realtime-safe: yes.
const char *rustle_expected_build_id(void);

#endif
