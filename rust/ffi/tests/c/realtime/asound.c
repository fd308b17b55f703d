// A replacement of libasound.so.2 with scripted devices. Its calls divide a device's thread: inside them it may do anything, as
// the real library does; between them, where the archive's code runs, it is in the realtime context of RealtimeSanitizer. The
// program that loads it brings the sanitizer.
//
// A device's name is `format N`, N a number of snd_pcm_format_t, or `lost N`, a device that is lost after some calls; its thread
// then stays in the realtime context. The errors are those of errno.h.
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __rtsan_realtime_enter(void);
void __rtsan_realtime_exit(void);

enum { CAPTURE = 1, CALLS_UNTIL_LOST = 500, PERIOD = 480, DELAY = 1000 };

typedef struct Device {
  int format, is_lost, is_checked;
  unsigned channels;
  long calls;
} Device;

// Every function of a device's thread begins with `in` and ends with `out`.
static void in(Device *device) {
  if (device->is_checked) __rtsan_realtime_exit();
  device->is_checked = 0;
}

static long out(Device *device, long result) {
  device->is_checked = 1;
  __rtsan_realtime_enter();
  return result;
}

int snd_pcm_open(Device **place, const char *name, int direction, int mode) {
  (void)direction;
  Device device = {0};
  if (mode != 1) return -EINVAL;
  if (sscanf(name, "lost %d", &device.format) == 1) {
    device.is_lost = 1;
  } else if (sscanf(name, "format %d", &device.format) != 1) {
    return -ENOENT;
  }
  *place = malloc(sizeof device);
  if (*place == NULL) return -ENOMEM;
  **place = device;
  return 0;
}

int snd_pcm_close(Device *device) {
  free(device);
  return 0;
}

int snd_pcm_drop(Device *device) {
  in(device);
  return 0;
}

// The result of a read or a write of this many frames: all of them, some, or none.
static long step(Device *device, unsigned long frames) {
  const long call = ++device->calls;
  if (device->is_lost && call > CALLS_UNTIL_LOST) return -ENODEV;
  if (call % 7 == 3) return -EAGAIN;
  if (call % 11 == 5) return -EPIPE;
  if (call % 13 == 8) return -ESTRPIPE;
  return call % 3 == 0 ? (long)(frames + 1) / 2 : (long)frames;
}

static size_t bytes_of(const Device *device, long frames) {
  const size_t sample = device->format == 2 ? 2 : device->format == 32 ? 3 : 4;
  return (size_t)frames * device->channels * sample;
}

long snd_pcm_readi(Device *device, unsigned char *bytes, unsigned long frames) {
  in(device);
  const long count = step(device, frames);
  if (count > 0) memset(bytes, 0x3e, bytes_of(device, count));
  return out(device, count);
}

long snd_pcm_writei(Device *device, const unsigned char *bytes, unsigned long frames) {
  (void)bytes;
  in(device);
  return out(device, step(device, frames));
}

// A device that waits yields the processor.
int snd_pcm_wait(Device *device, int milliseconds) {
  (void)milliseconds;
  in(device);
  sched_yield();
  return (int)out(device, 1);
}

static int nothing_to_do(Device *device) {
  in(device);
  return (int)out(device, 0);
}

int snd_pcm_prepare(Device *device) { return nothing_to_do(device); }
int snd_pcm_start(Device *device) { return nothing_to_do(device); }
// Fails every other time, as a device that cannot resume.
int snd_pcm_resume(Device *device) {
  in(device);
  return (int)out(device, device->calls % 2 == 0 ? 0 : -ENOSYS);
}

int snd_pcm_delay(Device *device, long *delay) {
  in(device);
  *delay = DELAY;
  return (int)out(device, 0);
}

// What is called where a device is opened, before its thread is there.
int snd_pcm_hw_params_set_format(Device *device, void *parameters, int format) {
  (void)parameters;
  return device->format == format ? 0 : -EINVAL;
}

int snd_pcm_hw_params_set_channels(Device *device, void *parameters, unsigned channels) {
  (void)parameters;
  device->channels = channels;
  return 0;
}

int snd_pcm_hw_params_set_period_size_near(Device *device, void *parameters, unsigned long *frames, int *direction) {
  (void)device;
  (void)parameters;
  (void)direction;
  *frames = PERIOD;
  return 0;
}

int snd_pcm_hw_params_malloc(void **parameters) {
  *parameters = NULL;
  return 0;
}

const char *snd_strerror(int number) { return strerror(-number); }

// Functions without work in this library: it accepts every number, and nothing reads what these would write.
#define TAKES_ANYTHING(name) \
  int name(void) { return 0; }
TAKES_ANYTHING(snd_pcm_drain)
TAKES_ANYTHING(snd_pcm_hw_params)
TAKES_ANYTHING(snd_pcm_hw_params_any)
TAKES_ANYTHING(snd_pcm_hw_params_free)
TAKES_ANYTHING(snd_pcm_hw_params_get_channels_max)
TAKES_ANYTHING(snd_pcm_hw_params_get_channels_min)
TAKES_ANYTHING(snd_pcm_hw_params_get_rate_max)
TAKES_ANYTHING(snd_pcm_hw_params_get_rate_min)
TAKES_ANYTHING(snd_pcm_hw_params_set_access)
TAKES_ANYTHING(snd_pcm_hw_params_set_buffer_size_near)
TAKES_ANYTHING(snd_pcm_hw_params_set_rate)
TAKES_ANYTHING(snd_lib_error_set_handler)
TAKES_ANYTHING(snd_device_name_hint)
TAKES_ANYTHING(snd_device_name_get_hint)
TAKES_ANYTHING(snd_device_name_free_hint)
