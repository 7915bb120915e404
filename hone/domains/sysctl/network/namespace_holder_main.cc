// SPDX-License-Identifier: Apache-2.0
// The program that holds a pair of network namespaces; see namespace_holder.h. It is started with
// every signal blocked, and leaves them so: Ctrl-C is Hone's business.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "hone/domains/sysctl/network/namespace_holder.h"
#include "hone/domains/sysctl/network/namespace_holder_link_layer.h"

namespace {

using namespace hone::sysctl;

// --- The holder.

char message[kMaxNamespaceHolderBytes];

void Reply(const NamespaceHolderReply& reply, const char* data = nullptr, std::size_t size = 0) {
  static char answer[sizeof reply + kMaxNamespaceHolderBytes];
  memcpy(answer, &reply, sizeof reply);
  if (size > 0) memcpy(answer + sizeof reply, data, size);
  send(kNamespaceHolderSocket, answer, sizeof reply + size, MSG_NOSIGNAL);
}

[[noreturn]] void Fail(NamespaceHolderStage stage, int number) {
  Reply({stage, number});
  _exit(1);
}

void WriteProc(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) Fail(NamespaceHolderStage::kUserMap, errno);
  close(file);
}

// Everybody stays who he is in there, so that programs see no root where there is none.
void MapIds(unsigned user, unsigned group) {
  char line[64];
  WriteProc("/proc/self/setgroups", "deny");
  snprintf(line, sizeof line, "%u %u 1", user, user);
  WriteProc("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "%u %u 1", group, group);
  WriteProc("/proc/self/gid_map", line);
}

void EnterFreshNetwork() {
  if (unshare(CLONE_NEWNET) == 0) return;
  if (errno != EPERM) Fail(NamespaceHolderStage::kNetwork, errno);
  const unsigned user = geteuid();
  const unsigned group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) Fail(NamespaceHolderStage::kUserNamespace, errno);
  MapIds(user, group);
}

void KeepNetworkAs(int number) {
  const int network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (network < 0) Fail(NamespaceHolderStage::kNetwork, errno);
  if (network != number) {
    if (dup3(network, number, O_CLOEXEC) < 0) Fail(NamespaceHolderStage::kNetwork, errno);
    close(network);
  }
}

void GoTo(int side) {
  static int where = kClientNamespace;
  if (side == where) return;
  if (setns(side, CLONE_NEWNET) != 0) Fail(NamespaceHolderStage::kNetwork, errno);
  where = side;
}

void TakeUpSide(int side, const char* address) {
  GoTo(side);
  int number = TakeUpLoopback();
  if (number == 0) number = TakeUp(kVethName, address);
  if (number != 0) Fail(NamespaceHolderStage::kAddress, number);
}

void MakeNetworks() {
  EnterFreshNetwork();
  KeepNetworkAs(kServerNamespace);
  if (unshare(CLONE_NEWNET) != 0) Fail(NamespaceHolderStage::kNetwork, errno);
  KeepNetworkAs(kClientNamespace);
  if (const int number = MakeVeth(kServerNamespace); number != 0)
    Fail(NamespaceHolderStage::kVeth, number);
  TakeUpSide(kServerNamespace, kServerAddress);
  TakeUpSide(kClientNamespace, kClientAddress);
}

// Only parameters of a network namespace; root could write the host's others from in here.
bool IsOurs(const char* path) {
  const std::size_t size = strlen(kParametersFolder);
  if (strncmp(path, kParametersFolder, size) != 0) return false;
  return (path[size] == '/' || path[size] == '\0') && strstr(path, "/..") == nullptr;
}

void Read(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return Reply({NamespaceHolderStage::kOpen, errno});
  std::size_t size = 0;
  ssize_t got = 0;
  while (size < sizeof message && (got = read(file, message + size, sizeof message - size)) > 0) {
    size += static_cast<std::size_t>(got);
  }
  const int number = got < 0 ? errno : got > 0 ? EFBIG : 0;
  close(file);
  if (number != 0) return Reply({NamespaceHolderStage::kTransfer, number});
  Reply({}, message, size);
}

