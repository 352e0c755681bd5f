// Lets jobs of Swift's global executor begin late, at random. Scripts/jitter loads it into a test's process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MS 1000000ull

typedef __attribute__((swiftcall)) void (*Enqueue)(void *job);
typedef __attribute__((swiftcall)) void (*EnqueueLater)(unsigned long long nanoseconds, void *job);

static EnqueueLater enqueueLater;
static _Atomic uint64_t seed, nextDelay;
// One job in so many is delayed, by at most so long, and one in so much time, so that tests with many jobs still end.
static const uint64_t oneIn = 5, longest = 300 * MS, pace = 160 * MS;

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000 * MS + time.tv_nsec;
}

// SplitMix64
static uint64_t number(void) {
  uint64_t z = atomic_fetch_add(&seed, 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static __attribute__((swiftcall)) void enqueue(void *job, Enqueue original) {
  uint64_t chance = number(), time = now(CLOCK_MONOTONIC), due = atomic_load(&nextDelay);
  if (chance % oneIn == 0 && time >= due && atomic_compare_exchange_strong(&nextDelay, &due, time + pace)) {
    enqueueLater(1 + (chance >> 16) % longest, job);
  } else {
    original(job);
  }
}

__attribute__((constructor)) static void begin(void) {
  // A global variable of Swift's runtime; a process without it has no jobs.
  void **hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
  enqueueLater = (EnqueueLater)dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobalWithDelay");
  if (!hook || !enqueueLater) return;
  const char *text = getenv("JITTER_SEED");
  seed = text ? strtoull(text, NULL, 10) : now(CLOCK_REALTIME);
  *hook = (void *)enqueue;
}
