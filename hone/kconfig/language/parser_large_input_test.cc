// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>

#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/load.h"

// Enormous input: each case in a process of its own, whose memory is limited and measured.
namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kGigabyte = 1U << 30U;
constexpr std::size_t kJustAllowed = 60U << 20U;

struct Measured {
  bool has_ended = false;  // By itself, with status 0.
  std::string said;
  std::size_t peak_mib = 0;
};

Measured InChild(const std::function<std::string()>& work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit max{4 * kGigabyte, 4 * kGigabyte};
    ::setrlimit(RLIMIT_AS, &max);
    const std::string said = work().substr(0, 4000);
    const bool is_told = ::write(ends[1], said.data(), said.size()) >= 0;
    ::_exit(is_told ? 0 : 1);
  }
  ::close(ends[1]);
  Measured measured;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    measured.said.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  measured.has_ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  measured.peak_mib = static_cast<std::size_t>(usage.ru_maxrss) >> 10U;
  return measured;
}

class LargeInputTest : public testing::Test {
 protected:
  LargeInputTest() : folder_(TempDir::Make("kconfig-large")) {}

  // `head`, then `piece` again and again on one line until there are so many bytes, then `tail`.
  void Write(const std::string& head, const std::function<std::string(std::size_t)>& piece,
             const std::string& tail, std::size_t size) {
    std::ofstream out(folder_->path() / "Kconfig", std::ios::binary);
    out << head;
    for (std::size_t i = 0, written = 0; written < size; ++i) {
      const std::string text = piece(i);
      out << text;
      written += text.size();
    }
    out << tail;
  }

  Measured Load() {
    return InChild([this]() -> std::string {
      LoadOptions options;
      options.folders = {folder_->path()};
      options.shell = ShellPolicy::kRefuse;
      const auto tree = LoadTreeOrError(options);
      if (!tree) return tree.error().message;
      return fmt::format("loaded, {} bytes written", WriteConfig(Configuration(*tree)).size());
    });
  }

  const Result<TempDir> folder_;
};

std::string Same(std::size_t) { return std::string(1 << 16, 'x'); }

TEST_F(LargeInputTest, ALineOfAGigabyteIsRefusedWithoutReadingIt) {
  Write("config A\n\tbool \"", Same, "\"\n", kGigabyte);
  const Measured measured = Load();
  EXPECT_TRUE(measured.has_ended);
  EXPECT_THAT(measured.said, HasSubstr("at most 67108864 are read"));
  EXPECT_LT(measured.peak_mib, 100U);
}

TEST_F(LargeInputTest, TheLongestLinesThatAreReadStayWithinTheirMemory) {
  struct Case {
    const char* head;
    std::function<std::string(std::size_t)> piece;
    const char* tail;
  };
  const Case cases[] = {
      {"config A\n\tbool \"", Same, "\"\n"},
      {"# ", Same, "\n"},
      {"config A\n\tbool \"a\"\n\thelp\n\t  ", Same, "\n"},
      {"config A\n\tbool \"a\"\n\tdepends on B", [](std::size_t) { return " && C"; }, "\n"},
      {"config A\n\tbool \"a\"\n\tdepends on B",
       [](std::size_t i) { return fmt::format(" || C{}", i); }, "\n"},
      {"config A\n\tbool \"", [](std::size_t) { return "$(A)"; }, "\"\n"},
      {"X := ", [](std::size_t) { return "$(shell"; }, "\n"},
      {"X := $(f", [](std::size_t) { return ","; }, ")\n"},
      {"", [](std::size_t) { return "source \"a\" "; }, "\n"},
      {"", [](std::size_t) { return "\x01\xff"; }, "\n"},
      {"", [](std::size_t i) { return fmt::format("config A{}\n", i); }, ""},
      {"", [](std::size_t) { return "if A\nendif\n"; }, ""}};
  for (const Case& one : cases) {
    Write(one.head, one.piece, one.tail, kJustAllowed);
    const Measured measured = Load();
    EXPECT_TRUE(measured.has_ended) << one.head << one.piece(0).substr(0, 20) << measured.said;
    EXPECT_FALSE(measured.said.empty());
    EXPECT_LT(measured.peak_mib, 2500U) << one.head << one.piece(0).substr(0, 20);
    std::printf("%zu MiB: %s\n", measured.peak_mib, measured.said.substr(0, 120).c_str());
  }
}

}  // namespace
}  // namespace hone::kconfig
