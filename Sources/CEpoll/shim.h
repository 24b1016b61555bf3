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

// Has the calling thread give way to others: so nice, and with so long a slice (nanoseconds) that whoever is woken goes first. Glibc has no
// function for it, and <linux/sched/types.h> does not go together with every <sched.h>.
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
extern long syscall(long number, ...);

static inline int kidoban_give_way(int niceness, uint64_t slice) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .nice = niceness, .runtime = slice};
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// <link.h> has these under _GNU_SOURCE only, too.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

struct kidoban_loaded {
    ElfW(Addr) base;
    const char *name;
    const ElfW(Phdr) *segments;
    ElfW(Half) count;
};
struct dl_phdr_info;
extern int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument);

static int kidoban_release_segments(struct dl_phdr_info *info, size_t size, void *argument) {
    const struct kidoban_loaded *loaded = (const struct kidoban_loaded *)info;
    const ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    struct {
        ElfW(Addr) first, end;
    } ranges[8];
    int found = 0;
    (void)size;
    (void)argument;
    // The table of segments is in one of them: it is read before any is let go of.
    for (ElfW(Half) index = 0; index < loaded->count && found < 8; index++) {
        const ElfW(Phdr) *segment = &loaded->segments[index];
        // What can be written to, or could be while it was relocated, is not as it is in the file.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        ranges[found].first = (loaded->base + segment->p_vaddr) & ~(page - 1);
        ranges[found].end = (loaded->base + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
        found++;
    }
    while (found-- > 0) madvise((void *)ranges[found].first, ranges[found].end - ranges[found].first, MADV_DONTNEED);
    return 0;
}

// Unmaps what was only read of the program and its libraries: the kernel has it, and maps it again where it is touched. The loader's lock is
// held, so that nothing is loaded or unloaded meanwhile.
static inline void kidoban_release_program(void) {
    dl_iterate_phdr(kidoban_release_segments, 0);
}
