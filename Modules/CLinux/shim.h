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

/* glibc declares accept4 only if _GNU_SOURCE is defined, which a Swift build does not do. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);

/* glibc declares these functions under the same condition; renameat2 since 2.28. */
extern int fallocate(int, int, off_t, off_t);
extern int renameat2(int, const char *, int, const char *, unsigned int);
/* pthread_t, by its own name: the header would make its types this module's, and not Glibc's, for whoever imports both. */
extern int pthread_setname_np(unsigned long int, const char *);

/* glibc declares this function under the same condition. The child inherits no descriptor from the given number on. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/* Accepts the next connection of a listening socket, non-blocking and close-on-exec. Returns -1 and sets errno on failure. */
static inline int curlew_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
