/* SPDX-License-Identifier: BSD-3-Clause */
/* cupti_stub: what the program tells it. */
#ifndef ERT_TESTS_CUPTI_STUB_H
#define ERT_TESTS_CUPTI_STUB_H

#include <stddef.h>
#include <stdint.h>

int cuptiActivityRegisterCallbacks(void (*on_request)(uint8_t **, size_t *, size_t *),
                                   void (*on_complete)(void *, uint32_t, uint8_t *, size_t,
                                                       size_t));
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiSubscribe(void **subscriber,
                   void (*on_event)(void *, uint32_t, uint32_t, const void *), void *data);
int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id);

/* A record, as the GPU ran it. */
void cupti_stub_add(const void *record);

void cupti_stub_reset(void);

#endif
