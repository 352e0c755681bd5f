#ifndef CURLEW_CLINUX_SHIM_H
#define CURLEW_CLINUX_SHIM_H
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* glibc shows accept4 only under _GNU_SOURCE, which a Swift build does not set. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);

/* Takes the next connection off a listening socket: non-blocking, closed on exec, -1 with errno otherwise. */
static inline int curlew_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
