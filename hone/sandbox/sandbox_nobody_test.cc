// SPDX-License-Identifier: Apache-2.0
// All of it again as a user without rights.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "hone/base/descriptor.h"

namespace hone {
namespace {

constexpr uid_t kNobody = 65534;

// The programs are handed over open, because the way to them may be closed to nobody.
[[noreturn]] void BecomeNobody(int test, int attacker) {
  const std::string path = "/proc/self/fd/" + std::to_string(attacker);
  ::setenv("HONE_ATTACKER", path.c_str(), 1);
  const char* const arguments[] = {
      "sandbox_test",
      "--gtest_filter=Sandbox*:RunningSandbox*:-SandboxNobodyTest*:*Compiler*:*Torch*:*Flood*",
      "--gtest_brief=1", nullptr};
  if (::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
      ::setresuid(kNobody, kNobody, kNobody) == 0 && ::chdir("/") == 0) {
    ::fexecve(test, const_cast<char* const*>(arguments), ::environ);
  }
  ::_exit(127);
}

TEST(SandboxNobodyTest, EverythingHoldsWithoutRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: without it the other tests show the same";
  const Descriptor test(::open("/proc/self/exe", O_RDONLY));
  const Descriptor attacker(::open(HONE_ATTACKER_FILE, O_RDONLY));
  ASSERT_TRUE(test.is_open() && attacker.is_open());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) BecomeNobody(test.get(), attacker.get());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "see above what failed for nobody";
}

}  // namespace
}  // namespace hone
