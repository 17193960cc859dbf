/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that nest, overlap and go wrong, of threads and of a child. */
#include <pthread.h>
#include <rfl_region.h>
#include <sys/wait.h>

static pthread_barrier_t both;

static void *count(void *calls)
{
    for (long i = 0; i < (long)calls; i++) {
        rfl_region_begin("thread");
        rfl_region_end("thread");
        rfl_region_work("thread", 10, 20);
    }
    return NULL;
}

static void *count_together(void *calls)
{
    count((void *)1);
    pthread_barrier_wait(&both);
    return count(calls);
}

static void sleep_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void nest(void)
{
    char name[16] = "one";
    rfl_region_begin("outer");
    sleep_ms(20);
    rfl_region_begin("outer");
    rfl_region_begin(name);
    strcpy(name, "two"); /* another name at the same place */
    rfl_region_begin(name);
    sleep_ms(20);
    rfl_region_end("one"); /* before what began later */
    rfl_region_end("outer");
    rfl_region_end(name);
    sleep_ms(20);
    rfl_region_end("outer");
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "nest") == 0) {
        nest();
    } else if (strcmp(word, "wrong") == 0) {
        rfl_region_end("never");
        rfl_region_end("never");
        rfl_region_begin("open");
        for (int i = 0; i < 2; i++) {
            rfl_region_begin("a\tb");
            rfl_region_end("a\tb");
        }
    } else if (strcmp(word, "threads") == 0) {
        pthread_t threads[2];
        pthread_barrier_init(&both, NULL, 2);
        for (long i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, count_together, (void *)(100 * (i + 1)));
        for (long i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    } else if (strcmp(word, "pool") == 0) { /* threads one after the other are one */
        for (int i = 0; i < 300; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, count, (void *)1);
            pthread_join(thread, NULL);
        }
    } else if (strcmp(word, "fork") == 0) {
        count((void *)5);
        if (fork() == 0) {
            FILE *child = fopen("child", "w");
            if (!child)
                return 1;
            fprintf(child, "%d\n", (int)getpid());
            fclose(child);
            count((void *)3);
            return 0;
        }
        wait(NULL);
        count((void *)2);
    } else if (strcmp(word, "many") == 0) {
        for (int i = 0; i < 200; i++) {
            char name[100];
            snprintf(name, sizeof name, "%0*d", i == 199 ? 80 : 3, i);
            rfl_region_begin(name);
            rfl_region_end(name);
        }
    }
    return 0;
}
