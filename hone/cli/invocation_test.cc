// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/invocation.h"

#include <gtest/gtest.h>

#include <map>

namespace hone::cli {
namespace {

// What is shown of "show toy-1".
std::string Shown(const std::string& program, const std::string& store,
                  std::map<std::string, std::string> environment = {}) {
  const auto in = [&](const std::string& name) { return environment[name]; };
  return InvocationOf(program, store, in).Typed("show toy-1");
}

TEST(InvocationTest, ACommandBeginsAsTheProgramWasTyped) {
  EXPECT_EQ(Shown("hone", ""), "hone show toy-1");
  EXPECT_EQ(Shown("build/release/hone", ""), "build/release/hone show toy-1");
  EXPECT_EQ(Shown("", ""), "hone show toy-1");
}

TEST(InvocationTest, ACommandNamesTheStoreThatWasNamed) {
  EXPECT_EQ(Shown("./hone", "other.db"), "./hone show toy-1 --store other.db");
}

TEST(InvocationTest, AShellReadsEachWordAsOne) {
  EXPECT_EQ(Shown("/my tools/hone", "it's.db"),
            "'/my tools/hone' show toy-1 --store 'it'\\''s.db'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("$(reboot)"), "'$(reboot)'");
}

TEST(InvocationTest, WhatWasStartedBySudoIsShownWithSudo) {
  std::map<std::string, std::string> by_sudo{{"USER", "root"},
                                             {"SUDO_COMMAND", "/usr/local/bin/hone tune memory"}};
  EXPECT_EQ(Shown("hone", "", by_sudo), "sudo hone show toy-1");
  by_sudo["SUDO_COMMAND"] = "/usr/bin/bash";
  EXPECT_EQ(Shown("hone", "", by_sudo), "hone show toy-1") << "a shell of root's needs no sudo";
}

}  // namespace
}  // namespace hone::cli
