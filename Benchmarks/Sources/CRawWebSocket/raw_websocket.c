#include "raw_websocket.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

enum { piece_size = 65536 };

struct raw_socket {
  CURLM *multi;
  CURL *easy;
  int descriptor;
  int epoll;
  size_t held; /* The bytes in `in`, which begin with a frame. */
  unsigned char in[piece_size];
  size_t unsent;
  unsigned char out[piece_size];
  unsigned char keys[256];
  size_t keys_left;
};

static CURL *made(CURLM *multi, const char *url, const char *authority) {
  CURL *easy = curl_easy_init();
  if (!easy) return NULL;
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  /* Nothing is read through it. */
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 1024L);
  if (authority) curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
  curl_multi_add_handle(multi, easy);
  return easy;
}

/* What libcurl waits for while it connects; afterwards it watches nothing. */
static struct {
  struct pollfd wishes[16];
  int count;
  long timeout_ms;
} waits;

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy, (void)context, (void)known;
  int place = 0;
  while (place < waits.count && waits.wishes[place].fd != socket) place++;
  if (what == CURL_POLL_REMOVE) {
    if (place < waits.count) waits.wishes[place] = waits.wishes[--waits.count];
    return 0;
  }
  if (place == 16) return -1;
  if (place == waits.count) waits.count++;
  short events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
  waits.wishes[place] = (struct pollfd){.fd = socket, .events = events};
  return 0;
}

static int set_timer(CURLM *multi, long timeout_ms, void *context) {
  (void)multi, (void)context;
  waits.timeout_ms = timeout_ms;
  return 0;
}

static CURLM *made_multi(void) {
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
  return multi;
}

/* Runs the multi handle until one more of its handles is connected; NULL when one fails. */
static CURL *connected(CURLM *multi) {
  for (;;) {
    int running = 0, left = 0;
    struct pollfd ready[16];
    int count = waits.count;
    memcpy(ready, waits.wishes, sizeof ready);
    int found = poll(ready, (nfds_t)count, waits.timeout_ms < 0 ? 1000 : (int)waits.timeout_ms);
    for (int i = 0; i < count && found > 0; i++) {
      int bits = (ready[i].revents & POLLOUT ? CURL_CSELECT_OUT : 0) | (ready[i].revents & ~POLLOUT ? CURL_CSELECT_IN : 0);
      if (bits) curl_multi_socket_action(multi, ready[i].fd, bits, &running);
    }
    if (found <= 0) curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    CURLMsg *message = curl_multi_info_read(multi, &left);
    if (message) return message->data.result == CURLE_OK ? message->easy_handle : NULL;
  }
}

static int descriptor_of(CURL *easy) {
  curl_socket_t descriptor = -1;
  curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &descriptor);
  return (int)descriptor;
}

static int send_all(CURL *easy, int descriptor, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    size_t sent = 0;
    CURLcode code = curl_easy_send(easy, bytes, count, &sent);
    if (code == CURLE_AGAIN) {
      struct pollfd wish = {.fd = descriptor, .events = POLLOUT};
      poll(&wish, 1, 1000);
    } else if (code != CURLE_OK) {
      return 0;
    }
    bytes += sent;
    count -= sent;
  }
  return 1;
}

/* Sends the handshake, and reads the head of its answer byte by byte, so that nothing behind it is read. */
static int shake(CURL *easy, int descriptor, const char *path) {
  char head[1024];
  int length = snprintf(head, sizeof head,
    "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", path);
  if (!send_all(easy, descriptor, (unsigned char *)head, (size_t)length)) return 0;
  size_t count = 0;
  while (count < sizeof head) {
    size_t got = 0;
    CURLcode code = curl_easy_recv(easy, head + count, 1, &got);
    if (code == CURLE_AGAIN) {
      struct pollfd wish = {.fd = descriptor, .events = POLLIN};
      poll(&wish, 1, 1000);
      continue;
    }
    if (code != CURLE_OK || got == 0) return 0;
    count += got;
    if (count >= 4 && !memcmp(head + count - 4, "\r\n\r\n", 4)) return !strncmp(head, "HTTP/1.1 101", 12);
  }
  return 0;
}

static const char *path_of(const char *url) {
  const char *host = strstr(url, "://");
  const char *path = host ? strchr(host + 3, '/') : NULL;
  return path ? path : "/";
}

raw_socket *raw_socket_open(const char *url, const char *authority) {
  raw_socket *socket = calloc(1, sizeof *socket);
  if (!socket) return NULL;
  socket->multi = made_multi();
  socket->easy = made(socket->multi, url, authority);
  if (connected(socket->multi) == NULL) return NULL;
  socket->descriptor = descriptor_of(socket->easy);
  if (!shake(socket->easy, socket->descriptor, path_of(url))) return NULL;
  socket->epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event wish = {.events = EPOLLIN, .data.fd = socket->descriptor};
  epoll_ctl(socket->epoll, EPOLL_CTL_ADD, socket->descriptor, &wish);
  return socket;
}

