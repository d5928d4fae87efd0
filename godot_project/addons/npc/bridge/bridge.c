/* The native half of the bridge: two queues between Godot's main thread and one thread that runs Python.
 *
 * Godot's thread never enters Python and never waits for it, not even for a mutex: `push` copies bytes into one queue, `pull`
 * copies what is ready out of another, and both queues are lists whose head is swapped atomically. The mutex guards only which
 * bridge objects there are. Python starts on its own thread at the first `push`, so a game that does not use it pays nothing.
 */
#include "gdextension_interface.h"
#include "python_path.h"
#include "queue.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLASS_NAME "NpcNativeBridge"
#define PULL_RECORDS 512          /* most records handed over in one frame; the rest waits for the next */
#define PUSH_LIMIT (64ull << 20)  /* bytes that may wait for Python */
#define STOP_WAIT_S 5             /* seconds that open calls get when the game ends */
#define VARIANT_STRING 4
#define VARIANT_DICTIONARY 27
#define VARIANT_ARRAY 28

int npc_python_run(void); /* in Python: returns when npc_stopping() does */

typedef struct bridge {
    struct bridge *next;
    int64_t id;
    queue_t out;
    record_t *ready; /* taken out of it and not yet handed over, oldest first; only Godot's thread touches it */
} bridge_t;

static struct {
    pthread_mutex_t lock;
    bridge_t *bridges;
    int64_t last_id;
    queue_t in;
    record_t *taken; /* the same for commands; only Python's thread touches it */
    int wake[2];
    pthread_t thread;
    int started, stopping, finished;
    char folder[4096];
} S = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = {-1, -1}};

static struct {
    GDExtensionInterfacePrintError print_error;
    GDExtensionInterfaceClassdbConstructObject2 construct_object;
    GDExtensionInterfaceObjectSetInstance set_instance;
    GDExtensionInterfacePackedByteArrayOperatorIndex byte_at;
    GDExtensionInterfacePackedByteArrayOperatorIndexConst byte_at_const;
    GDExtensionVariantFromTypeConstructorFunc variant_from_bytes, variant_from_int;
    GDExtensionTypeFromVariantConstructorFunc bytes_from_variant;
    GDExtensionInterfaceVariantGetType variant_type;
    GDExtensionPtrConstructor bytes_new;
    GDExtensionPtrDestructor bytes_free;
    GDExtensionPtrBuiltInMethod bytes_size, bytes_resize;
    GDExtensionClassLibraryPtr library;
    uint64_t class_name[2], parent_name[2];
} G;

/* The caller holds the lock. */
static bridge_t *find(int64_t id) {
    for (bridge_t *b = S.bridges; b; b = b->next) if (b->id == id) return b;
    return NULL;
}

/* ---- for Python (declared to cffi in build.py) */

int npc_wake_fd(void) { return S.wake[0]; }

int npc_stopping(void) { return __atomic_load_n(&S.stopping, __ATOMIC_ACQUIRE); }

/* The next command, or NULL. Size 0 says that the bridge object is gone. To be given to npc_free. */
void *npc_take(int64_t *bridge, char **data, size_t *size) {
    record_t *r = queue_take(&S.in, &S.taken);
    if (!r) return NULL;
    *bridge = r->bridge;
    *data = r->data;
    *size = r->size;
    return r;
}

void npc_free(void *taken) { free(taken); }

/* Queues one encoded Variant for the game; size 0 adds nothing. Returns the bytes now waiting there, -1 if the object is gone. */
int64_t npc_give(int64_t bridge, const char *data, size_t size) {
    pthread_mutex_lock(&S.lock);
    bridge_t *b = find(bridge);
    int64_t waiting = -1;
    if (b && (!size || queue_add(&b->out, bridge, data, size) == 0)) waiting = (int64_t)queue_bytes(&b->out);
    pthread_mutex_unlock(&S.lock);
    return waiting;
}

/* ---- a failure that Python cannot report, because it does not run */

static size_t put_string(char *at, const char *text) {
    uint32_t size = (uint32_t)strlen(text), type = VARIANT_STRING;
    memcpy(at, &type, 4);
    memcpy(at + 4, &size, 4);
    memset(at + 8, 0, (size + 3) / 4 * 4);
    memcpy(at + 8, text, size);
    return 8 + (size + 3) / 4 * 4;
}

static void report(const char *reason, const char *message) {
    const char *pairs[] = {"event", "failed", "code", "UNAVAILABLE", "reason", reason, "message", message};
    char data[8192];
    uint32_t head[2] = {VARIANT_DICTIONARY, 4};
    size_t size = 8;
    memcpy(data, head, 8);
    for (int i = 0; i < 8; i++) size += put_string(data + size, pairs[i]);
    pthread_mutex_lock(&S.lock);
    for (bridge_t *b = S.bridges; b; b = b->next) queue_add(&b->out, b->id, data, size);
    pthread_mutex_unlock(&S.lock);
}

