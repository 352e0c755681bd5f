#define _GNU_SOURCE
#include "raw_websocket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { piece_size = 65536 };

/* One connection. It reads nothing while it has something to send, so that a client that does not read stops its own sending. */
typedef struct {
  int descriptor;
  SSL *ssl;
  long long streamed; /* The texts that are still to be sent. */
  long size;
  unsigned char *out;
  size_t out_count, out_at, out_room;
  unsigned char header[14];
  size_t header_count, header_length;
  unsigned char key[4];
  unsigned long long left, masked; /* Of the payload: the bytes to come, and those that came. */
} connection;

static ssize_t get(connection *c, void *bytes, size_t count) {
  if (!c->ssl) return read(c->descriptor, bytes, count);
  int got = SSL_read(c->ssl, bytes, (int)count);
  if (got > 0) return got;
  int error = SSL_get_error(c->ssl, got);
  errno = EAGAIN;
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? -1 : 0;
}

static ssize_t put(connection *c, const void *bytes, size_t count) {
  if (!c->ssl) return send(c->descriptor, bytes, count, MSG_NOSIGNAL);
  int sent = SSL_write(c->ssl, bytes, (int)count);
  if (sent > 0) return sent;
  int error = SSL_get_error(c->ssl, sent);
  errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : EPIPE;
  return -1;
}

/* Answers the handshake; the socket still blocks. */
static int shake(connection *c) {
  char head[8192];
  size_t count = 0;
  for (;;) {
    if (count == sizeof head - 1 || get(c, head + count, 1) != 1) return 0;
    head[++count] = 0;
    if (count >= 4 && !memcmp(head + count - 4, "\r\n\r\n", 4)) break;
  }
  char *key = strcasestr(head, "sec-websocket-key:");
  if (!key) return 0;
  key += strlen("sec-websocket-key:");
  while (*key == ' ') key++;
  char text[128];
  snprintf(text, sizeof text, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int)strcspn(key, "\r\n "), key);
  unsigned char digest[20], accept[40];
  SHA1((unsigned char *)text, strlen(text), digest);
  EVP_EncodeBlock(accept, digest, sizeof digest);
  sscanf(head, "GET /stream/%lld/%ld", &c->streamed, &c->size);
  int length = snprintf(head, sizeof head,
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept);
  return put(c, head, (size_t)length) == length;
}

static void add(connection *c, const void *bytes, size_t count) {
  if (c->out_count + count > c->out_room) {
    c->out_room = (c->out_count + count) * 2;
    c->out = realloc(c->out, c->out_room);
  }
  memcpy(c->out + c->out_count, bytes, count);
  c->out_count += count;
}

static size_t header_length(const connection *c) {
  if (c->header_count < 2) return 2;
  size_t length = 2 + 4;
  if ((c->header[1] & 0x7F) == 126) length += 2;
  if ((c->header[1] & 0x7F) == 127) length += 8;
  return length;
}

/* Adds the bytes of the client to the answer, frame by frame, without the mask. */
static void echo(connection *c, unsigned char *bytes, size_t count) {
  size_t at = 0;
  while (at < count) {
    if (c->left > 0) {
      size_t piece = count - at < c->left ? count - at : c->left;
      for (size_t i = 0; i < piece; i++) bytes[at + i] ^= c->key[(c->masked + i) & 3];
      add(c, bytes + at, piece);
      c->masked += piece;
      c->left -= piece;
      at += piece;
      continue;
    }
    c->header[c->header_count++] = bytes[at++];
    size_t length = header_length(c);
    if (c->header_count < length || c->header_count < 2) continue;
    memcpy(c->key, c->header + length - 4, 4);
    c->left = c->header[1] & 0x7F;
    if (length > 6) {
      c->left = 0;
      for (size_t i = 2; i < length - 4; i++) c->left = c->left << 8 | c->header[i];
    }
    c->masked = 0;
    c->header[1] &= 0x7F;
    add(c, c->header, length - 4);
    c->header_count = 0;
  }
}

static void stream(connection *c) {
  unsigned char text[65536] = {0x81, (unsigned char)c->size};
  memset(text + 2, 'a', (size_t)c->size);
  while (c->streamed > 0 && c->out_count < piece_size) {
    add(c, text, (size_t)c->size + 2);
    c->streamed--;
  }
}

/* Sends what there is; returns 0 when the connection is over. */
static int advance(connection *c, int epoll) {
  for (;;) {
    if (c->out_at == c->out_count) {
      c->out_at = c->out_count = 0;
      if (c->streamed == 0) break;
      stream(c);
    }
    ssize_t sent = put(c, c->out + c->out_at, c->out_count - c->out_at);
    if (sent < 0 && errno == EAGAIN) break;
    if (sent <= 0) return 0;
    c->out_at += (size_t)sent;
  }
  struct epoll_event wish = {.events = c->out_count > 0 ? EPOLLOUT : EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll, EPOLL_CTL_MOD, c->descriptor, &wish);
  return 1;
}

static int serve(connection *c, int epoll) {
  static unsigned char piece[piece_size];
  while (c->out_count == 0) {
    ssize_t got = get(c, piece, sizeof piece);
    if (got < 0 && errno == EAGAIN) return 1;
    if (got <= 0) return 0;
    echo(c, piece, (size_t)got);
    if (c->out_count > 0 && !advance(c, epoll)) return 0;
    if (!c->ssl && (size_t)got < sizeof piece) return 1;
  }
  return advance(c, epoll);
}

static void end(connection *c) {
  if (c->ssl) SSL_free(c->ssl);
  close(c->descriptor);
  free(c->out);
  free(c);
}

static void accept_one(int listener, int epoll, SSL_CTX *context) {
  connection *c = calloc(1, sizeof *c);
  c->descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  int yes = 1;
  setsockopt(c->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (context) {
    c->ssl = SSL_new(context);
    SSL_set_fd(c->ssl, c->descriptor);
    SSL_set_mode(c->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    if (SSL_accept(c->ssl) != 1) return end(c);
  }
  if (!shake(c)) return end(c);
  fcntl(c->descriptor, F_SETFL, O_NONBLOCK);
  struct epoll_event wish = {.events = EPOLLIN, .data.ptr = c};
  epoll_ctl(epoll, EPOLL_CTL_ADD, c->descriptor, &wish);
  if (c->streamed > 0 && !advance(c, epoll)) end(c);
}

int raw_socket_serve(const char *certificate, const char *key) {
  signal(SIGPIPE, SIG_IGN);
  SSL_CTX *context = NULL;
  if (certificate) {
    context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
      return 1;
  }
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), epoll = epoll_create1(EPOLL_CLOEXEC);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) return 1;
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("port=%d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event wish = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &wish);
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      connection *c = events[i].data.ptr;
      if (!c) {
        accept_one(listener, epoll, context);
      } else if (!(c->out_count > 0 ? advance(c, epoll) : serve(c, epoll))) {
        end(c);
      }
    }
  }
}
