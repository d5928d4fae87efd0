/* Ends the process at the n-th operation that changes a file of one folder, as a kill at that moment would.

   Built by tests/session/deaths.py and preloaded into the process that dies. With `tear`, a write is done by half first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

static char folder[PATH_MAX];
static volatile long left_to_do = 0, done = 0;
static int tears = 0, tell = -1;

/* Dies at the n-th operation from now on in the folder; 0 for never. Tells the operation to the descriptor `pipe`. */
void die_at(const char *path, long n, int tear, int pipe) {
    strncpy(folder, path, sizeof folder - 1);
    tears = tear;
    tell = pipe;
    done = 0;
    left_to_do = n;
}

/* Operations since `die_at`. */
long operations(void) { return done; }

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int is_ours(const char *path) { return path && folder[0] && !strncmp(path, folder, strlen(folder)); }

static int is_open_in_ours(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return is_ours(path);
}

static int is_last(void) { return __sync_add_and_fetch(&done, 1) == left_to_do; }

static void die(const char *operation) {
    char text[64];
    int size = snprintf(text, sizeof text, "[\"died\", \"%s\"]\n", operation);
    if (tell >= 0) REAL(write)(tell, text, size);
    _exit(137);
}

#define BEFORE(ours, operation) if (left_to_do && (ours) && is_last()) die(operation)
#define BEFORE_WRITE(file, half) if (left_to_do && is_open_in_ours(file) && is_last()) { if (tears) { half; } die(tears ? "torn write" : "write"); }

#define OPEN(name) int name(const char *path, int flags, ...) { \
    va_list more; va_start(more, flags); mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; va_end(more); \
    BEFORE(is_ours(path) && flags & (O_CREAT | O_TRUNC), "open"); \
    return REAL(name)(path, flags, mode); }
OPEN(open)
OPEN(open64)

#define WRITE(name, type) ssize_t name(int file, const void *data, size_t size, type at) { \
    BEFORE_WRITE(file, REAL(name)(file, data, size / 2, at)) \
    return REAL(name)(file, data, size, at); }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t size) {
    BEFORE_WRITE(file, REAL(write)(file, data, size / 2))
    return REAL(write)(file, data, size);
}

#define SEND(name, type) ssize_t name(int file, int from, type *at, size_t size) { \
    BEFORE_WRITE(file, REAL(name)(file, from, at, 8192)) \
    return REAL(name)(file, from, at, size); }
SEND(sendfile, off_t)
SEND(sendfile64, off64_t)

#define TRUNCATE(name, type) int name(int file, type size) { \
    BEFORE(is_open_in_ours(file), "truncate"); \
    return REAL(name)(file, size); }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int fsync(int file) { BEFORE(is_open_in_ours(file), "sync"); return REAL(fsync)(file); }
int fdatasync(int file) { BEFORE(is_open_in_ours(file), "sync"); return REAL(fdatasync)(file); }
int rename(const char *from, const char *to) { BEFORE(is_ours(to), "rename"); return REAL(rename)(from, to); }
int unlink(const char *path) { BEFORE(is_ours(path), "unlink"); return REAL(unlink)(path); }