/* Adds a text to what is to be sent. */
static int add(raw_socket *socket, const unsigned char *payload, size_t count) {
  if (socket->unsent + count + 14 > piece_size) {
    if (!send_all(socket->easy, socket->descriptor, socket->out, socket->unsent)) return 0;
    socket->unsent = 0;
  }
  if (socket->keys_left == 0) {
    if (getrandom(socket->keys, sizeof socket->keys, 0) != sizeof socket->keys) return 0;
    socket->keys_left = sizeof socket->keys;
  }
  unsigned char *out = socket->out + socket->unsent;
  size_t at = 0;
  out[at++] = 0x81;
  if (count < 126) {
    out[at++] = (unsigned char)(0x80 | count);
  } else {
    out[at++] = 0x80 | 126;
    out[at++] = (unsigned char)(count >> 8);
    out[at++] = (unsigned char)count;
  }
  socket->keys_left -= 4;
  unsigned char *key = socket->keys + socket->keys_left;
  memcpy(out + at, key, 4);
  at += 4;
  for (size_t i = 0; i < count; i++) out[at + i] = payload[i] ^ key[i & 3];
  socket->unsent += at + count;
  return 1;
}

static int flush(raw_socket *socket) {
  if (socket->unsent == 0) return 1;
  size_t count = socket->unsent;
  socket->unsent = 0;
  return send_all(socket->easy, socket->descriptor, socket->out, count);
}

/* Waits for bytes, and reads once; what comes later wakes the next wait. */
static int read_some(raw_socket *socket) {
  for (;;) {
    size_t got = 0;
    CURLcode code = curl_easy_recv(socket->easy, socket->in + socket->held, piece_size - socket->held, &got);
    if (code == CURLE_OK && got > 0) {
      socket->held += got;
      return 1;
    }
    if (code != CURLE_AGAIN) return 0;
    struct epoll_event event;
    if (epoll_wait(socket->epoll, &event, 1, -1) < 0) return 0;
  }
}

/* Takes the next whole frame out of what was read, as a message of its own; NULL when there is none. */
static unsigned char *next_message(raw_socket *socket, size_t *at, size_t *length) {
  size_t left = socket->held - *at, header = 2;
  if (left < 2) return NULL;
  unsigned char *frame = socket->in + *at;
  size_t count = frame[1] & 0x7F;
  if (count == 126) {
    header = 4;
    if (left < 4) return NULL;
    count = (size_t)frame[2] << 8 | frame[3];
  }
  if (left < header + count) return NULL;
  unsigned char *message = malloc(count + 1);
  memcpy(message, frame + header, count);
  *at += header + count;
  *length = count;
  return message;
}

static void forget(raw_socket *socket, size_t at) {
  memmove(socket->in, socket->in + at, socket->held - at);
  socket->held -= at;
}

long long raw_socket_echo(raw_socket *socket, long long count, long outstanding, long size, int batches) {
  unsigned char *text = malloc((size_t)size);
  memset(text, 'a', (size_t)size);
  long long sent = 0, arrived = 0;
  for (; sent < outstanding && sent < count; sent++) add(socket, text, (size_t)size);
  free(text);
  while (flush(socket) && arrived < count && read_some(socket)) {
    size_t at = 0, length = 0;
    unsigned char *message;
    while ((message = next_message(socket, &at, &length)) != NULL) {
      if (length == (size_t)size) arrived++;
      if (sent < count) {
        add(socket, message, length);
        if (!batches) flush(socket);
        sent++;
      }
      free(message);
    }
    forget(socket, at);
  }
  return arrived;
}

long long raw_socket_take(raw_socket *socket, long long count) {
  long long arrived = 0;
  while (arrived < count && read_some(socket)) {
    size_t at = 0, length = 0;
    unsigned char *message;
    while ((message = next_message(socket, &at, &length)) != NULL) {
      arrived++;
      free(message);
    }
    forget(socket, at);
  }
  return arrived;
}

void raw_socket_free(raw_socket *socket) {
  curl_multi_remove_handle(socket->multi, socket->easy);
  curl_easy_cleanup(socket->easy);
  curl_multi_cleanup(socket->multi);
  close(socket->epoll);
  free(socket);
}

long raw_socket_hold(const char *url, const char *authority, long count) {
  CURLM *multi = made_multi();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count + 10);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (long made_so_far = 0; made_so_far < count; made_so_far++) {
    if (!made(multi, url, authority)) return made_so_far;
    CURL *easy = connected(multi);
    if (!easy || !shake(easy, descriptor_of(easy), path_of(url))) return made_so_far;
    struct epoll_event wish = {.events = EPOLLIN, .data.ptr = easy};
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor_of(easy), &wish);
  }
  return count;
}
