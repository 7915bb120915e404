// SPDX-License-Identifier: Apache-2.0
// Commands of a person's own workload in a guest. Lines "arg TEXT", "env NAME=VALUE" and "dir PATH"
// gather one, with "\n" and "\\" for what a line cannot hold; "do call", "do start", "do until" or
// "do measure" runs it. "disk DEVICE" makes a disk the file system, "prepare PATH" makes folders
// and brings up the network, "listen PORT" waits for a service.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static const char kLog[] = "/hone.log";  // What they print, but for what is measured.

static char* words[65];
static char* variables[33];
static int word_count, variable_count;
static const char* folder = "/";  // Where it runs.

static struct {
  int is_there, status;
  uint64_t ticks, clock_ns, clock_step_ns;
  char output[64 * 1024];
  size_t size;
} measured;

static char* Plain(char* text) {
  char* to = text;
  for (char* from = text; *from != 0; ++from) {
    if (*from == '\\' && from[1] != 0)
      *to++ = *++from == 'n' ? '\n' : *from;
    else
      *to++ = *from;
  }
  *to = 0;
  return text;
}

static pid_t Spawn(int output) {
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child > 0) return child;
  const int log = open(kLog, O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(output >= 0 ? output : log, 1);
  dup2(log, 2);
  setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  setenv("HOME", "/", 1);
  for (int i = 0; i < variable_count; ++i) putenv(variables[i]);
  if (chdir(folder) == 0) execvp(words[0], words);
  dprintf(2, "%s: %s\n", words[0], strerror(errno));
  _exit(127);
}

static int StatusOf(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) Fail("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The end of what the commands printed.
static size_t LogTail(char* text, size_t size) {
  const int log = open(kLog, O_RDONLY);
  if (log < 0) return 0;
  const off_t end = lseek(log, 0, SEEK_END);
  lseek(log, end > (off_t)size ? end - (off_t)size : 0, SEEK_SET);
  const ssize_t got = read(log, text, size);
  close(log);
  return got > 0 ? (size_t)got : 0;
}

static void FailCommand(const char* what) {
  static char tail[2048];
  const size_t size = LogTail(tail, sizeof(tail) - 1);
  printf("hone: %s: %s\n%.*s\n", words[0] != NULL ? words[0] : "the service", what, (int)size,
         tail);
  fflush(stdout);
  End();
}

static void Call(void) {
  char text[40];
  const int status = StatusOf(Spawn(-1));
  snprintf(text, sizeof(text), "ended with status %d", status);
  if (status != 0) FailCommand(text);
}

static int Listens(int port) {
  const int asking = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fault = connect(asking, (struct sockaddr*)&place, sizeof(place));
  close(asking);
  return fault == 0;
}

// Until somebody listens at the port; without one, until the command succeeds.
static void Await(int port) {
  const uint64_t end = ClockNs() + 60000000000u;
  while (port > 0 ? !Listens(port) : StatusOf(Spawn(-1)) != 0) {
    if (ClockNs() > end) FailCommand("is not ready after a minute");
    const struct timespec moment = {0, 10 * 1000 * 1000};
    nanosleep(&moment, NULL);
  }
}

// How far the kernel's clock advances at a time, at least; 0: it stands.
static uint64_t ClockStep(void) {
  uint64_t least = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t before = ClockNs();
    uint64_t now = before;
    for (long reads = 0; now == before && reads < 10000000; ++reads) now = ClockNs();
    if (least == 0 || now - before < least) least = now - before;
  }
  return least;
}

struct Moment {
  uint64_t ticks, clock_ns;
};

// By both clocks, as close together as some tries bring them: whoever is interrupted between the
// two would seem to have clocks that disagree.
static struct Moment Now(void) {
  struct Moment best = {0, 0};
  uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = Ticks();
    const uint64_t clock = ClockNs();
    const uint64_t after = Ticks();
    if (after - before >= closest) continue;
    closest = after - before;
    best = (struct Moment){before + closest / 2, clock};
  }
  return best;
}

