// Glibc's own module leaves these headers out.
#include <arpa/inet.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <poll.h>
#include <pthread.h>
#include <sys/types.h>

// Declared by Glibc only under _GNU_SOURCE, which cannot be set for an imported module.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *limit, const sigset_t *mask);
extern pid_t gettid(void);
