// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/explain_no_worker.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

WorkerCard Worker(const std::string& name, Capabilities has) {
  WorkerCard card;
  card.name = name;
  card.host = "ada";
  card.has = std::move(has);
  return card;
}

TEST(ExplainNoWorkerTest, SaysNothingIfOneCan) {
  EXPECT_EQ(ExplainNoWorker({{"cpp"}, 100}, {Worker("a", {}), Worker("b", {{"cpp", "root"}, 100})}),
            "");
}

TEST(ExplainNoWorkerTest, SaysThatThereIsNoWorker) {
  EXPECT_EQ(ExplainNoWorker({{"cpp"}, 0}, {}), "there is no worker; start one with `hone worker`");
}

TEST(ExplainNoWorkerTest, NamesWhatNobodyOffersAndWhoIsNearest) {
  EXPECT_EQ(
      ExplainNoWorker({{"gpu", "torch", "triton"}, 0},
                      {Worker("a", {}), Worker("b", {{"torch"}, 0}), Worker("c", {{"cpp"}, 0})}),
      "no worker of 3 offers gpu and triton; the nearest, b on ada, lacks gpu and triton");
}

TEST(ExplainNoWorkerTest, SaysHowMuchMemoryThereIs) {
  EXPECT_EQ(ExplainNoWorker({{"cpp"}, 4096}, {Worker("a", {{"cpp"}, 2048})}),
            "no worker of 1 offers 4096 MiB of memory; the nearest, a on ada, lacks 4096 MiB of "
            "memory (it has 2048)");
}

TEST(ExplainNoWorkerTest, SaysWhenNobodyHasItAllTogether) {
  EXPECT_EQ(ExplainNoWorker({{"cpp", "root"}, 0},
                            {Worker("a", {{"cpp"}, 0}), Worker("b", {{"root"}, 0})}),
            "no worker has all that the task needs together; the nearest, a on ada, lacks root");
}

}  // namespace
}  // namespace hone
