// The floor of a sender of sACN: packets that are made once, written in place, and sent by sendmmsg at absolute times.
// Usage: dmx_floor UNIVERSES SECONDS unicast|segmented|multicast PORT; prints the packets and the processor time in ns.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { BYTES = 638, BATCH = 64, SECOND = 1000000000, DIVIDE = 103 };

static uint64_t ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void put16(uint8_t *at, unsigned value) { at[0] = (uint8_t)(value >> 8), at[1] = (uint8_t)value; }

static void make(uint8_t *packet, unsigned universe) {
  memset(packet, 0, BYTES);
  packet[1] = 0x10;
  memcpy(packet + 4, "ASC-E1.17", 9);
  put16(packet + 16, 0x7000 | (BYTES - 16));
  packet[21] = 4;
  memset(packet + 22, 0xF1, 16);
  put16(packet + 38, 0x7000 | (BYTES - 38));
  packet[43] = 2;
  memcpy(packet + 44, "floor", 5);
  packet[108] = 100;
  put16(packet + 113, universe);
  put16(packet + 115, 0x7000 | (BYTES - 115));
  packet[117] = 0x02, packet[118] = 0xA1;
  packet[122] = 1;
  put16(packet + 123, 513);
}

int main(int count, char **words) {
  if (count != 5) return 2;
  unsigned universes = (unsigned)atoi(words[1]), seconds = (unsigned)atoi(words[2]);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[4]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int descriptor = socket(AF_INET, SOCK_DGRAM, 0), length = BYTES;
  int is_multicast = words[3][0] == 'm', is_segmented = words[3][0] == 's';
  if (is_multicast && setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_IF, &to.sin_addr, sizeof to.sin_addr) != 0) return 1;
  if (is_segmented && setsockopt(descriptor, IPPROTO_UDP, DIVIDE, &length, sizeof length) != 0) return 1;
  if (!is_multicast && connect(descriptor, (struct sockaddr *)&to, sizeof to) != 0) return 1;
  struct sched_param parameters = {.sched_priority = 50};
  sched_setscheduler(0, SCHED_FIFO, &parameters);
  prctl(PR_SET_TIMERSLACK, 1UL);
  uint8_t *packets = malloc((size_t)universes * BYTES);
  struct iovec *pieces = calloc(universes, sizeof *pieces);
  struct mmsghdr *headers = calloc(universes, sizeof *headers);
  struct sockaddr_in *groups = calloc(universes, sizeof *groups);
  for (unsigned n = 0; n < universes; n++) {
    make(packets + (size_t)n * BYTES, n + 1);
    pieces[n] = (struct iovec){packets + (size_t)n * BYTES, BYTES};
    headers[n].msg_hdr = (struct msghdr){.msg_iov = &pieces[n], .msg_iovlen = 1};
    // One message has the packets of a batch.
    if (is_segmented) headers[n].msg_hdr.msg_iovlen = universes - n < BATCH ? universes - n : BATCH;
    groups[n] = to, groups[n].sin_addr.s_addr = htonl(0xEFFF0000u | (n + 1));
    if (is_multicast) headers[n].msg_hdr.msg_name = &groups[n], headers[n].msg_hdr.msg_namelen = sizeof to;
  }
  uint64_t start = ns(CLOCK_MONOTONIC), sent = 0, frames = (uint64_t)seconds * 44;
  for (uint64_t frame = 0; frame < frames; frame++) {
    uint64_t at = start + frame * SECOND / 44;
    struct timespec due = {.tv_sec = (time_t)(at / SECOND), .tv_nsec = (long)(at % SECOND)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    for (unsigned n = 0; n < universes; n++) {
      uint8_t *packet = packets + (size_t)n * BYTES;
      packet[111]++;
      memset(packet + 126, (int)(frame + n), 512);
    }
    for (unsigned n = 0; n < universes;) {
      unsigned most = universes - n < BATCH ? universes - n : BATCH;
      int taken = sendmmsg(descriptor, headers + n, is_segmented ? 1 : most, 0);
      if (taken < 0) continue;
      if (is_segmented) taken = (int)most;
      n += (unsigned)taken, sent += (uint64_t)taken;
    }
  }
  printf("%llu %llu\n", (unsigned long long)sent, (unsigned long long)ns(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
