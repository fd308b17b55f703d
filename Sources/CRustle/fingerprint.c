// SwiftPM does not relink a product when only a binary target's archive has changed. This file includes a header that
// scripts/build rewrites with every new archive, so that the object changes with the archive and the product is linked
// again; RustleCore compares the two fingerprints at first use.
#include "rustle_shim.h"

#if __has_include("generated/fingerprint.h")
#include "generated/fingerprint.h"
#else
#define RUSTLE_EXPECTED_BUILD_ID "none: run scripts/build"
#endif

const char *rustle_expected_build_id(void) { return RUSTLE_EXPECTED_BUILD_ID; }