void Write(const char* path, const char* text, std::size_t size) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return Reply({NamespaceHolderStage::kOpen, errno});
  const ssize_t written = write(file, text, size);
  const int number = written < 0 ? errno : static_cast<std::size_t>(written) + 1 < size ? EIO : 0;
  close(file);
  Reply({number == 0 ? NamespaceHolderStage::kDone : NamespaceHolderStage::kTransfer, number});
}

void List(const char* path) {
  DIR* const folder = opendir(path);
  if (folder == nullptr) return Reply({NamespaceHolderStage::kOpen, errno});
  std::size_t size = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_REG)) continue;
    const std::size_t need = strlen(entry->d_name) + 2;
    if (size + need > sizeof message) break;
    message[size] = entry->d_type == DT_DIR ? 'd' : 'f';
    memcpy(message + size + 1, entry->d_name, need - 2);
    message[size + need - 1] = '\n';
    size += need;
  }
  closedir(folder);
  Reply({}, message, size);
}

void Probe(const char* path) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return Reply({NamespaceHolderStage::kOpen, errno});
  close(file);
  Reply({});
}

// A request: its head, the path, the text.
void Answer(const char* request, std::size_t size) {
  NamespaceHolderRequest head;
  if (size < sizeof head) return Reply({NamespaceHolderStage::kOpen, EINVAL});
  memcpy(&head, request, sizeof head);
  char path[4096];
  const bool is_sane = head.path_bytes < sizeof path && head.path_bytes + sizeof head <= size &&
                       (head.side == kServerNamespace || head.side == kClientNamespace);
  if (!is_sane) return Reply({NamespaceHolderStage::kOpen, EINVAL});
  memcpy(path, request + sizeof head, head.path_bytes);
  path[head.path_bytes] = '\0';
  if (!IsOurs(path)) return Reply({NamespaceHolderStage::kOpen, ENOENT});
  GoTo(head.side);
  switch (head.verb) {
    case NamespaceHolderVerb::kRead:
      return Read(path);
    case NamespaceHolderVerb::kWrite: {
      const std::size_t used = sizeof head + head.path_bytes;
      return Write(path, request + used, size - used);
    }
    case NamespaceHolderVerb::kList:
      return List(path);
    case NamespaceHolderVerb::kProbe:
      return Probe(path);
  }
}

int Keep() {
  prctl(PR_SET_NAME, "hone-network");
  fcntl(kNamespaceHolderSocket, F_SETFD, FD_CLOEXEC);
  close_range(kNamespaceHolderSocket + 1, ~0U, 0);
  if (chdir("/") != 0) Fail(NamespaceHolderStage::kNetwork, errno);
  MakeNetworks();
  Reply({});
  static char request[kMaxNamespaceHolderBytes];
  while (true) {
    const ssize_t got = recv(kNamespaceHolderSocket, request, sizeof request, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    Answer(request, static_cast<std::size_t>(got));
  }
}

// --- Entering.

[[noreturn]] void Complain(const char* what) {
  fprintf(stderr, "hone-network: %s: %s\n", what, strerror(errno));
  _exit(127);
}

int OpenOf(const char* pid, const char* rest) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/%s", pid, rest);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) Complain("the network is gone");
  return file;
}

bool IsSameFile(int one, int other) {
  struct stat a {};
  struct stat b {};
  return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_ino == b.st_ino &&
         a.st_dev == b.st_dev;
}

int Enter(char** arguments) {
  char number[32];
  snprintf(number, sizeof number, "fd/%s", arguments[3]);
  const int user = OpenOf(arguments[2], "ns/user");
  const int network = OpenOf(arguments[2], number);
  const int own = OpenOf("self", "ns/user");
  if (!IsSameFile(user, own) && setns(user, CLONE_NEWUSER) != 0) Complain("its user namespace");
  if (setns(network, CLONE_NEWNET) != 0) Complain("its network namespace");
  execvp(arguments[5], arguments + 5);
  Complain(arguments[5]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 1) return Keep();
  if (count > 5 && strcmp(arguments[1], "enter") == 0) return Enter(arguments);
  fprintf(stderr, "hone-network: a part of hone, not meant to be run by hand\n");
  return 2;
}