/* ---- Python's thread */

static int add_site(const char *path) {
    PyObject *site = PyImport_ImportModule("site");
    PyObject *done = site ? PyObject_CallMethod(site, "addsitedir", "s", path) : NULL;
    Py_XDECREF(site);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int start_python(char *why, size_t room) {
    static python_path_t p; /* large, and filled once */
    if (read_python_path(&p, S.folder)) {
        snprintf(why, room, "There is no file %s: %s. An exported game needs the folder npc-server beside it. In a project, build the bridge again.", p.file, strerror(errno));
        return -1;
    }
    if (!p.home[0] || access(p.home, R_OK)) {
        snprintf(why, room, "The Python at home=%.2000s, named in %s, is not there. Build the bridge again with a Python that stays.", p.home, p.file);
        return -1;
    }
    if (strchr(p.home, ':')) {
        snprintf(why, room, "Python cannot start from %.2000s, because the path has a colon. Rename that folder.", p.home);
        return -1;
    }
    struct sigaction interrupt;
    sigaction(SIGINT, NULL, &interrupt);
    /* Paths are UTF-8, whatever the locale of the player: a game may lie in a folder with any letters. */
    PyPreConfig before;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&before);
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.install_signal_handlers = 0;
    config.write_bytecode = 0;
    if (!PyStatus_Exception(status)) status = PyConfig_SetBytesString(&config, &config.home, p.home);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        snprintf(why, room, "Python did not start from %.2000s: %.500s. Build the bridge again.", p.home, status.err_msg ? status.err_msg : "unknown");
        return -1;
    }
    /* Importing `signal` takes Ctrl-C for Python, whatever the configuration says. It belongs to the game. */
    Py_XDECREF(PyImport_ImportModule("signal"));
    sigaction(SIGINT, &interrupt, NULL);
    for (int i = 0; i < p.n_sites; i++)
        if (add_site(p.sites[i])) { PyErr_Print(); snprintf(why, room, "Python cannot use the folder %.2000s. Build the bridge again.", p.sites[i]); return -1; }
    PyEval_SaveThread();
    return 0;
}

