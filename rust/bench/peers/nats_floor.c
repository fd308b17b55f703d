// The floor of NATS: libnats alone. nats_floor publish|receive|store|replay URL COUNT
// The publisher sends COUNT messages of 92 bytes to 1,000 subjects; the receiver counts them and says when it has subscribed. `store` does the
// same into a stream in a file, with an identifier for each and at most 512 without an acknowledgement; `replay` reads them from there.
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD = 92, SUBJECTS = 1000, WINDOW = 512, PATIENCE_MS = 600000 };

static void check(natsStatus status) {
  if (status != NATS_OK) {
    fprintf(stderr, "libnats: %s\n", natsStatus_GetText(status));
    exit(1);
  }
}

static void publish(natsConnection *connection, long messages) {
  char payload[PAYLOAD], subject[32];
  memset(payload, 'x', sizeof payload);
  for (long n = 0; n < messages; n++) {
    snprintf(subject, sizeof subject, "floor.q.S%ld", n % SUBJECTS);
    check(natsConnection_Publish(connection, subject, payload, sizeof payload));
  }
  check(natsConnection_FlushTimeout(connection, PATIENCE_MS));
}

static void receive(natsSubscription *subscription, long messages) {
  check(natsSubscription_SetPendingLimits(subscription, -1, -1));
  for (long n = 0; n < messages; n++) {
    natsMsg *message = NULL;
    check(natsSubscription_NextMsg(&message, subscription, PATIENCE_MS));
    natsMsg_Destroy(message);
  }
  natsSubscription_Destroy(subscription);
}

static void makeStream(jsCtx *stream) {
  const char *subjects[] = {"floor.q.>"};
  jsStreamConfig configuration;
  check(jsStreamConfig_Init(&configuration));
  configuration.Name = "floor";
  configuration.Subjects = subjects;
  configuration.SubjectsLen = 1;
  check(js_AddStream(NULL, stream, &configuration, NULL, NULL));
}

static void store(jsCtx *stream, long messages) {
  char payload[PAYLOAD], text[48];
  memset(payload, 'x', sizeof payload);
  for (long n = 0; n < messages; n++) {
    natsMsg *message = NULL;
    snprintf(text, sizeof text, "floor.q.S%ld", n % SUBJECTS);
    check(natsMsg_Create(&message, text, NULL, payload, sizeof payload));
    snprintf(text, sizeof text, "floor/0/S%ld/%ld", n % SUBJECTS, n / SUBJECTS);
    check(natsMsgHeader_Set(message, "Nats-Msg-Id", text));
    // It waits while as many are not acknowledged as the context allows.
    check(js_PublishMsgAsync(stream, &message, NULL));
  }
  jsPubOptions options;
  check(jsPubOptions_Init(&options));
  options.MaxWait = PATIENCE_MS;
  check(js_PublishAsyncComplete(stream, &options));
}

static natsSubscription *replay(jsCtx *stream) {
  natsSubscription *subscription = NULL;
  jsSubOptions options;
  check(jsSubOptions_Init(&options));
  options.Ordered = true;
  check(js_SubscribeSync(&subscription, stream, "floor.q.>", NULL, &options, NULL));
  return subscription;
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: nats_floor publish|receive|store|replay URL COUNT\n");
    return 64;
  }
  natsConnection *connection = NULL;
  jsCtx *stream = NULL;
  jsOptions options;
  const char *what = arguments[1];
  long messages = atol(arguments[3]);
  check(natsConnection_ConnectTo(&connection, arguments[2]));
  check(jsOptions_Init(&options));
  options.PublishAsync.MaxPending = WINDOW;
  options.PublishAsync.StallWait = PATIENCE_MS;
  check(natsConnection_JetStream(&stream, connection, &options));
  if (strcmp(what, "publish") == 0) {
    publish(connection, messages);
  } else if (strcmp(what, "store") == 0) {
    if (messages == 0) makeStream(stream);
    store(stream, messages);
  } else {
    natsSubscription *subscription = NULL;
    if (strcmp(what, "replay") == 0) {
      subscription = replay(stream);
    } else {
      check(natsConnection_SubscribeSync(&subscription, connection, "floor.q.>"));
    }
    check(natsConnection_Flush(connection));
    puts("subscribed");
    fflush(stdout);
    receive(subscription, messages);
  }
  jsCtx_Destroy(stream);
  natsConnection_Destroy(connection);
  nats_Close();
  return 0;
}
