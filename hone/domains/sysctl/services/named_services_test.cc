// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/named_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFile = "found.json";

// What somebody sends who would like to run a program of theirs as root.
Json Hostile(const std::string& name) {
  return {{"format", "hone-service"},
          {"format_version", 1},
          {"name", name},
          {"like", "redis"},
          {"file", "/etc/cron.d/theirs"},
          {"check", {"/tmp/theirs"}},
          {"reload", {"/tmp/theirs", "now"}}};
}

Json BuiltinDocument(const std::string& name) { return (*FindService(name))->document; }

std::string Settings(const Json& services, const std::string& key) {
  return Json{{"format", "hone-settings"},
              {"services", services},
              {"settings", {{{"path", key}, {"after", "50"}}}}}
      .dump();
}

std::string FaultOf(const std::string& text, const Services& chosen = {}) {
  const auto services = ServicesIn(text, kFile, chosen);
  return services ? "" : services.error().message;
}

Services Chosen(const Json& declaration) {
  const auto service = ReadServiceFacts(declaration, "mine.json");
  EXPECT_TRUE(service) << service.error().message;
  return {*service};
}

TEST(NamedServicesTest, ASettingsFileNamesAServiceAndHoneHasTheRest) {
  for (const Json& services :
       {Json::array(), Json::array({"redis"}), Json::array({BuiltinDocument("redis")})}) {
    const auto found = ServicesIn(Settings(services, "redis:hz"), kFile, {});
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front(), *FindService("redis")) << services;
  }
}

TEST(NamedServicesTest, CommandsAndFilesOfASettingsFileAreRefused) {
  EXPECT_THAT(FaultOf(Settings(Json::array({Hostile("redis")}), "redis:hz")),
              HasSubstr("found.json: /services/0: a declaration, with a file and commands of its "
                        "own, and those are not taken from settings; add --service redis for "
                        "Hone's own, or --service FILE"));
  EXPECT_THAT(FaultOf(Settings(Json::array({Hostile("cache")}), "cache:hz")),
              HasSubstr("add --service FILE"));
  EXPECT_THAT(FaultOf(Settings(Json::array({Hostile("cache")}), "/proc/sys/vm/swappiness")),
              HasSubstr("add --service FILE"))
      << "nor where no key is set";
}

// Whatever member is another one, it is not Hone's declaration any more.
TEST(NamedServicesTest, ABuiltInDeclarationIsTakenOnlyWhole) {
  for (const std::string& name : ServiceNames()) {
    const Json builtin = BuiltinDocument(name);
    for (const auto& [member, value] : builtin.items()) {
      if (member == "name") continue;
      Json changed = builtin;
      changed[member] = value.is_array() ? Json::array({"/tmp/theirs"}) : Json("theirs");
      EXPECT_NE(FaultOf(Settings(Json::array({changed}), "redis:hz")), "")
          << name << ": " << member;
      changed.erase(member);
      EXPECT_NE(FaultOf(Settings(Json::array({changed}), "redis:hz")), "")
          << name << " without " << member;
    }
    for (const char* const member : {"check", "reload", "owner", "reads", "like"}) {
      Json changed = builtin;
      changed[member] = Json::array({"/tmp/theirs"});
      EXPECT_NE(FaultOf(Settings(Json::array({changed}), "redis:hz")), "")
          << name << ": " << member;
    }
  }
}

TEST(NamedServicesTest, WhatTheUserNamedIsUsedAndNothingOfTheFile) {
  Json mine = Hostile("cache");
  mine["file"] = "/etc/cache.conf";
  mine["reload"] = {"cachectl", "reload"};
  mine.erase("check");
  const Services chosen = Chosen(mine);
  for (const Json& services :
       {Json::array(), Json::array({"cache"}), Json::array({Hostile("cache")})}) {
    const auto found = ServicesIn(Settings(services, "cache:hz"), kFile, chosen);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front()->file, "/etc/cache.conf");
    EXPECT_THAT(found->front()->reload.arguments, ElementsAre("cachectl", "reload"));
    EXPECT_TRUE(found->front()->check.empty());
  }
}

TEST(NamedServicesTest, WhatTheUserNamedGoesBeforeHonesOwn) {
  Json mine = Hostile("redis");
  mine["file"] = "/srv/redis.conf";
  const auto found = ServicesIn(Settings(Json::array({"redis"}), "redis:hz"), kFile, Chosen(mine));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front()->file, "/srv/redis.conf");
}

TEST(NamedServicesTest, AServiceThatNobodyDeclaredSaysWhatToAdd) {
  EXPECT_THAT(FaultOf(Settings(Json::array(), "cache:hz")),
              HasSubstr("found.json: cache is no service that Hone knows"));
  EXPECT_THAT(FaultOf(Settings(Json::array({"cache"}), "redis:hz")),
              HasSubstr("add --service FILE"));
  EXPECT_THAT(FaultOf(Settings(Json::array({"\x1b[2J"}), "redis:hz")),
              HasSubstr("what stands before a colon"));
  EXPECT_THAT(FaultOf(Settings(Json::array({7}), "redis:hz")), HasSubstr("/services/0"));
  EXPECT_THAT(FaultOf(Settings("redis", "redis:hz")), HasSubstr("/services"));
}

// What --service takes as a file is a name like any other here.
TEST(NamedServicesTest, ASettingsFileCannotPointToADeclaration) {
  const auto folder = TempDir::Make("named");
  ASSERT_TRUE(folder);
  const std::string theirs = folder->path() / "theirs.json";
  ASSERT_TRUE(WriteFileDurably(theirs, Hostile("cache").dump()));
  ASSERT_TRUE(ReadServiceNamed(theirs)) << "the user may";
  EXPECT_NE(FaultOf(Settings(Json::array({theirs}), "cache:hz")), "");
  EXPECT_FALSE(ServicesOf({theirs}, kFile, {}));
}

// A stored run says which keys it set; its declaration stays with the workload that it ran.
TEST(NamedServicesTest, PathsNameTheirServices) {
  const std::vector<std::string> paths{"redis:hz", "/proc/sys/vm/swappiness", "nginx:sendfile",
                                       "redis:io-threads"};
  EXPECT_THAT(ServicesAmong(paths), ElementsAre("nginx", "redis"));
  EXPECT_FALSE(ServicesOf({"cache"}, "cache-3", {}));
}

}  // namespace
}  // namespace hone::sysctl
