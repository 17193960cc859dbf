/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cupti_stub: a libcupti without a GPU. The program that it is linked with says what was launched; records go
 * to the library that is tested as CUPTI's do, in buffers, when it flushes.
 */
#include "tests/cli/cupti_stub.h"
#include "analysis/ext/record/cupti/cupti.h"

#include <pthread.h>
#include <string.h>

enum { MOST_BYTES = 1 << 24 };

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* the library flushes from a thread of its own */
static char records[MOST_BYTES];
static size_t n_bytes, n_dropped;
static uint32_t enabled;
static void (*request)(uint8_t **, size_t *, size_t *);
static void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t);
static void (*callback)(void *, uint32_t, uint32_t, const void *);

static size_t size_of(const void *record)
{
    static const size_t sizes[] = {[CUPTI_MEMCPY] = sizeof(struct cupti_memcpy),
                                   [CUPTI_MEMSET] = sizeof(struct cupti_memset),
                                   [CUPTI_CONCURRENT_KERNEL] = sizeof(struct cupti_kernel)};
    return sizes[*(const uint32_t *)record];
}

int cuptiActivityRegisterCallbacks(void (*on_request)(uint8_t **, size_t *, size_t *),
                                   void (*on_complete)(void *, uint32_t, uint8_t *, size_t,
                                                       size_t))
{
    request = on_request;
    complete = on_complete;
    return CUPTI_DONE;
}

int cuptiActivityEnable(uint32_t kind)
{
    enabled |= 1u << kind;
    return CUPTI_DONE;
}

int cuptiActivityDisable(uint32_t kind)
{
    enabled &= ~(1u << kind);
    return CUPTI_DONE;
}

/* *record: the one before, NULL at first. */
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + size_of(*record) : buffer;
    if (next >= buffer + valid_size)
        return CUPTI_NO_MORE_RECORDS;
    *record = next;
    return CUPTI_DONE;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    (void)context;
    (void)stream;
    *n = n_dropped;
    n_dropped = 0;
    return CUPTI_DONE;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&lock);
    for (size_t at = 0; at < n_bytes;) {
        uint8_t *buffer;
        size_t size, most, used = 0;
        request(&buffer, &size, &most);
        while (at < n_bytes && used + size_of(records + at) <= size) {
            memcpy(buffer + used, records + at, size_of(records + at));
            used += size_of(records + at);
            at += size_of(records + at);
        }
        complete(NULL, 0, buffer, size, used);
    }
    n_bytes = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_DONE;
}

int cuptiSubscribe(void **subscriber,
                   void (*on_event)(void *, uint32_t, uint32_t, const void *), void *data)
{
    (void)data;
    *subscriber = &callback;
    callback = on_event;
    return CUPTI_DONE;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id)
{
    (void)enable;
    (void)subscriber;
    (void)domain;
    (void)id;
    return CUPTI_DONE;
}

void cupti_stub_add(const void *record)
{
    if (!(enabled & 1u << *(const uint32_t *)record))
        return;
    pthread_mutex_lock(&lock);
    if (n_bytes + size_of(record) > MOST_BYTES) {
        n_dropped++;
    } else {
        memcpy(records + n_bytes, record, size_of(record));
        n_bytes += size_of(record);
    }
    pthread_mutex_unlock(&lock);
}

/* cudaDeviceReset(): what was not flushed before is lost. */
void cupti_stub_reset(void)
{
    if (callback)
        callback(NULL, CUPTI_DOMAIN_RESOURCE, CUPTI_CONTEXT_DESTROY_STARTING, NULL);
    n_bytes = 0;
}
