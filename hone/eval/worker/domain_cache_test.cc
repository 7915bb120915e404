// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/domain_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hone/testing/fake_domain.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

Options Flavour(const std::string& flavour) { return {{"flavour", flavour}}; }

TEST(DomainCacheTest, MakesEachOnceForItsNameAndOptions) {
  FakeScript script;
  DomainCache cache(FakeDomainTable(script));
  const auto sweet = cache.Get("fake", Flavour("sweet"));
  const auto again = cache.Get("fake", Flavour("sweet"));
  const auto sour = cache.Get("fake", Flavour("sour"));
  ASSERT_TRUE(sweet && again && sour);
  EXPECT_EQ(*sweet, *again);
  EXPECT_NE(*sweet, *sour);
  EXPECT_EQ(script.Notes().size(), 2);
}

TEST(DomainCacheTest, DropsWhatWasUsedLongestAgo) {
  FakeScript script;
  DomainCache cache(FakeDomainTable(script), 2);
  ASSERT_TRUE(cache.Get("fake", Flavour("a")));
  ASSERT_TRUE(cache.Get("fake", Flavour("b")));
  ASSERT_TRUE(cache.Get("fake", Flavour("a")));
  ASSERT_TRUE(cache.Get("fake", Flavour("c")));  // For which "b" goes.
  EXPECT_EQ(cache.size(), 2);
  ASSERT_TRUE(cache.Get("fake", Flavour("a")));
  EXPECT_EQ(script.Notes().size(), 3);
  ASSERT_TRUE(cache.Get("fake", Flavour("b")));
  EXPECT_EQ(script.Notes().size(), 4);
}

TEST(DomainCacheTest, NeverDropsWhatIsInUse) {
  FakeScript script;
  DomainCache cache(FakeDomainTable(script), 1);
  std::vector<std::shared_ptr<Domain>> used;
  for (const char* flavour : {"a", "b", "c"}) used.push_back(*cache.Get("fake", Flavour(flavour)));
  EXPECT_EQ(cache.size(), 3);
  used.clear();
  ASSERT_TRUE(cache.Get("fake", Flavour("d")));
  EXPECT_EQ(cache.size(), 1);
}

TEST(DomainCacheTest, StaysSmallOverManyOptions) {
  FakeScript script;
  DomainCache cache(FakeDomainTable(script), 8);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(cache.Get("fake", Flavour(std::to_string(i))));
  EXPECT_EQ(cache.size(), 8);
}

// One whose making waits until it is told how to end.
class SlowDomains {
 public:
  DomainTable Table() {
    DomainEntry entry{"fake", "", {{"flavour", "plain", ""}}, [this](const Options& options) {
                        return MakeOne(options);
                      }};
    return {{"fake", std::move(entry)}};
  }

  std::latch begun{1};
  std::promise<bool> end;

 private:
  Result<std::unique_ptr<Domain>> MakeOne(const Options& options) {
    if (options.at("flavour") == "slow" && !is_asked_.exchange(true)) {
      begun.count_down();
      if (!end.get_future().get()) throw std::runtime_error("no cheese");
    }
    return std::make_unique<FakeDomain>(script_);
  }

  std::atomic<bool> is_asked_ = false;
  FakeScript script_;
};

TEST(DomainCacheTest, OnlyThoseWhoAskForTheSameWait) {
  SlowDomains domains;
  DomainCache cache(domains.Table());
  const auto get = [&] { return *cache.Get("fake", Flavour("slow")); };
  auto first = std::async(std::launch::async, get);
  WaitUntil([&] { return domains.begun.try_wait(); }, "the slow one is being made");
  EXPECT_TRUE(cache.Get("fake", Flavour("quick")));
  auto second = std::async(std::launch::async, get);
  domains.end.set_value(true);
  EXPECT_EQ(first.get(), second.get());
}

TEST(DomainCacheTest, OneThatThrewIsTriedAgain) {
  SlowDomains domains;
  DomainCache cache(domains.Table());
  domains.end.set_value(false);
  EXPECT_THROW([[maybe_unused]] auto lost = cache.Get("fake", Flavour("slow")), std::runtime_error);
  EXPECT_TRUE(cache.Get("fake", Flavour("slow")));
  EXPECT_FALSE(cache.Get("fake", {{"unknown", "option"}}));
  EXPECT_EQ(cache.size(), 1);
}

}  // namespace
}  // namespace hone
