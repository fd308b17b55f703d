// The floor of NATS: libnats alone. nats_floor publish URL COUNT | nats_floor receive URL COUNT
// The publisher sends COUNT messages of 92 bytes to 1,000 subjects; the receiver counts them and says when it has subscribed.
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(natsStatus status) {
  if (status != NATS_OK) {
    fprintf(stderr, "libnats: %s\n", natsStatus_GetText(status));
    exit(1);
  }
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: nats_floor publish|receive URL COUNT\n");
    return 64;
  }
  natsConnection *connection = NULL;
  long messages = atol(arguments[3]);
  check(natsConnection_ConnectTo(&connection, arguments[2]));
  if (strcmp(arguments[1], "publish") == 0) {
    char payload[92], subject[32];
    memset(payload, 'x', sizeof payload);
    for (long n = 0; n < messages; n++) {
      snprintf(subject, sizeof subject, "floor.q.S%ld", n % 1000);
      check(natsConnection_Publish(connection, subject, payload, sizeof payload));
    }
    check(natsConnection_FlushTimeout(connection, 600000));
  } else {
    natsSubscription *subscription = NULL;
    check(natsConnection_SubscribeSync(&subscription, connection, "floor.q.>"));
    check(natsSubscription_SetPendingLimits(subscription, -1, -1));
    check(natsConnection_Flush(connection));
    puts("subscribed");
    fflush(stdout);
    for (long n = 0; n < messages; n++) {
      natsMsg *message = NULL;
      check(natsSubscription_NextMsg(&message, subscription, 600000));
      natsMsg_Destroy(message);
    }
    natsSubscription_Destroy(subscription);
  }
  natsConnection_Destroy(connection);
  nats_Close();
  return 0;
}
