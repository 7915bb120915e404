// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/service_tunables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/services/named_services.h"

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

class ServiceTunablesTest : public testing::Test {
 protected:
  std::filesystem::path File(const std::string& name = "conf") const {
    return folder_->path() / name;
  }

  void Write(const std::string& text, const std::string& name = "conf") {
    std::ofstream(File(name)) << text;
  }

  Services Like(const std::string& known, Json more = Json::object()) {
    Json document = {{"format", "hone-service"},
                     {"format_version", 1},
                     {"name", "s"},
                     {"like", known},
                     {"file", File().native()}};
    document.merge_patch(more);
    const auto service = ReadServiceFacts(document, "d");
    EXPECT_TRUE(service) << service.error().message;
    return {*service};
  }

  static ParameterRequest For(const std::string& name) {
    ParameterRequest request;
    request.name = name;
    return request;
  }

  static std::string Fault(const Services& services, const std::string& name) {
    const auto found = FindServiceTunables(services, {For(name)}, {});
    return found ? "" : found.error().message;
  }

  static std::string Now(const Services& services, const std::string& name) {
    const auto text = ServiceTextNow(services, name);
    return text ? *text : "error: " + text.error().message;
  }

  Result<TempDir> folder_ = TempDir::Make("services");
};

TEST_F(ServiceTunablesTest, AKeyIsReadFromItsFileOrHasItsDefault) {
  Write("hz 25\nactiverehashing no\n");
  const Services redis = Like("redis");
  EXPECT_EQ(Now(redis, "s:hz"), "25");
  EXPECT_EQ(Now(redis, "s:io-threads"), "1");
  const auto found = FindServiceTunables(redis, {For("s:hz"), For("s:activerehashing")}, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ((*found)[0].parameter.default_value, Value(std::int64_t{25}));
  EXPECT_EQ((*found)[1].parameter.default_value, Value(false));
  EXPECT_EQ((*found)[1].in_force, "no");
}

TEST_F(ServiceTunablesTest, WhatAFileBeforeItSaysCountsUntilItIsSaidAgain) {
  Write("work_mem = 16MB\nmax_wal_size = '2GB'\n", "main");
  const Services postgres = Like("postgresql", {{"reads", {File("main").native()}}});
  EXPECT_EQ(Now(postgres, "s:work_mem"), "16");
  EXPECT_EQ(Now(postgres, "s:max_wal_size"), "2048");
  EXPECT_EQ(Now(postgres, "s:checkpoint_timeout"), "300") << "5min";
  EXPECT_EQ(Now(postgres, "s:wal_buffers"), "-1");
  Write("work_mem = 32768kB\n");
  EXPECT_EQ(Now(postgres, "s:work_mem"), "32");
}

TEST_F(ServiceTunablesTest, AUnitThatIsNotKnownForCertainIsRefused) {
  Write("shared_buffers = 16384\nwork_mem = 5kB\n");
  const Services postgres = Like("postgresql");
  EXPECT_THAT(Now(postgres, "s:shared_buffers"), HasSubstr("no whole number of MB"));
  EXPECT_THAT(Now(postgres, "s:work_mem"), HasSubstr("no whole number of MB"));
}

TEST_F(ServiceTunablesTest, ProtectedAndUnknownKeysAreRefusedAndNamed) {
  const Services redis = Like("redis");
  EXPECT_THAT(Fault(redis, "s:appendfsync"), HasSubstr("s:appendfsync: it is never tuned. It "));
  EXPECT_THAT(Fault(redis, "s:hzz"), HasSubstr("no such key to tune; there are io-threads"));
  EXPECT_THAT(Fault(redis, "t:hz"), HasSubstr("no service t is declared; add --service t"));
  ParameterRequest wide = For("s:hz");
  wide.range = IntegerRange{1, 5000};
  const auto refused = FindServiceTunables(redis, {wide}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("leaves what is allowed, which is 1 to 500"));
}

TEST_F(ServiceTunablesTest, AKeyIsSetOnlyToWhatItsHardRangeHoldsOrToWhatItIs) {
  const Services redis = Like("redis");
  const auto fault = [&](const std::string& text) {
    const auto fits = CheckKey(redis, {"s:hz", text}, {});
    return fits ? "" : fits.error().message;
  };
  EXPECT_EQ(fault("500"), "");
  EXPECT_EQ(fault("501"), "s:hz: 501 leaves what is allowed, which is 1 to 500");
  EXPECT_THAT(fault("often"), HasSubstr("s:hz: \"often\" does not read as an integer"));
  Write("hz 900\n");
  EXPECT_EQ(fault("900"), "");
}

TEST_F(ServiceTunablesTest, AFileThatIsNotFitToBeReplacedIsRefused) {
  const Services redis = Like("redis");
  Write("hz 10\n", "other");
  std::filesystem::create_symlink(File("other"), File());
  EXPECT_THAT(Fault(redis, "s:hz"), HasSubstr("a link to " + File("other").native()));
  std::filesystem::remove(File());
  std::filesystem::create_hard_link(File("other"), File());
  EXPECT_THAT(Fault(redis, "s:hz"), HasSubstr("second name"));
  std::filesystem::remove(File());
  std::filesystem::create_directory(File());
  EXPECT_THAT(Fault(redis, "s:hz"), HasSubstr("not a regular file"));
  std::filesystem::remove(File());
  Write("hz 10\n");
  ::chmod(File().c_str(), 0666);
  EXPECT_THAT(Fault(redis, "s:hz"), HasSubstr("everybody may write to it"));
  ::chmod(File().c_str(), 0644);
  EXPECT_EQ(Fault(redis, "s:hz"), "");
  if (::geteuid() != 0) return;  // Only root can give a file away.
  ASSERT_EQ(::chown(File().c_str(), 12345, 0), 0);
  EXPECT_THAT(Fault(redis, "s:hz"), HasSubstr("it belongs to user 12345"));
}

TEST_F(ServiceTunablesTest, SettingsOfKeysBecomeOneTextOfTheirFile) {
  Write("work_mem = 16MB\n");
  const Services postgres = Like("postgresql");
  auto files = FilesOf(postgres, {"s:work_mem", "/proc/sys/vm/swappiness"});
  const std::string path = PathOfFile(File().native());
  ASSERT_TRUE(files.contains(path));
  files[path].original = *ReadFileImage(File().native());
  EXPECT_EQ(WrittenPaths(postgres, {"s:work_mem", "/proc/sys/vm/swappiness", "s:jit"}),
            (std::vector<std::string>{"/proc/sys/vm/swappiness", path}));
  const auto settings = AsFileSettings(postgres,
                                       {{"s:work_mem", "64"},
                                        {"/proc/sys/vm/swappiness", "10"},
                                        {"s:wal_buffers", "-1"},
                                        {"s:jit", "off"}},
                                       files);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(*settings,
            (std::vector<Setting>{{"/proc/sys/vm/swappiness", "10"},
                                  {path, "work_mem = 64MB\nwal_buffers = -1\njit = off\n"}}));
}

}  // namespace
}  // namespace hone::sysctl
