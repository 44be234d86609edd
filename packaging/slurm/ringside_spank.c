// SPDX-License-Identifier: Apache-2.0
// A plugin of Slurm: `srun --ringside[=RUN]` records the tasks of a step, as `ringside record` before each of
// them would. A plugin fits the Slurm that it is built with, so each site builds it (docs/containers.md).
// It asks `ringside env` for the variables, once a step and host, as the job's user. It never makes
// a step fail: what goes wrong is said, and the step runs unrecorded.
#include <errno.h>
#include <slurm/spank.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

SPANK_PLUGIN(ringside, 1)

enum { kLongest = 4096 };

static const char* g_prefix = "/usr"; // of the installation on the hosts; `prefix=` in plugstack.conf
static char g_run[kLongest];          // as the user gave it, or the default
static int g_wanted;

static int takeOption(int value, const char* argument, int isRemote)
{
    (void)value;
    (void)isRemote;
    const char* const run = argument != NULL && *argument != '\0' ? argument : "ringside-%j-%s.ringside";
    g_wanted = strlen(run) < sizeof g_run;
    if (g_wanted == 0) {
        slurm_error("ringside: the name of the run has more than %d bytes", kLongest - 1);
        return ESPANK_BAD_ARG;
    }
    strcpy(g_run, run);
    return ESPANK_SUCCESS;
}

static struct spank_option g_option = {
    "ringside",
    "RUN",
    "Record this step with Ringside into the folder RUN; %j is the job's number, %s the step's; "
    "default: ringside-%j-%s.ringside where the job was submitted",
    2,
    0,
    takeOption}; // 2: an argument, or none

int slurm_spank_init(spank_t spank, int count, char* arguments[])
{
    for (int i = 0; i < count; ++i) {
        if (strncmp(arguments[i], "prefix=", 7) == 0) {
            g_prefix = arguments[i] + 7;
        } else {
            slurm_error("ringside: plugstack.conf: unknown argument %s; only prefix=FOLDER is known",
                        arguments[i]);
        }
    }
    return spank_option_register(spank, &g_option);
}

/// Writes the path of the run: `pattern` with the numbers of job and step, below `folder` unless it begins
/// with a slash.
static int runPath(spank_t spank, const char* pattern, const char* folder, char* path, size_t size)
{
    uint32_t job = 0;
    uint32_t step = 0;
    spank_get_item(spank, S_JOB_ID, &job);
    spank_get_item(spank, S_JOB_STEPID, &step);
    size_t used = *pattern == '/' ? 0 : (size_t)snprintf(path, size, "%s/", folder);
    for (const char* at = pattern; *at != '\0' && used < size; ++at) {
        const int isNumber = at[0] == '%' && (at[1] == 'j' || at[1] == 's');
        used += (size_t)(isNumber ? snprintf(path + used, size - used, "%u", at[1] == 'j' ? job : step)
                                  : snprintf(path + used, size - used, "%c", *at));
        at += isNumber;
    }
    return used < size;
}

/// Starts `ringside env` without a shell, which would read the path as words. Returns its output, or null.
static FILE* askVariables(const char* path, pid_t* child)
{
    char program[kLongest];
    int ends[2];
    if (snprintf(program, sizeof program, "%s/bin/ringside", g_prefix) >= (int)sizeof program ||
        pipe(ends) != 0) {
        return NULL;
    }
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        unsetenv("LD_PRELOAD"); // slurmstepd's own; the job's is read with spank_getenv()
        execl(program, program, "env", "-o", path, "--format", "docker", (char*)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

/// Sets one line NAME=value. What the job preloads itself stays behind the collector.
static void setVariable(spank_t spank, char* line)
{
    char value[2 * kLongest];
    char preloaded[kLongest];
    char* const equals = strchr(line, '=');
    if (equals == NULL) {
        return;
    }
    *equals = '\0';
    const int isChained = strcmp(line, "LD_PRELOAD") == 0 &&
                          spank_getenv(spank, "LD_PRELOAD", preloaded, sizeof preloaded) == ESPANK_SUCCESS &&
                          *preloaded != '\0';
    snprintf(value, sizeof value, isChained ? "%s:%s" : "%s", equals + 1, preloaded);
    spank_setenv(spank, line, value, 1);
}

/// In slurmstepd on each host, as the user, before the tasks start.
int slurm_spank_user_init(spank_t spank, int count, char* arguments[])
{
    char folder[kLongest] = ".";
    char path[kLongest];
    char line[2 * kLongest];
    pid_t child = -1;
    int status = 0;
    (void)count;
    (void)arguments;
    if (g_wanted == 0 || spank_remote(spank) != 1) {
        return ESPANK_SUCCESS;
    }
    spank_getenv(spank, "SLURM_SUBMIT_DIR", folder, sizeof folder);
    if (!runPath(spank, g_run, folder, path, sizeof path)) {
        slurm_error("ringside: the path of the run is too long: this step is not recorded");
        return ESPANK_SUCCESS;
    }
    FILE* const output = askVariables(path, &child);
    while (output != NULL && fgets(line, sizeof line, output) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        setVariable(spank, line);
    }
    if (output != NULL) {
        fclose(output);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || status != 0) {
        slurm_error("ringside: %s/bin/ringside env failed: this step is not recorded (prefix= in "
                    "plugstack.conf names the installation)",
                    g_prefix);
    }
    return ESPANK_SUCCESS;
}
