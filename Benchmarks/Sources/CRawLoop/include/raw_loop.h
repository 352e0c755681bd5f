#ifndef CURLEW_RAW_LOOP_H
#define CURLEW_RAW_LOOP_H

/* libcurl's multi interface over epoll, as lean as it can be: what Curlew is compared with. */

typedef struct raw_client raw_client;

typedef struct {
  long long bytes;
  long long failed;
} raw_totals;

/* A client for one URL with so many requests in flight; NULL when memory or descriptors are short. */
raw_client *raw_client_new(const char *url, long in_flight);

/* GETs the URL `count` times over kept connections; bodies are counted and, with a descriptor >= 0, written to it. */
raw_totals raw_client_run(raw_client *client, long long count, int descriptor);

/* From now on each request has a new connection, with a whole TLS handshake, and no certificate is looked at. */
void raw_client_connect_anew(raw_client *client);

void raw_client_free(raw_client *client);

#endif
