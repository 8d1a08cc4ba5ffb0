/*
 * Preloaded into a process, this library makes each sync take longer, and counts them: those of the main thread, which
 * is where the event loop of Node runs, apart from those of all other threads.
 *
 *   SLOW_SYNC_MS     milliseconds to add to each sync
 *   SLOW_SYNC_FAIL   path of a file: as long as it is there, each sync fails with EIO and syncs nothing
 *   SLOW_SYNC_COUNT  path of a file for two numbers of 64 bits, of the main thread and of the others
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t unseen[2];
static uint64_t *counts = unseen;
static struct timespec added;
static const char *fail_path;

__attribute__((constructor)) static void begin(void) {
  const char *ms = getenv("SLOW_SYNC_MS");
  const char *path = getenv("SLOW_SYNC_COUNT");
  long total = ms == NULL ? 0 : atol(ms);
  added.tv_sec = total / 1000;
  added.tv_nsec = (total % 1000) * 1000000;
  fail_path = getenv("SLOW_SYNC_FAIL");
  if (path == NULL) return;
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof unseen) != 0) return;
  void *shared = mmap(NULL, sizeof unseen, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) counts = shared;
  close(file);
}

static int slow(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int others = syscall(SYS_gettid) != getpid();
  __atomic_add_fetch(&counts[others], 1, __ATOMIC_RELAXED);
  nanosleep(&added, NULL);
  if (fail_path != NULL && access(fail_path, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return real(file);
}

int fsync(int file) { return slow("fsync", file); }

int fdatasync(int file) { return slow("fdatasync", file); }
