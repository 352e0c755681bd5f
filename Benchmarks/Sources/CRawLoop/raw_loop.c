#include "raw_loop.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

struct raw_client {
  CURLM *multi;
  int epoll;
  long long deadline_ms; /* -1 is none */
  long in_flight;
  CURL **handles;
  long long bytes;
  int descriptor;
};

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  raw_client *client = context;
  size_t length = size * count;
  client->bytes += (long long)length;
  if (client->descriptor < 0) return length;
  size_t done = 0;
  while (done < length) {
    ssize_t written = write(client->descriptor, bytes + done, length - done);
    if (written <= 0) return 0;
    done += (size_t)written;
  }
  return length;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy;
  raw_client *client = context;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(client->epoll, EPOLL_CTL_DEL, socket, NULL);
    curl_multi_assign(client->multi, socket, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = socket};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(client->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  if (!known) curl_multi_assign(client->multi, socket, client);
  return 0;
}

static int set_timer(CURLM *multi, long timeout_ms, void *context) {
  (void)multi;
  raw_client *client = context;
  client->deadline_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
  return 0;
}

raw_client *raw_client_new(const char *url, long in_flight) {
  raw_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->epoll = epoll_create1(EPOLL_CLOEXEC);
  client->multi = curl_multi_init();
  client->handles = calloc((size_t)in_flight, sizeof *client->handles);
  client->deadline_ms = -1;
  client->in_flight = in_flight;
  if (client->epoll < 0 || !client->multi || !client->handles) {
    raw_client_free(client);
    return NULL;
  }
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, in_flight);
  for (long i = 0; i < in_flight; i++) {
    CURL *easy = curl_easy_init();
    if (!easy) {
      raw_client_free(client);
      return NULL;
    }
    client->handles[i] = easy;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, client);
  }
  return client;
}

raw_totals raw_client_run(raw_client *client, long long count, int descriptor) {
  raw_totals totals = {0, 0};
  long long started = 0, finished = 0;
  client->bytes = 0;
  client->descriptor = descriptor;
  for (long i = 0; i < client->in_flight && started < count; i++, started++)
    curl_multi_add_handle(client->multi, client->handles[i]);
  struct epoll_event events[256];
  while (finished < count) {
    int wait = -1, running;
    if (client->deadline_ms >= 0) {
      long long left = client->deadline_ms - now_ms();
      wait = left > 0 ? (int)left : 0;
    }
    int ready = epoll_wait(client->epoll, events, 256, wait);
    for (int i = 0; i < ready; i++) {
      int what = 0;
      if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
      if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
      if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
      curl_multi_socket_action(client->multi, events[i].data.fd, what, &running);
    }
    if (client->deadline_ms >= 0 && client->deadline_ms <= now_ms()) {
      client->deadline_ms = -1;
      curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    CURLMsg *message;
    int queued;
    while ((message = curl_multi_info_read(client->multi, &queued))) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      if (message->data.result != CURLE_OK) totals.failed++;
      finished++;
      curl_multi_remove_handle(client->multi, easy);
      if (started < count) {
        curl_multi_add_handle(client->multi, easy);
        started++;
      }
    }
  }
  totals.bytes = client->bytes;
  return totals;
}

void raw_client_connect_anew(raw_client *client) {
  for (long i = 0; i < client->in_flight; i++) {
    CURL *easy = client->handles[i];
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void raw_client_free(raw_client *client) {
  if (!client) return;
  if (client->handles)
    for (long i = 0; i < client->in_flight; i++)
      if (client->handles[i]) curl_easy_cleanup(client->handles[i]);
  free(client->handles);
  if (client->multi) curl_multi_cleanup(client->multi);
  if (client->epoll >= 0) close(client->epoll);
  free(client);
}
