// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/service_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/core/coordinate.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/services/service_texts.h"

namespace hone::sysctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json Declaration() {
  return {{"format", "hone-service"},
          {"format_version", 1},
          {"name", "cache"},
          {"file", "/etc/cache.conf"},
          {"form", "key value"},
          {"reload", {"cachectl", "reload"}},
          {"keys",
           {{{"key", "threads"},
             {"kind", {{"type", "integer"}, {"low", 1}, {"high", 8}}},
             {"default", "2"},
             {"summary", "How many threads serve."}}}}};
}

std::string WrongIn(const Json& document) {
  const auto read = ReadServiceFacts(document, "d");
  return read ? "" : read.error().message;
}

TEST(ServiceFactsTest, ADeclarationIsReadAndKeepsItsDocument) {
  const auto read = ReadServiceFacts(Declaration(), "d");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->keys.at(0).facts.name, "cache:threads");
  EXPECT_THAT((*read)->reload.arguments, ElementsAre("cachectl", "reload"));
  EXPECT_EQ((*read)->document, Declaration());
}

TEST(ServiceFactsTest, FaultsNameTheirPlace) {
  Json wrong = Declaration();
  wrong["file"] = "etc/../passwd";
  EXPECT_THAT(WrongIn(wrong), HasSubstr("d: /file: expected the whole path"));
  wrong = Declaration();
  wrong["reload"] = "cachectl reload";
  EXPECT_THAT(WrongIn(wrong), HasSubstr("/reload"));
  wrong = Declaration();
  wrong["reload"] = {"/bin/sh", "-c", "cachectl reload"};
  EXPECT_THAT(WrongIn(wrong), HasSubstr("without a shell"));
  wrong = Declaration();
  wrong["form"] = "ini";
  EXPECT_THAT(WrongIn(wrong), HasSubstr("/form"));
  wrong = Declaration();
  wrong["shell"] = "x";
  EXPECT_THAT(WrongIn(wrong), HasSubstr("shell"));
  wrong = Declaration();
  wrong["keys"][0].erase("default");
  EXPECT_THAT(WrongIn(wrong), HasSubstr("default"));
}

// Whatever a service is called, what decides safety in one that is known is not tuned.
TEST(ServiceFactsTest, AKeyThatIsProtectedCannotBeDeclared) {
  for (const char* key : {"fsync", "synchronous_commit", "full_page_writes", "appendfsync", "save",
                          "ssl_protocols", "tls-port", "requirepass", "user", "load_module",
                          "include", "FSYNC", "auth_basic", "password_encryption"}) {
    Json wrong = Declaration();
    wrong["keys"][0]["key"] = key;
    EXPECT_THAT(WrongIn(wrong), HasSubstr("is never tuned")) << key;
  }
}

TEST(ServiceFactsTest, OneThatIsLikeAnotherHasItsFormAndKeys) {
  Json document = {{"format", "hone-service"},
                   {"format_version", 1},
                   {"name", "web"},
                   {"like", "nginx"},
                   {"file", "/tmp/w.conf"}};
  const auto read = ReadServiceFacts(document, "d");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->form, ConfigForm::kBlocks);
  ASSERT_NE((*read)->Find("worker_connections"), nullptr);
  EXPECT_EQ((*read)->Find("worker_connections")->facts.name, "web:worker_connections");
  EXPECT_TRUE((*read)->reload.arguments.empty()) << "commands are not inherited";
  EXPECT_NE(WhyProtected(**read, "ssl_ciphers"), "");
  document["like"] = "apache";
  EXPECT_THAT(WrongIn(document), HasSubstr("apache"));
}

TEST(ServiceFactsTest, TheBuiltInServicesAreWhole) {
  EXPECT_THAT(ServiceNames(), ElementsAre("nginx", "postgresql", "redis"));
  for (const EmbeddedFile& file : ServiceTexts()) {
    const auto json = ParseJson(file.text, file.name);
    ASSERT_TRUE(json) << json.error().message;
    const auto service = ReadServiceFacts(*json, std::string(file.name));
    ASSERT_TRUE(service) << service.error().message;
    EXPECT_FALSE((*service)->reload.arguments.empty()) << file.name;
    EXPECT_FALSE((*service)->protected_keys.empty()) << file.name;
    for (const ServiceKey& key : (*service)->keys) {
      const auto* range = std::get_if<IntegerRange>(&key.facts.search);
      const bool grows = !key.facts.high_ram_shares.empty() && key.facts.high_ram_shares[0] > 0;
      EXPECT_TRUE(grows || FaultOf(key.facts.search).empty()) << key.facts.name;
      if (range != nullptr && key.facts.hard_low && key.facts.hard_high) {
        EXPECT_GE(range->low, *key.facts.hard_low) << key.facts.name;
        EXPECT_LE(range->high, *key.facts.hard_high) << key.facts.name;
      }
    }
  }
}

}  // namespace
}  // namespace hone::sysctl
