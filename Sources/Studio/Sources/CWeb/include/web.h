// The files of the page, which are in the program, their compression, what the process has allocated, and where its errors go.
#ifndef RUSTLE_WEB_H
#define RUSTLE_WEB_H

#include <stddef.h>
#include <stdint.h>

// The number of files.
size_t rustle_web_count(void);
// The path of a file below the root, without a slash at its beginning.
const char *rustle_web_path(size_t index);
// Its number of bytes.
size_t rustle_web_length(size_t index);
// One of its bytes.
unsigned char rustle_web_byte(size_t index, size_t offset);
// Compresses bytes as gzip. Returns the number of bytes written; 0: they do not fit into the capacity.
size_t rustle_web_gzip(const unsigned char *bytes, size_t length, unsigned char *gzip, size_t capacity);
// The bytes that the process has allocated and not freed; 0 where the system's library does not count them.
size_t rustle_web_heap_length(void);
// Whether standard error is the file of these numbers.
int rustle_web_has_errors(uint64_t device, uint64_t inode);

#endif
