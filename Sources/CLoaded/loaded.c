// The functions of cairo, and those of libcurl that Foundation calls, in front of the libraries' own: each loads its library when it is
// first called. With the libraries that they need in turn, these two are most of what the system's linker loads and relocates before a
// command starts, and few commands draw a picture or ask a server. A command that is linked with --as-needed names neither.
#include "loaded.h"

#ifndef __linux__

// The system's linker loads it.
bool rustle_finds_cairo(void) { return true; }

#else

#include <cairo.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define CAIRO_LIBRARY "libcairo.so.2"
#define CURL_LIBRARY "libcurl.so.4"

bool rustle_finds_cairo(void) { return dlopen(CAIRO_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL; }

// EX_UNAVAILABLE: where the system's linker would end the process with 127, before its start.
static const int unavailable = 69;

static void *function_of(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *function = handle == NULL ? NULL : dlsym(handle, name);
  if (function == NULL) {
    const char *reason = dlerror();
    fprintf(stderr, "error: expected the library %s, got none: %s\n  Install the package that has it.\n", library, reason == NULL ? "unknown" : reason);
    _exit(unavailable);
  }
  return function;
}

// The library's function. Threads that ask at once find the same one.
#define OF(library, name)                                                                                              \
  ({                                                                                                                   \
    static _Atomic(__typeof__(&name)) known;                                                                           \
    __typeof__(&name) function = atomic_load_explicit(&known, memory_order_acquire);                                   \
    if (function == NULL) {                                                                                            \
      function = (__typeof__(&name))function_of(library, #name);                                                       \
      atomic_store_explicit(&known, function, memory_order_release);                                                   \
    }                                                                                                                  \
    function;                                                                                                          \
  })

#define CAIRO(result, name, parameters, arguments)                                                                     \
  result name parameters { return OF(CAIRO_LIBRARY, name) arguments; }

CAIRO(void, cairo_arc, (cairo_t *c, double x, double y, double r, double from, double to), (c, x, y, r, from, to))
CAIRO(void, cairo_clip, (cairo_t *c), (c))
CAIRO(void, cairo_close_path, (cairo_t *c), (c))
CAIRO(cairo_t *, cairo_create, (cairo_surface_t *s), (s))
CAIRO(void, cairo_destroy, (cairo_t *c), (c))
CAIRO(void, cairo_fill, (cairo_t *c), (c))
CAIRO(void, cairo_fill_preserve, (cairo_t *c), (c))
CAIRO(cairo_font_options_t *, cairo_font_options_create, (void), ())
CAIRO(void, cairo_font_options_destroy, (cairo_font_options_t *o), (o))
CAIRO(void, cairo_font_options_set_antialias, (cairo_font_options_t *o, cairo_antialias_t value), (o, value))
CAIRO(void, cairo_font_options_set_hint_metrics, (cairo_font_options_t *o, cairo_hint_metrics_t value), (o, value))
CAIRO(void, cairo_font_options_set_hint_style, (cairo_font_options_t *o, cairo_hint_style_t value), (o, value))
CAIRO(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t format, int width, int height), (format, width, height))
CAIRO(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *s), (s))
CAIRO(int, cairo_image_surface_get_stride, (cairo_surface_t *s), (s))
CAIRO(void, cairo_line_to, (cairo_t *c, double x, double y), (c, x, y))
CAIRO(void, cairo_move_to, (cairo_t *c, double x, double y), (c, x, y))
CAIRO(void, cairo_new_path, (cairo_t *c), (c))
CAIRO(void, cairo_new_sub_path, (cairo_t *c), (c))
CAIRO(void, cairo_rectangle, (cairo_t *c, double x, double y, double width, double height), (c, x, y, width, height))
CAIRO(void, cairo_restore, (cairo_t *c), (c))
CAIRO(void, cairo_rotate, (cairo_t *c, double angle), (c, angle))
CAIRO(void, cairo_save, (cairo_t *c), (c))
CAIRO(void, cairo_select_font_face, (cairo_t *c, const char *family, cairo_font_slant_t slant, cairo_font_weight_t weight),
      (c, family, slant, weight))
