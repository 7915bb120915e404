// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/host_parameters_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "hone/core/check.h"

namespace hone::sysctl {
namespace {

constexpr std::chrono::milliseconds kStep{20};
constexpr std::chrono::minutes kMax{10};
constexpr mode_t kForEverybody = 0666;

}  // namespace

std::string HostParametersLock::path() { return "/tmp/hone-host-parameters.lock"; }

// Never by O_CREAT on a file that is there: in a sticky folder such as /tmp the kernel
// (fs.protected_regular) refuses that to all but the owner, root included.
HostParametersLock::HostParametersLock(const std::string& file) {
  file_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.is_open() && errno == ENOENT) {
    file_ = Descriptor(::open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, kForEverybody));
  }
  HONE_CHECK(file_.is_open());
  const auto end = std::chrono::steady_clock::now() + kMax;
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    HONE_CHECK(errno == EWOULDBLOCK || errno == EINTR);
    HONE_CHECK(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(kStep);
  }
}

}  // namespace hone::sysctl
