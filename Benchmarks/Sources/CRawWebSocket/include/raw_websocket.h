#ifndef CURLEW_RAW_WEBSOCKET_H
#define CURLEW_RAW_WEBSOCKET_H

/* WebSockets over libcurl's connect-only mode, as lean as they can be: what Curlew is compared with. And a server for both. */

typedef struct raw_socket raw_socket;

/* Opens a WebSocket, verified up to the certificates of a file if that is not NULL; NULL when that fails. */
raw_socket *raw_socket_open(const char *url, const char *authority);

/* Sends texts of `size` bytes, `outstanding` of them at most without their echo, until `count` came back.
   Each is sent by itself; if it batches, what answers one read is sent together. Returns how many came back whole. */
long long raw_socket_echo(raw_socket *socket, long long count, long outstanding, long size, int batches);

/* Receives `count` messages; returns how many arrived. */
long long raw_socket_take(raw_socket *socket, long long count);

void raw_socket_free(raw_socket *socket);

/* Opens WebSockets on one multi handle, and returns how many are open; they stay so until the process ends. */
long raw_socket_hold(const char *url, const char *authority, long count);

/* Serves WebSockets on a free port of 127.0.0.1 until the process is killed, and prints `port=…`. With a certificate and its key it
   speaks TLS. /echo sends each message back; /stream/COUNT/SIZE sends that many texts of that size. */
int raw_socket_serve(const char *certificate, const char *key);

#endif
