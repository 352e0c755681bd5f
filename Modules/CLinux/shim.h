#ifndef CURLEW_CLINUX_SHIM_H
#define CURLEW_CLINUX_SHIM_H
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

/* glibc shows accept4 only under _GNU_SOURCE, which a Swift build does not set. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);

/* The same holds for this one: the child gets no descriptor from the given number on. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/* Takes the next connection off a listening socket: non-blocking, closed on exec, -1 with errno otherwise. */
static inline int curlew_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
