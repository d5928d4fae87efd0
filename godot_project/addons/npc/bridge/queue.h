/* A queue without a lock: a list whose head is swapped atomically. Any thread adds; one thread takes. */
#ifndef NPC_QUEUE_H
#define NPC_QUEUE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    struct record *next;
    int64_t bridge;
    size_t size;
    char data[];
} record_t;

/* Newest first: many may add, one takes. */
typedef struct {
    record_t *head;
    size_t bytes;
} queue_t;

static int queue_add(queue_t *q, int64_t bridge, const void *data, size_t size) {
    record_t *r = malloc(sizeof *r + size);
    if (!r) return -1;
    r->bridge = bridge;
    r->size = size;
    memcpy(r->data, data, size);
    __atomic_add_fetch(&q->bytes, size, __ATOMIC_RELAXED);
    r->next = __atomic_load_n(&q->head, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&q->head, &r->next, r, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    return 0;
}

/* All there is, oldest first. */
static record_t *queue_take_all(queue_t *q) {
    record_t *newest = __atomic_exchange_n(&q->head, NULL, __ATOMIC_ACQUIRE), *oldest = NULL;
    while (newest) {
        record_t *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/* The oldest, or NULL. `kept` are those taken out before. */
static record_t *queue_take(queue_t *q, record_t **kept) {
    if (!*kept) *kept = queue_take_all(q);
    record_t *r = *kept;
    if (!r) return NULL;
    *kept = r->next;
    __atomic_sub_fetch(&q->bytes, r->size, __ATOMIC_RELAXED);
    return r;
}

static size_t queue_bytes(queue_t *q) { return __atomic_load_n(&q->bytes, __ATOMIC_RELAXED); }

#endif