CAIRO(void, cairo_set_font_options, (cairo_t *c, const cairo_font_options_t *o), (c, o))
CAIRO(void, cairo_set_font_size, (cairo_t *c, double size), (c, size))
CAIRO(void, cairo_set_line_join, (cairo_t *c, cairo_line_join_t join), (c, join))
CAIRO(void, cairo_set_line_width, (cairo_t *c, double width), (c, width))
CAIRO(void, cairo_set_source_rgba, (cairo_t *c, double red, double green, double blue, double alpha), (c, red, green, blue, alpha))
CAIRO(void, cairo_show_text, (cairo_t *c, const char *text), (c, text))
CAIRO(cairo_status_t, cairo_status, (cairo_t *c), (c))
CAIRO(const char *, cairo_status_to_string, (cairo_status_t status), (status))
CAIRO(void, cairo_stroke, (cairo_t *c), (c))
CAIRO(void, cairo_surface_destroy, (cairo_surface_t *s), (s))
CAIRO(void, cairo_surface_flush, (cairo_surface_t *s), (s))
CAIRO(void, cairo_surface_mark_dirty, (cairo_surface_t *s), (s))
CAIRO(cairo_status_t, cairo_surface_write_to_png, (cairo_surface_t *s, const char *path), (s, path))
CAIRO(void, cairo_text_extents, (cairo_t *c, const char *text, cairo_text_extents_t *extents), (c, text, extents))
CAIRO(void, cairo_translate, (cairo_t *c, double x, double y), (c, x, y))
CAIRO(const char *, cairo_version_string, (void), ())

// As in curl/curl.h, whose package a build does not need: its enumerations are int, its structures are behind pointers.
#define CURL_FUNCTION(result, name, parameters, arguments)                                                             \
  result name parameters;                                                                                              \
  result name parameters { return OF(CURL_LIBRARY, name) arguments; }
// What follows the option is as wide as a pointer: a long, an offset of 64 bits, or a pointer.
#define CURL_OPTION(name, handle, option)                                                                              \
  int name(void *handle, int option, ...);                                                                             \
  int name(void *handle, int option, ...) {                                                                            \
    va_list rest;                                                                                                      \
    va_start(rest, option);                                                                                            \
    void *value = va_arg(rest, void *);                                                                                \
    va_end(rest);                                                                                                      \
    return OF(CURL_LIBRARY, name)(handle, option, value);                                                                      \
  }

CURL_FUNCTION(void, curl_easy_cleanup, (void *easy), (easy))
CURL_OPTION(curl_easy_getinfo, easy, info)
CURL_FUNCTION(void *, curl_easy_init, (void), ())
CURL_FUNCTION(int, curl_easy_pause, (void *easy, int mask), (easy, mask))
CURL_OPTION(curl_easy_setopt, easy, option)
CURL_FUNCTION(const char *, curl_easy_strerror, (int code), (code))
CURL_FUNCTION(void, curl_free, (void *memory), (memory))
CURL_FUNCTION(int, curl_global_init, (long flags), (flags))
CURL_FUNCTION(int, curl_multi_add_handle, (void *multi, void *easy), (multi, easy))
CURL_FUNCTION(int, curl_multi_assign, (void *multi, int socket, void *value), (multi, socket, value))
CURL_FUNCTION(int, curl_multi_cleanup, (void *multi), (multi))
CURL_FUNCTION(void *, curl_multi_info_read, (void *multi, int *count), (multi, count))
CURL_FUNCTION(void *, curl_multi_init, (void), ())
CURL_FUNCTION(int, curl_multi_remove_handle, (void *multi, void *easy), (multi, easy))
CURL_OPTION(curl_multi_setopt, multi, option)
CURL_FUNCTION(int, curl_multi_socket_action, (void *multi, int socket, int events, int *running),
              (multi, socket, events, running))
CURL_FUNCTION(void *, curl_slist_append, (void *list, const char *text), (list, text))
CURL_FUNCTION(void, curl_slist_free_all, (void *list), (list))
CURL_FUNCTION(void *, curl_url, (void), ())
CURL_FUNCTION(int, curl_url_get, (const void *url, int part, char **text, unsigned flags), (url, part, text, flags))
CURL_FUNCTION(int, curl_url_set, (void *url, int part, const char *text, unsigned flags), (url, part, text, flags))
CURL_FUNCTION(const char *, curl_version, (void), ())
CURL_FUNCTION(const void *, curl_version_info, (int age), (age))

#endif
