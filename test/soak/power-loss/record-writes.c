/*
 * Preloaded into the service: notes every change of the files below one folder in a trace, with the bytes written.
 * RECORD_FOLDER: the folder, absolute and without links. RECORD_TRACE: the file to append to.
 *
 * A change is noted right before its call begins, and its end with the result right after: so a write counts as perhaps
 * on disk from its beginning, and a process that is killed inside a call leaves its beginning. Records of one process
 * are in the order of their beginnings. Files of memory (-shm), the lock and the folder of workers are left out.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, END };

/* As trace.ts reads it; little endian. */
struct record {
  uint32_t size; /* of the whole record */
  uint32_t kind;
  uint64_t id; /* of a call; its END has the same */
  uint64_t ns; /* CLOCK_MONOTONIC */
  uint64_t file; /* inode */
  int64_t at; /* WRITE: offset; TRUNCATE: length; END: result; OPEN: 1 new, 2 emptied, 4 folder */
  uint32_t path_bytes;
  uint32_t other_bytes; /* RENAME: the new path */
};

#define MOST_FILES 65536
struct known {
  dev_t dev;
  ino_t ino;
};
static struct known known[MOST_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static uint32_t calls;
static const char *folder;
static size_t folder_bytes;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORD_TRACE");
  folder = getenv("RECORD_FOLDER");
  if (path == NULL || folder == NULL) return;
  folder_bytes = strlen(folder);
  __typeof__(&open) real = (__typeof__(&open))dlsym(RTLD_NEXT, "open");
  trace = real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static uint64_t note(uint32_t kind, uint64_t id, ino_t file, int64_t at, const char *path, const char *other,
                     const struct iovec *data, int pieces) {
  struct record head = {.kind = kind, .file = file, .at = at};
  head.path_bytes = path == NULL ? 0 : strlen(path);
  head.other_bytes = other == NULL ? 0 : strlen(other);
  size_t size = sizeof head + head.path_bytes + head.other_bytes;
  for (int n = 0; n < pieces; n++) size += data[n].iov_len;
  head.size = size;
  struct iovec *all = alloca((pieces + 3) * sizeof *all);
  all[0] = (struct iovec){&head, sizeof head};
  all[1] = (struct iovec){(void *)path, head.path_bytes};
  all[2] = (struct iovec){(void *)other, head.other_bytes};
  if (pieces > 0) memcpy(all + 3, data, pieces * sizeof *all);

  REAL(writev);
  int before = errno;
  pthread_mutex_lock(&lock);
  head.id = id != 0 ? id : ((uint64_t)getpid() << 32 | ++calls);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  head.ns = (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
  /* A trace with a hole would prove nothing. */
  if (real(trace, all, pieces + 3) != (ssize_t)size) abort();
  pthread_mutex_unlock(&lock);
  errno = before;
  return head.id;
}

static void end(uint64_t id, ino_t file, int64_t result) {
  note(END, id, file, result, NULL, NULL, NULL, 0);
}

/* The path below the folder, of a call that is to be noted; NULL: it is not. */
static const char *within(int from, const char *path, char *whole) {
  if (trace == -1 || path == NULL) return NULL;
  if (path[0] == '/') {
    snprintf(whole, PATH_MAX, "%s", path);
  } else if (from == AT_FDCWD) {
    if (getcwd(whole, PATH_MAX) == NULL) return NULL;
    size_t bytes = strlen(whole);
    snprintf(whole + bytes, PATH_MAX - bytes, "/%s", path);
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", from);
    ssize_t bytes = readlink(link, whole, PATH_MAX - 1);
    if (bytes < 0) return NULL;
    snprintf(whole + bytes, PATH_MAX - bytes, "/%s", path);
  }
  if (strncmp(whole, folder, folder_bytes) != 0) return NULL;
  if (whole[folder_bytes] != '/' && whole[folder_bytes] != 0) return NULL;
  const char *inner = whole + folder_bytes + (whole[folder_bytes] == '/');
  size_t bytes = strlen(inner);
  if (bytes > 4 && strcmp(inner + bytes - 4, "-shm") == 0) return NULL;
  if (strncmp(inner, "drydock.lock", 12) == 0) {
    /* Whoever locks the folder is the service. What it starts is not recorded. */
    unsetenv("LD_PRELOAD");
    return NULL;
  }
  if (strncmp(inner, "workers/", 8) == 0) return NULL;
  return inner;
}

/* The inode of an open file that is noted; 0: it is not one. The number may have become another file's. */
static ino_t inode(int fd) {
  if (trace == -1 || fd < 0 || fd >= MOST_FILES || known[fd].ino == 0) return 0;
  struct stat found;
  if (fstat(fd, &found) != 0 || found.st_ino != known[fd].ino || found.st_dev != known[fd].dev) {
    known[fd].ino = 0;
    return 0;
  }
  return found.st_ino;
}

static int opened(int fd, const char *inner, int flags, int was_there) {
  if (fd < 0 || fd >= MOST_FILES) return fd;
  known[fd].ino = 0;
  struct stat found;
  int before = errno;
  if (inner == NULL || fstat(fd, &found) != 0 || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) {
    errno = before;
    return fd;
  }
  known[fd] = (struct known){found.st_dev, found.st_ino};
  /* A file that is only opened is as before. */
  if (was_there && S_ISREG(found.st_mode) && (flags & O_TRUNC) == 0) {
    errno = before;
    return fd;
  }
  int how = (was_there ? 0 : 1) | (flags & O_TRUNC ? 2 : 0) | (S_ISDIR(found.st_mode) ? 4 : 0);
  note(OPEN, 0, found.st_ino, how, inner, NULL, NULL, 0);
  errno = before;
  return fd;
}

static int is_there(int from, const char *path) {
  struct stat found;
  int before = errno;
  int there = fstatat(from, path, &found, AT_SYMLINK_NOFOLLOW) == 0;
  errno = before;
  return there;
}

static ino_t inode_at(int from, const char *path) {
  struct stat found;
  int before = errno;
  ino_t ino = fstatat(from, path, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found.st_ino : 0;
  errno = before;
  return ino;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

#define OPENS(name) \
  int name(const char *path, int flags, ...) { \
    MODE_OF(flags) \
    REAL(name); \
    char whole[PATH_MAX]; \
    const char *inner = within(AT_FDCWD, path, whole); \
    int there = inner == NULL || is_there(AT_FDCWD, path); \
    return opened(real(path, flags, mode), inner, flags, there); \
  }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
  int name(int from, const char *path, int flags, ...) { \
    MODE_OF(flags) \
    REAL(name); \
    char whole[PATH_MAX]; \
    const char *inner = within(from, path, whole); \
    int there = inner == NULL || is_there(from, path); \
    return opened(real(from, path, flags, mode), inner, flags, there); \
  }
OPENS_AT(openat)
OPENS_AT(openat64)

#define CREATES(name) \
  int name(const char *path, mode_t mode) { \
    REAL(name); \
    char whole[PATH_MAX]; \
    const char *inner = within(AT_FDCWD, path, whole); \
    int there = inner == NULL || is_there(AT_FDCWD, path); \
    return opened(real(path, mode), inner, O_TRUNC, there); \
  }
CREATES(creat)
CREATES(creat64)

/* Where a write without a position goes. */
static int64_t position(int fd) {
  struct stat found;
  if ((fcntl(fd, F_GETFL) & O_APPEND) != 0 && fstat(fd, &found) == 0) return found.st_size;
  return lseek(fd, 0, SEEK_CUR);
}

ssize_t write(int fd, const void *data, size_t bytes) {
  REAL(write);
  ino_t file = inode(fd);
  if (file == 0) return real(fd, data, bytes);
  struct iovec piece = {(void *)data, bytes};
  uint64_t id = note(WRITE, 0, file, position(fd), NULL, NULL, &piece, 1);
  ssize_t result = real(fd, data, bytes);
  end(id, file, result);
  return result;
}

ssize_t writev(int fd, const struct iovec *pieces, int count) {
  REAL(writev);
  ino_t file = inode(fd);
  if (file == 0) return real(fd, pieces, count);
  uint64_t id = note(WRITE, 0, file, position(fd), NULL, NULL, pieces, count);
  ssize_t result = real(fd, pieces, count);
  end(id, file, result);
  return result;
}

#define WRITES_AT(name, offset) \
  ssize_t name(int fd, const void *data, size_t bytes, offset at) { \
    REAL(name); \
    ino_t file = inode(fd); \
    if (file == 0) return real(fd, data, bytes, at); \
    struct iovec piece = {(void *)data, bytes}; \
    uint64_t id = note(WRITE, 0, file, at, NULL, NULL, &piece, 1); \
    ssize_t result = real(fd, data, bytes, at); \
    end(id, file, result); \
    return result; \
  }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

#define WRITES_PIECES(name, offset) \
  ssize_t name(int fd, const struct iovec *pieces, int count, offset at) { \
    REAL(name); \
    ino_t file = inode(fd); \
    if (file == 0) return real(fd, pieces, count, at); \
    uint64_t id = note(WRITE, 0, file, at, NULL, NULL, pieces, count); \
    ssize_t result = real(fd, pieces, count, at); \
    end(id, file, result); \
    return result; \
  }
WRITES_PIECES(pwritev, off_t)
WRITES_PIECES(pwritev64, off64_t)

/* Copies between files inside the kernel, with which Node copies a file. */
struct copy {
  uint64_t id; /* 0: it is not noted */
  ino_t file;
};

static struct copy copy_begins(int to, const int64_t *to_at, int from, const int64_t *from_at, size_t bytes) {
  struct copy copy = {0, inode(to)};
  struct stat source;
  if (copy.file == 0 || fstat(from, &source) != 0 || !S_ISREG(source.st_mode)) return copy;
  int64_t begin = from_at != NULL ? *from_at : lseek(from, 0, SEEK_CUR);
  int64_t left = source.st_size - begin;
  size_t size = left < 0 ? 0 : (size_t)left < bytes ? (size_t)left : bytes;
  void *data = malloc(size + 1);
  if (data == NULL || pread(from, data, size, begin) != (ssize_t)size) abort();
  struct iovec piece = {data, size};
  copy.id = note(WRITE, 0, copy.file, to_at != NULL ? *to_at : position(to), NULL, NULL, &piece, 1);
  free(data);
  return copy;
}

#define SENDS(name, offset) \
  ssize_t name(int to, int from, offset *at, size_t bytes) { \
    REAL(name); \
    struct copy copy = copy_begins(to, NULL, from, (int64_t *)at, bytes); \
    ssize_t result = real(to, from, at, bytes); \
    if (copy.id != 0) end(copy.id, copy.file, result); \
    return result; \
  }
SENDS(sendfile, off_t)
SENDS(sendfile64, off64_t)

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t bytes, unsigned int flags) {
  REAL(copy_file_range);
  struct copy copy = copy_begins(to, to_at, from, from_at, bytes);
  ssize_t result = real(from, from_at, to, to_at, bytes, flags);
  if (copy.id != 0) end(copy.id, copy.file, result);
  return result;
}

/* Node makes that call by its number. */
long syscall(long number, ...) {
  REAL(syscall);
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
  long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_copy_file_range)
    return copy_file_range((int)a, (off64_t *)b, (int)c, (off64_t *)d, (size_t)e, (unsigned int)f);
  return real(number, a, b, c, d, e, f);
}

#define TRUNCATES(name, offset) \
  int name(int fd, offset length) { \
    REAL(name); \
    ino_t file = inode(fd); \
    if (file == 0) return real(fd, length); \
    uint64_t id = note(TRUNCATE, 0, file, length, NULL, NULL, NULL, 0); \
    int result = real(fd, length); \
    end(id, file, result); \
    return result; \
  }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

#define TRUNCATES_PATH(name, offset) \
  int name(const char *path, offset length) { \
    REAL(name); \
    char whole[PATH_MAX]; \
    ino_t file = within(AT_FDCWD, path, whole) == NULL ? 0 : inode_at(AT_FDCWD, path); \
    if (file == 0) return real(path, length); \
    uint64_t id = note(TRUNCATE, 0, file, length, NULL, NULL, NULL, 0); \
    int result = real(path, length); \
    end(id, file, result); \
    return result; \
  }
TRUNCATES_PATH(truncate, off_t)
TRUNCATES_PATH(truncate64, off64_t)

#define SYNCS(name) \
  int name(int fd) { \
    REAL(name); \
    ino_t file = inode(fd); \
    if (file == 0) return real(fd); \
    uint64_t id = note(SYNC, 0, file, 0, NULL, NULL, NULL, 0); \
    int result = real(fd); \
    end(id, file, result); \
    return result; \
  }
SYNCS(fsync)
SYNCS(fdatasync)

#define RENAMES(from, path, to, other, call) \
  char whole[PATH_MAX]; \
  char target[PATH_MAX]; \
  const char *inner = within(from, path, whole); \
  const char *outer = within(to, other, target); \
  if (inner == NULL && outer == NULL) return call; \
  ino_t file = inode_at(from, path); \
  uint64_t id = note(RENAME, 0, file, 0, inner == NULL ? "" : inner, outer == NULL ? "" : outer, NULL, 0); \
  int result = call; \
  end(id, file, result); \
  return result;

int rename(const char *path, const char *other) {
  REAL(rename);
  RENAMES(AT_FDCWD, path, AT_FDCWD, other, real(path, other))
}
int renameat(int from, const char *path, int to, const char *other) {
  REAL(renameat);
  RENAMES(from, path, to, other, real(from, path, to, other))
}
int renameat2(int from, const char *path, int to, const char *other, unsigned int flags) {
  REAL(renameat2);
  RENAMES(from, path, to, other, real(from, path, to, other, flags))
}

#define REMOVES(what, from, path, call) \
  char whole[PATH_MAX]; \
  const char *inner = within(from, path, whole); \
  ino_t file = inner == NULL ? 0 : inode_at(from, path); \
  if (file == 0) return call; \
  uint64_t id = note(what, 0, file, 0, inner, NULL, NULL, 0); \
  int result = call; \
  end(id, file, result); \
  return result;

int unlink(const char *path) {
  REAL(unlink);
  REMOVES(UNLINK, AT_FDCWD, path, real(path))
}
int rmdir(const char *path) {
  REAL(rmdir);
  REMOVES(RMDIR, AT_FDCWD, path, real(path))
}
int remove(const char *path) {
  REAL(remove);
  REMOVES(UNLINK, AT_FDCWD, path, real(path))
}
int unlinkat(int from, const char *path, int flags) {
  REAL(unlinkat);
  REMOVES(flags & AT_REMOVEDIR ? RMDIR : UNLINK, from, path, real(from, path, flags))
}

#define MAKES(from, path, call) \
  char whole[PATH_MAX]; \
  const char *inner = within(from, path, whole); \
  if (inner == NULL) return call; \
  uint64_t id = note(MKDIR, 0, 0, 0, inner, NULL, NULL, 0); \
  int result = call; \
  end(id, result == 0 ? inode_at(from, path) : 0, result); \
  return result;

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  MAKES(AT_FDCWD, path, real(path, mode))
}
int mkdirat(int from, const char *path, mode_t mode) {
  REAL(mkdirat);
  MAKES(from, path, real(from, path, mode))
}
/* Its name is known after the call only. */
char *mkdtemp(char *path) {
  REAL(mkdtemp);
  char *made = real(path);
  if (made == NULL) return NULL;
  char whole[PATH_MAX];
  const char *inner = within(AT_FDCWD, made, whole);
  if (inner == NULL) return made;
  uint64_t id = note(MKDIR, 0, 0, 0, inner, NULL, NULL, 0);
  end(id, inode_at(AT_FDCWD, made), 0);
  return made;
}
