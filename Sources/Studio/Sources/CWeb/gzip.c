#include "web.h"

#define ZLIB_CONST
#include <zlib.h>

// The form of the stream is gzip's, with the largest window.
enum { BEST_LEVEL = 9, WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 9 };

size_t rustle_web_gzip(const unsigned char *bytes, size_t length, unsigned char *gzip, size_t capacity) {
  z_stream stream = {
      .next_in = bytes, .avail_in = (uInt)length, .next_out = gzip, .avail_out = (uInt)capacity};
  if (deflateInit2(&stream, BEST_LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  const int status = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return status == Z_STREAM_END ? capacity - stream.avail_out : 0;
}