static void *python_thread(void *unused) {
    (void)unused;
    char why[7000] = "";
    if (start_python(why, sizeof why)) report("BRIDGE_PYTHON", why);
    else {
        if (npc_python_run() != 1) report("BRIDGE_STOPPED", "The bridge's Python ended with an error, printed above. If it names a missing module, install npc-server for this Python. Else start the game again, and report it.");
        PyGILState_Ensure();
        Py_FinalizeEx();
    }
    __atomic_store_n(&S.finished, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void wake(void) {
    char byte = 1;
    if (S.wake[1] >= 0) while (write(S.wake[1], &byte, 1) < 0 && errno == EINTR) {}  /* a full pipe wakes too */
}

/* ---- the class's methods */

/* Only Godot's main thread starts Python, so `started` needs no lock. */
static int start_thread(void) {
    if (pipe2(S.wake, O_NONBLOCK | O_CLOEXEC) || pthread_create(&S.thread, NULL, python_thread, NULL)) return -3;
    S.started = 1;
    return 0;
}

static int64_t push(bridge_t *b, const void *data, size_t size) {
    if (S.stopping || __atomic_load_n(&S.finished, __ATOMIC_ACQUIRE)) return -2;
    if (queue_bytes(&S.in) + size > PUSH_LIMIT || queue_add(&S.in, b->id, data, size)) return -1;
    if (!S.started && start_thread()) return -3;
    wake();
    return 0;
}

/* Into an empty PackedByteArray: one encoded Array of all records. */
static void pull(bridge_t *b, void *bytes) {
    record_t *taken = NULL, **tail = &taken;
    uint32_t head[2] = {VARIANT_ARRAY, 0};
    int64_t size = 8, unused;
    while (head[1] < PULL_RECORDS && (*tail = queue_take(&b->out, &b->ready))) {
        size += (int64_t)(*tail)->size;
        (*tail)->next = NULL;
        tail = &(*tail)->next;
        head[1]++;
    }
    if (!head[1]) return;
    const void *args[] = {&size};
    G.bytes_resize(bytes, args, &unused, 1);
    uint8_t *at = G.byte_at(bytes, 0);
    memcpy(at, head, 8);
    at += 8;
    for (record_t *r = taken, *next; r; r = next) {
        memcpy(at, r->data, r->size);
        at += r->size;
        next = r->next;
        free(r);
    }
}

static int64_t push_bytes(bridge_t *b, const void *bytes) {
    int64_t size = 0;
    G.bytes_size((void *)bytes, NULL, &size, 0);
    return size ? push(b, G.byte_at_const(bytes, 0), (size_t)size) : -4;
}

static void push_ptrcall(void *u, void *b, const GDExtensionConstTypePtr *args, void *ret) {
    (void)u;
    *(int64_t *)ret = push_bytes(b, args[0]);
}

static void push_call(void *u, void *b, const GDExtensionConstVariantPtr *args, GDExtensionInt n, GDExtensionVariantPtr ret, GDExtensionCallError *err) {
    (void)u;
    if (n != 1) { err->error = n < 1 ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS; err->expected = 1; return; }
    if (G.variant_type(args[0]) != GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY) {
        err->error = GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT; err->argument = 0; err->expected = GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY; return;
    }
    uint64_t bytes[2];
    G.bytes_from_variant(bytes, (void *)args[0]);
    int64_t answer = push_bytes(b, bytes);
    G.bytes_free(bytes);
    G.variant_from_int(ret, &answer);
}

static void pull_ptrcall(void *u, void *b, const GDExtensionConstTypePtr *args, void *ret) { (void)u; (void)args; pull(b, ret); }

static void pull_call(void *u, void *b, const GDExtensionConstVariantPtr *args, GDExtensionInt n, GDExtensionVariantPtr ret, GDExtensionCallError *err) {
    (void)u; (void)args;
    if (n) { err->error = GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS; err->expected = 0; return; }
    uint64_t bytes[2];
    G.bytes_new(bytes, NULL);
    pull(b, bytes);
    G.variant_from_bytes(ret, bytes);
    G.bytes_free(bytes);
}

/* ---- objects */

static GDExtensionObjectPtr create_instance(void *u, GDExtensionBool notify) {
    (void)u; (void)notify;
    bridge_t *b = calloc(1, sizeof *b);
    GDExtensionObjectPtr object = G.construct_object(G.parent_name);
    pthread_mutex_lock(&S.lock);
    b->id = ++S.last_id;
    b->next = S.bridges;
    S.bridges = b;
    pthread_mutex_unlock(&S.lock);
    G.set_instance(object, G.class_name, b);
    return object;
}

static void free_instance(void *u, void *instance) {
    (void)u;
    bridge_t *b = instance;
    pthread_mutex_lock(&S.lock);
    for (bridge_t **p = &S.bridges; *p; p = &(*p)->next) if (*p == b) { *p = b->next; break; }
    pthread_mutex_unlock(&S.lock);
    for (record_t *r; (r = queue_take(&b->out, &b->ready));) free(r);
    if (S.started) queue_add(&S.in, b->id, "", 0);
    wake();
    free(b);
}

static void add_method(const char *name, GDExtensionClassMethodCall call, GDExtensionClassMethodPtrCall ptrcall,
                       GDExtensionVariantType returns, int n_args,
                       GDExtensionInterfaceStringNameNewWithLatin1Chars sname, GDExtensionInterfaceStringNewWithUtf8Chars str,
                       GDExtensionInterfaceClassdbRegisterExtensionClassMethod reg) {
    static uint64_t names[8][2], empty[2], hint[2];
    static int used;
    sname(names[used], name, 0);
    sname(names[used + 1], "bytes", 0);
    sname(empty, "", 0);
    str(hint, "");
    GDExtensionPropertyInfo ret = {returns, empty, empty, 0, hint, 6}, arg = {GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, names[used + 1], empty, 0, hint, 6};
    GDExtensionClassMethodArgumentMetadata none = GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE;
    GDExtensionClassMethodInfo info = {.name = names[used], .call_func = call, .ptrcall_func = ptrcall, .method_flags = 1,
        .has_return_value = 1, .return_value_info = &ret, .argument_count = (uint32_t)n_args, .arguments_info = &arg, .arguments_metadata = &none};
    reg(G.library, G.class_name, &info);
    used += 2;
}

static GDExtensionInterfaceGetProcAddress get_proc;
#define PROC(type, name) ((type)get_proc(name))

static void on_init(void *u, GDExtensionInitializationLevel level) {
    (void)u;
    if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
    GDExtensionInterfaceStringNameNewWithLatin1Chars sname = PROC(GDExtensionInterfaceStringNameNewWithLatin1Chars, "string_name_new_with_latin1_chars");
    GDExtensionInterfaceStringNewWithUtf8Chars str = PROC(GDExtensionInterfaceStringNewWithUtf8Chars, "string_new_with_utf8_chars");
    GDExtensionVariantType bytes = GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY;
    uint64_t size_name[2], resize_name[2];
    sname(G.class_name, CLASS_NAME, 0);
    sname(G.parent_name, "RefCounted", 0);
    sname(size_name, "size", 0);
    sname(resize_name, "resize", 0);
    G.print_error = PROC(GDExtensionInterfacePrintError, "print_error");
    G.construct_object = PROC(GDExtensionInterfaceClassdbConstructObject2, "classdb_construct_object2");
    G.set_instance = PROC(GDExtensionInterfaceObjectSetInstance, "object_set_instance");
    G.byte_at = PROC(GDExtensionInterfacePackedByteArrayOperatorIndex, "packed_byte_array_operator_index");
    G.byte_at_const = PROC(GDExtensionInterfacePackedByteArrayOperatorIndexConst, "packed_byte_array_operator_index_const");
    G.variant_type = PROC(GDExtensionInterfaceVariantGetType, "variant_get_type");
    G.variant_from_bytes = PROC(GDExtensionInterfaceGetVariantFromTypeConstructor, "get_variant_from_type_constructor")(bytes);
    G.variant_from_int = PROC(GDExtensionInterfaceGetVariantFromTypeConstructor, "get_variant_from_type_constructor")(GDEXTENSION_VARIANT_TYPE_INT);
    G.bytes_from_variant = PROC(GDExtensionInterfaceGetVariantToTypeConstructor, "get_variant_to_type_constructor")(bytes);
    G.bytes_new = PROC(GDExtensionInterfaceVariantGetPtrConstructor, "variant_get_ptr_constructor")(bytes, 0);
    G.bytes_free = PROC(GDExtensionInterfaceVariantGetPtrDestructor, "variant_get_ptr_destructor")(bytes);
    /* The hashes of Godot's own signatures, from its extension_api.json; they change only when the methods do. */
    G.bytes_size = PROC(GDExtensionInterfaceVariantGetPtrBuiltinMethod, "variant_get_ptr_builtin_method")(bytes, size_name, 3173160232);
    G.bytes_resize = PROC(GDExtensionInterfaceVariantGetPtrBuiltinMethod, "variant_get_ptr_builtin_method")(bytes, resize_name, 848867239);
    if (!G.bytes_size || !G.bytes_resize) {
        G.print_error("npc bridge: this Godot has other PackedByteArray methods than 4.4 to 4.6. Build the bridge again for it.", __func__, __FILE__, __LINE__, 1);
        return;
    }
    GDExtensionClassCreationInfo4 info = {.is_exposed = 1, .create_instance_func = create_instance, .free_instance_func = free_instance};
    PROC(GDExtensionInterfaceClassdbRegisterExtensionClass4, "classdb_register_extension_class4")(G.library, G.class_name, G.parent_name, &info);
    GDExtensionInterfaceClassdbRegisterExtensionClassMethod reg = PROC(GDExtensionInterfaceClassdbRegisterExtensionClassMethod, "classdb_register_extension_class_method");
    add_method("push", push_call, push_ptrcall, GDEXTENSION_VARIANT_TYPE_INT, 1, sname, str, reg);
    add_method("pull", pull_call, pull_ptrcall, bytes, 0, sname, str, reg);
}

static void on_deinit(void *u, GDExtensionInitializationLevel level) {
    (void)u;
    if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
    __atomic_store_n(&S.stopping, 1, __ATOMIC_RELEASE);
    if (S.started) {
        struct timespec until;
        wake();
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += STOP_WAIT_S;
        if (pthread_timedjoin_np(S.thread, NULL, &until))
            G.print_error("npc bridge: Python did not stop in time; leaving it behind.", __func__, __FILE__, __LINE__, 0);
    }
    PROC(GDExtensionInterfaceClassdbUnregisterExtensionClass, "classdb_unregister_extension_class")(G.library, G.class_name);
}

/* Godot opens libraries with RTLD_LOCAL, and Python's own C modules then miss libpython's symbols. */
__attribute__((constructor)) static void promote(void) {
    dlopen(NPC_LIBPYTHON, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

__attribute__((visibility("default")))
GDExtensionBool npc_bridge_library_init(GDExtensionInterfaceGetProcAddress proc, GDExtensionClassLibraryPtr library, GDExtensionInitialization *init) {
    Dl_info here;
    /* Godot starts processes; gRPC's preparations for a fork that goes on in Python only cost and complain then. Set here, before any thread. */
    setenv("GRPC_ENABLE_FORK_SUPPORT", "0", 0);
    get_proc = proc;
    G.library = library;
    if (!dladdr((void *)npc_bridge_library_init, &here) || !realpath(here.dli_fname, S.folder)) return 0;
    *strrchr(S.folder, '/') = 0;
    init->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
    init->initialize = on_init;
    init->deinitialize = on_deinit;
    return 1;
}
