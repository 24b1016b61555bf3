#include <stdbool.h>

// The hook of Swift's concurrency runtime for jobs that belong to no executor of their own. It has Swift's calling convention, and
// no name in Swift.
typedef __attribute__((swiftcall)) void (*kidoban_enqueue_global)(void *job);
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, kidoban_enqueue_global original);

static bool (*kidoban_take_job)(void *job) = 0;

static __attribute__((swiftcall)) void kidoban_offer_job(void *job, kidoban_enqueue_global original) {
    if (!kidoban_take_job(job)) original(job);
}

// From now on every such job is offered to `take` first.
static inline void kidoban_set_job_taker(bool (*take)(void *job)) {
    kidoban_take_job = take;
    swift_task_enqueueGlobal_hook = kidoban_offer_job;
}
