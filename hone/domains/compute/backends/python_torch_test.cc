// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/python_torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "hone/base/temp_dir.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

class PythonTorchTest : public ::testing::Test {
 protected:
  ~PythonTorchTest() override { ::unsetenv("HONE_PYTHON"); }

  // A Python that does what the script says.
  std::string Name(const std::string& script) {
    const auto file = folder_.path() / "python";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    ::chmod(file.c_str(), 0755);
    ::setenv("HONE_PYTHON", file.c_str(), 1);
    return file.string();
  }

  const TempDir folder_ = TempDir::Make("hone-python-torch").value();
};

TEST_F(PythonTorchTest, ThePythonThatIsNamedIsAsked) {
  const std::string file =
      Name("printf 'Python 3.99, torch 9\\n/usr/bin/python3\\n/usr/lib/torch/__init__.py\\n'");
  const auto found = FindPythonTorch();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->python, file);
  EXPECT_EQ(found->version, "Python 3.99, torch 9");
}

TEST_F(PythonTorchTest, OneWithoutTorchIsNamedWithTheVariable) {
  const std::string file = Name("exit 3");
  const auto found = FindPythonTorch();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr(file + " has no torch"));
  EXPECT_THAT(found.error().message, HasSubstr("HONE_PYTHON"));
}

TEST_F(PythonTorchTest, TorchThatNoSandboxShowsIsNone) {
  Name("printf 'Python 3.99, torch 9\\n/usr/bin/python3\\n/home/x/torch/__init__.py\\n'");
  const auto found = FindPythonTorch();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUnsupported);
  EXPECT_THAT(found.error().message, HasSubstr("/home/x/torch/__init__.py is outside /usr"));
}

TEST_F(PythonTorchTest, OneThatIsNotThereIsNone) {
  ::setenv("HONE_PYTHON", "/no/such/python", 1);
  EXPECT_FALSE(FindPythonTorch());
}

}  // namespace
}  // namespace hone::compute