static void Measure(void) {
  int ends[2];
  if (pipe(ends) != 0) Fail("pipe");
  measured.clock_step_ns = ClockStep();
  const struct Moment before = Now();
  const pid_t child = Spawn(ends[1]);
  close(ends[1]);
  char over[4096];
  for (ssize_t got = 1; got > 0;) {
    const size_t room = sizeof(measured.output) - measured.size;
    got =
        room > 0 ? read(ends[0], measured.output + measured.size, room) : read(ends[0], over, 4096);
    if (room > 0 && got > 0) measured.size += (size_t)got;
  }
  measured.status = StatusOf(child);
  const struct Moment after = Now();
  measured.ticks = after.ticks - before.ticks;
  measured.clock_ns = after.clock_ns - before.clock_ns;
  measured.is_there = 1;
  close(ends[0]);
}

static void TellBytes(const char* text, size_t size) {
  Tell("\"");
  for (size_t i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)text[i];
    const int is_plain = byte >= ' ' && byte < 127 && byte != '"' && byte != '\\';
    Tell(is_plain ? "%c" : "\\u%04x", byte);
  }
  Tell("\"");
}

void TellMeasured(void) {
  static char tail[2048];
  if (!measured.is_there) return;
  Tell(",\"command\":{\"status\":%d,\"ticks\":%llu,\"clock_ns\":%llu,", measured.status,
       (unsigned long long)measured.ticks, (unsigned long long)measured.clock_ns);
  Tell("\"clock_step_ns\":%llu,\"output\":", (unsigned long long)measured.clock_step_ns);
  TellBytes(measured.output, measured.size);
  Tell(",\"log\":");
  TellBytes(tail, LogTail(tail, sizeof(tail)));
  Tell("}");
}

// Without it nobody can be reached at 127.0.0.1; a kernel without a network has none.
static void RaiseLoopback(void) {
  struct ifreq request = {.ifr_name = "lo"};
  const int asking = socket(AF_INET, SOCK_DGRAM, 0);
  if (asking < 0) return;
  if (ioctl(asking, SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags |= IFF_UP;
    ioctl(asking, SIOCSIFFLAGS, &request);
  }
  close(asking);
}

// What commands expect of a machine: some folders, that of the workload among them.
static void Prepare(const char* scratch) {
  static const char* const kFolders[] = {"/bin", "/etc", "/run", "/tmp", "/var", "/var/log"};
  for (size_t i = 0; i < sizeof(kFolders) / sizeof(kFolders[0]); ++i) mkdir(kFolders[i], 0755);
  chmod("/tmp", 01777);
  mkdir(scratch, 0755);
  RaiseLoopback();
}

// From here on the disk is the file system. Changes to it go with the guest.
static void EnterDisk(const char* device) {
  static const char* const kTypes[] = {"ext4", "ext2", "xfs", "btrfs", "squashfs", "erofs"};
  int fault = -1;
  mkdir("/disk", 0755);
  for (size_t i = 0; fault != 0 && i < sizeof(kTypes) / sizeof(kTypes[0]); ++i) {
    fault = mount(device, "/disk", kTypes[i], 0, NULL);
  }
  if (fault != 0) Fail(device);
  mount("/dev", "/disk/dev", NULL, MS_MOVE, NULL);
  mount("/proc", "/disk/proc", NULL, MS_MOVE, NULL);
  mount("/sys", "/disk/sys", NULL, MS_MOVE, NULL);
  if (chroot("/disk") != 0 || chdir("/") != 0) Fail("/disk");
}

void DoCommandLine(const char* verb, char* word) {
  if (strcmp(verb, "arg") == 0 && word_count < 64) words[word_count++] = Plain(word);
  if (strcmp(verb, "env") == 0 && variable_count < 32) variables[variable_count++] = Plain(word);
  if (strcmp(verb, "dir") == 0) folder = word;
  if (strcmp(verb, "prepare") == 0) Prepare(word);
  if (strcmp(verb, "listen") == 0) Await(atoi(word));
  if (strcmp(verb, "disk") == 0) EnterDisk(word);
  if (strcmp(verb, "do") != 0) return;
  if (strcmp(word, "call") == 0) Call();
  if (strcmp(word, "start") == 0) Spawn(-1);
  if (strcmp(word, "until") == 0) Await(0);
  if (strcmp(word, "measure") == 0) Measure();
  memset(words, 0, sizeof(words));
  word_count = variable_count = 0;
  folder = "/";
}
