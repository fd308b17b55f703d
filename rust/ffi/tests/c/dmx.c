// DMX from plain C: a sender without a network, what is refused, the list of interfaces, and the faults of a rig.
#include "expect.h"

static const RustleLaneRequest ring = {.capacity = 16, .lane = RUSTLE_LANE_DROP_OLDEST};

static RustleDMXConfiguration configuration(const char *interface, RustleHandle runtime) {
  return (RustleDMXConfiguration){.interface = TEXT(interface),
                                  .cid = TEXT("6f8c2a60-1e0b-4c39-9d3e-0a1b2c3d4e5f"),
                                  .name = TEXT("C"),
                                  .frames_a_second = 44,
                                  .reports_per_second = 1,
                                  .runtime = runtime,
                                  .kind = RUSTLE_DMX_SACN,
                                  .priority = 100,
                                  .time_to_live = 1};
}

static void universes_are_sent_until_they_are_terminated(void) {
  RustleHandle runtime = manual_runtime(), sender = 0, session = 0;
  RustleDMXConfiguration demo = configuration("demo", runtime);
  OK(rustle_dmx_sender_new(&demo, &sender, NULL));
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  OK(rustle_dmx_sender_start(sender, &ring, sink, &session, NULL));
  OK(rustle_runtime_advance(runtime, 0, NULL));
  const uint32_t universes[] = {1, 63999};
  const uint8_t slots[] = {1, 2, 3, 4};
  OK(rustle_dmx_sender_set_levels(session, universes, 2, slots, 4, NULL));
  OK(rustle_dmx_sender_set_priority(session, 1, 200, NULL));
  OK(rustle_dmx_sender_set_priorities(session, 1, slots, 2, NULL));
  OK(rustle_runtime_advance(runtime, 23 * MILLISECOND, NULL));
  RustleDMXReport counts;
  OK(rustle_dmx_sender_counts(session, &counts, NULL));
  EXPECT(counts.packets == 3 && counts.universes == 2 && counts.refusals == 0);
  RustleDMXSentCounts sent;
  OK(rustle_dmx_sender_universe(session, 1, &sent, NULL));
  EXPECT(sent.packets == 2 && sent.refusals == 0);
  REFUSED(rustle_dmx_sender_universe(session, 0, &sent, &error), RUSTLE_INVALID_UNIVERSE);
  OK(rustle_dmx_sender_remove(session, 1, NULL));
  const uint32_t wrong[] = {1, 64000};
  REFUSED(rustle_dmx_sender_set_levels(session, wrong, 2, slots, 4, &error), RUSTLE_INVALID_UNIVERSE);
  REFUSED(rustle_dmx_sender_set_levels(session, universes, 2, slots, 3, &error), RUSTLE_INVALID_LENGTH);
  REFUSED(rustle_dmx_sender_set_priority(session, 1, 201, &error), RUSTLE_INVALID_VALUE);
  uint64_t refusals[2];
  size_t written = 0;
  OK(rustle_dmx_sender_refusals(session, refusals, 2, &written, NULL));
  EXPECT(written == 1 && refusals[0] == 0);
  OK(rustle_dmx_sender_cancel(sender, NULL));
  OK(rustle_runtime_advance(runtime, 0, NULL));
  EXPECT(is_released(&probe, RUSTLE_RELEASE_CANCELLED));
  OK(rustle_dmx_sender_counts(session, &counts, NULL));
  EXPECT(counts.universes == 0 && counts.packets >= 3 + 3 + 3);
  FREE(session);
  FREE(sender);
  FREE(runtime);
}

static void interface_that_is_not_there_is_refused(void) {
  RustleHandle sender = 0, session = 0;
  RustleDMXConfiguration wrong = configuration("nowhere", 0);
  OK(rustle_dmx_sender_new(&wrong, &sender, NULL));
  Probe probe = {0};
  RustleSink sink = {&probe, on_ring, on_release};
  REFUSED(rustle_dmx_sender_start(sender, &ring, sink, &session, &error), RUSTLE_UNKNOWN_INTERFACE);
  OK(rustle_dmx_sender_shut_down(sender, NULL));
  REFUSED(rustle_dmx_sender_start(sender, &ring, sink, &session, &error), RUSTLE_SHUT_DOWN);
  FREE(sender);
  wrong.kind = RUSTLE_DMX_ART_NET;
  REFUSED(rustle_dmx_sender_new(&wrong, &sender, &error), RUSTLE_NO_DESTINATION);
  wrong.destinations = TEXT("10.0.0.7,,10.0.0.8");
  REFUSED(rustle_dmx_sender_new(&wrong, &sender, &error), RUSTLE_MALFORMED_ADDRESS);
}

