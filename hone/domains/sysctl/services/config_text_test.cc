// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/config_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

std::string ValueIn(ConfigForm form, std::string_view text, const std::string& key,
                    const std::string& block = "") {
  const auto value = ConfigValue(form, text, {block, key, ""});
  if (!value) return "error: " + value.error().message;
  return value->value_or("(none)");
}

std::string Changed(ConfigForm form, const std::string& text,
                    const std::vector<ConfigSetting>& settings) {
  const auto changed = WithConfig(form, text, settings);
  return changed ? *changed : "error: " + changed.error().message;
}

TEST(ConfigTextTest, TheLastLineOfAKeyCounts) {
  const std::string text = "hz 10\n# hz 20\n  HZ 30\nio-threads 4\n";
  EXPECT_EQ(ValueIn(ConfigForm::kWords, text, "hz"), "30");
  EXPECT_EQ(ValueIn(ConfigForm::kWords, text, "save"), "(none)");
  EXPECT_EQ(Changed(ConfigForm::kWords, text, {{"", "hz", "50"}}),
            "hz 10\n# hz 20\nhz 50\nio-threads 4\n");
}

TEST(ConfigTextTest, AKeyThatIsNotThereComesAtTheEnd) {
  EXPECT_EQ(Changed(ConfigForm::kWords, "hz 10", {{"", "io-threads", "2"}}),
            "hz 10\nio-threads 2\n");
  EXPECT_EQ(Changed(ConfigForm::kEquals, "", {{"", "work_mem", "8MB"}}), "work_mem = 8MB\n");
}

TEST(ConfigTextTest, AnAssignmentMayDoWithoutItsSignAndHaveQuotesAndAComment) {
  const std::string text =
      "shared_buffers = 128MB   # min 128kB\nwork_mem 4MB\nname = 'a # b' # c\njit=off\n";
  EXPECT_EQ(ValueIn(ConfigForm::kEquals, text, "shared_buffers"), "128MB");
  EXPECT_EQ(ValueIn(ConfigForm::kEquals, text, "work_mem"), "4MB");
  EXPECT_EQ(ValueIn(ConfigForm::kEquals, text, "name"), "a # b");
  EXPECT_EQ(ValueIn(ConfigForm::kEquals, text, "jit"), "off");
  EXPECT_THAT(Changed(ConfigForm::kEquals, text, {{"", "name", "two words"}}),
              HasSubstr("name = 'two words'\njit=off\n"));
}

constexpr const char* kNginx = R"(# worker_processes 9;
worker_processes 2; # two
events { worker_connections 1024; }
http {
  log_format main "a;b{c}";
  set $name ${host}_x;
  keepalive_timeout 65 60;
  server { listen 80; keepalive_timeout 5; }
}
)";

TEST(ConfigTextTest, ADirectiveIsFoundInItsOwnBlockOnly) {
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, kNginx, "worker_processes"), "2");
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, kNginx, "worker_connections", "events"), "1024");
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, kNginx, "worker_connections"), "(none)");
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, kNginx, "keepalive_timeout", "http"), "65 60");
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, kNginx, "keepalive_timeout", "http/server"), "5");
}

TEST(ConfigTextTest, AllElseStaysByteForByte) {
  std::string expected = kNginx;
  expected.replace(expected.find("1024"), 4, "4096");
  EXPECT_EQ(Changed(ConfigForm::kBlocks, kNginx, {{"events", "worker_connections", "4096"}}),
            expected);
  expected = kNginx;
  expected.insert(expected.find("http {") + 6, "\n    sendfile on;");
  EXPECT_EQ(Changed(ConfigForm::kBlocks, kNginx, {{"http", "sendfile", "on"}}), expected);
}

TEST(ConfigTextTest, WhatIsChangedReadsBack) {
  const std::string text = Changed(
      ConfigForm::kBlocks, kNginx,
      {{"", "worker_processes", "auto"}, {"http", "keepalive_timeout", "9s"}, {"", "x", "1 2"}});
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, text, "worker_processes"), "auto");
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, text, "keepalive_timeout", "http"), "9s");
  EXPECT_EQ(ValueIn(ConfigForm::kBlocks, text, "x"), "1 2");
}

TEST(ConfigTextTest, WhatCannotBeChangedForCertainIsRefused) {
  EXPECT_THAT(Changed(ConfigForm::kBlocks, kNginx, {{"mail", "x", "1"}}),
              HasSubstr("there is no block mail"));
  EXPECT_THAT(Changed(ConfigForm::kBlocks, "a 1; a 2;", {{"", "a", "3"}}),
              HasSubstr("a stands there twice"));
  EXPECT_THAT(Changed(ConfigForm::kBlocks, "s {} s {}", {{"s", "a", "3"}}),
              HasSubstr("more than one block s"));
  for (const char* broken : {"http {", "}", "a 1", "a \"1;", "{ a 1; }"}) {
    EXPECT_THAT(Changed(ConfigForm::kBlocks, broken, {{"", "b", "3"}}), HasSubstr("error: line 1"))
        << broken;
  }
}

TEST(ConfigTextTest, AValueStaysAValue) {
  for (const ConfigForm form : {ConfigForm::kWords, ConfigForm::kEquals, ConfigForm::kBlocks}) {
    for (const char* value : {"", "1\nrequirepass x", "1; user root", "on }", "1 # 2", "'a'"}) {
      EXPECT_THAT(Changed(form, "", {{"", "k", value}}), HasSubstr("cannot be written as a value"))
          << value;
    }
  }
}

}  // namespace
}  // namespace hone::sysctl
