// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/test_machine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "hone/base/errno_error.h"
#include "hone/core/check.h"

namespace hone {

Result<TinyDisk> TinyDisk::Mount(const std::filesystem::path& at, std::size_t bytes) {
  const std::string options = "size=" + std::to_string(bytes) + ",mode=0777";
  if (::mount("tmpfs", at.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return ErrnoError("mounting a tmpfs at " + at.native(), errno);
  }
  return TinyDisk(at);
}

TinyDisk::TinyDisk(TinyDisk&& other) noexcept : at_(std::exchange(other.at_, {})) {}

TinyDisk::~TinyDisk() {
  if (!at_.empty()) ::umount2(at_.c_str(), MNT_DETACH);
}

Result<void> TinyDisk::MakeReadOnly() {
  if (::mount(nullptr, at_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
    return ErrnoError("remounting " + at_.native(), errno);
  }
  return {};
}

void KillWhenReady(const std::function<void(int ready)>& body,
                   const std::function<void()>& meanwhile) {
  int ends[2];
  HONE_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  HONE_CHECK(child >= 0);
  if (child == 0) {
    body(ends[1]);
    ::pause();
    ::_exit(1);
  }
  ::close(ends[1]);
  char byte = 0;
  HONE_CHECK(::read(ends[0], &byte, 1) == 1);
  meanwhile();
  HONE_CHECK(::kill(child, SIGKILL) == 0);
  HONE_CHECK(::waitpid(child, nullptr, 0) == child);
  ::close(ends[0]);
}

}  // namespace hone