static void universes_that_do_not_ascend_are_refused(void) {
  RustleHandle receiver = 0;
  RustleDMXReceiverConfiguration range = {
      .interface = TEXT("demo"), .sacn = TEXT("1,9-3"), .levels_per_second = 1000, .sources = 16};
  REFUSED(rustle_dmx_receiver_new(&range, &receiver, &error), RUSTLE_INVALID_VALUE);
  range.sacn = TEXT("1,3-9");
  OK(rustle_dmx_receiver_new(&range, &receiver, NULL));
  RustleDMXSource source = {.is_there = 1};
  OK(rustle_dmx_receiver_source(receiver, RUSTLE_DMX_SACN, 1, 0, &source, NULL));
  EXPECT(source.is_there == 0);
  REFUSED(rustle_dmx_receiver_source(receiver, RUSTLE_DMX_SACN, 0, 0, &source, &error), RUSTLE_INVALID_UNIVERSE);
  OK(rustle_dmx_receiver_forget(receiver, RUSTLE_DMX_SACN, 1, 1, 2, 0, 0, NULL));
  FREE(receiver);
}

static void faults_of_a_rig_are_named(void) {
  RustleRigConfiguration file = {
      .json = TEXT("{\"v\":1,\"fixtures\":["
                   "{\"id\":1,\"profile\":\"wash\",\"protocol\":\"sacn\",\"universe\":1,\"address\":510},"
                   "{\"id\":2,\"profile\":\"none\",\"protocol\":\"sacn\",\"universe\":1,\"address\":1}]}")};
  RustleHandle rig = 0;
  OK(rustle_rig_new(&file, &rig, NULL));
  RustleRigDescription found;
  OK(rustle_rig_describe(rig, &found, NULL));
  EXPECT(found.fixtures == 1 && found.universes == 1 && found.slots == 6 && found.faults == 2);
  RustleRigFault fault;
  uint8_t text[256];
  OK(rustle_rig_fault(rig, 0, text, sizeof text, &fault, NULL));
  EXPECT(fault.kind == RUSTLE_RIG_VALUE && fault.first == RUSTLE_RIG_NO_FIXTURE);
  EXPECT(memcmp(text, "fixtures[1].profile: ", 21) == 0);
  OK(rustle_rig_fault(rig, 1, NULL, 0, &fault, NULL));
  EXPECT(fault.kind == RUSTLE_RIG_PAST_END && fault.first == 0 && fault.length > 20);
  OK(rustle_rig_fault(rig, 2, text, sizeof text, &fault, NULL));
  EXPECT(fault.kind == RUSTLE_RIG_NONE && fault.length == 0);
  FREE(rig);
  file.json = TEXT("[]");
  REFUSED(rustle_rig_new(&file, &rig, &error), RUSTLE_MALFORMED_FILE);
}

static void on_interface(void *context, const RustleDMXInterface *interface) {
  *(size_t *)context += interface->is_loopback != 0;
  EXPECT(interface->name.length > 0 && interface->address.length >= 7 && interface->broadcast.length >= 7);
}

static void interfaces_are_shown(void) {
  size_t loopbacks = 0;
  OK(rustle_dmx_interfaces(on_interface, &loopbacks, NULL));
  EXPECT(loopbacks > 0);
  REFUSED(rustle_dmx_interfaces(NULL, &loopbacks, &error), RUSTLE_NULL_POINTER);
}

int main(void) {
  universes_are_sent_until_they_are_terminated();
  interface_that_is_not_there_is_refused();
  universes_that_do_not_ascend_are_refused();
  interfaces_are_shown();
  faults_of_a_rig_are_named();
  EXPECT(rustle_live_objects() == 0);
  return 0;
}
