/* Where the library's Python is: the file npc_bridge.path, of lines `key=value`. */
#ifndef NPC_PYTHON_PATH_H
#define NPC_PYTHON_PATH_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define PYTHON_SITES 8

typedef struct {
    char folder[4200], file[4300]; /* the file and its folder */
    char home[8400], sites[PYTHON_SITES][4200];
    int n_sites;
} python_path_t;

/* Absolute, or beside the file: so an exported game can carry its own Python. */
static void absolute(const python_path_t *p, const char *value, char *out, size_t room) {
    if (value[0] == '/') snprintf(out, room, "%s", value);
    else snprintf(out, room, "%s/%s", p->folder, value);
}

/* The Python that an exported game carries comes before that of the machine on which the library was built. */
static FILE *open_python_path(python_path_t *p, const char *library_folder) {
    snprintf(p->folder, sizeof p->folder, "%s/%s", library_folder, NPC_BUNDLE);
    snprintf(p->file, sizeof p->file, "%s/npc_bridge.path", p->folder);
    FILE *f = fopen(p->file, "r");
    if (f) return f;
    snprintf(p->folder, sizeof p->folder, "%s", library_folder);
    snprintf(p->file, sizeof p->file, "%s/npc_bridge.path", p->folder);
    return fopen(p->file, "r");
}

/* Python's own C modules need libraries that the game's loader would look for in the system only. One that is loaded is found by its
 * name. If one cannot be loaded, the import that needs it says so. Returns -1 and sets errno if there is no file. */
static int read_python_path(python_path_t *p, const char *library_folder) {
    char line[4200], value[8400];
    FILE *f = open_python_path(p, library_folder);
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strncmp(line, "home=", 5)) absolute(p, line + 5, p->home, sizeof p->home);
        if (!strncmp(line, "library=", 8)) {
            absolute(p, line + 8, value, sizeof value);
            dlopen(value, RTLD_LAZY | RTLD_LOCAL);
        }
        if (!strncmp(line, "site=", 5) && p->n_sites < PYTHON_SITES) {
            absolute(p, line + 5, value, sizeof value);
            snprintf(p->sites[p->n_sites++], 4200, "%.4199s", value);
        }
    }
    fclose(f);
    return 0;
}

#endif
