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

Task Needing(Capabilities needs, const std::string& owner = kEverybody) {
  Task task;
  task.needs = std::move(needs);
  task.owner = owner;
  return task;
}

TEST(ExplainNoWorkerTest, SaysNothingIfOneCan) {
  EXPECT_EQ(ExplainNoWorker(Needing({{"cpp"}, 100}),
                            {Worker("a", {}), Worker("b", {{"cpp", "root"}, 100})}),
            "");
}

TEST(ExplainNoWorkerTest, SaysThatThereIsNoWorker) {
  EXPECT_EQ(ExplainNoWorker(Needing({{"cpp"}, 0}), {}),
            "there is no worker; start one with `hone worker`");
}

TEST(ExplainNoWorkerTest, NamesWhatNobodyOffersAndWhoIsNearest) {
  EXPECT_EQ(
      ExplainNoWorker(Needing({{"gpu", "torch", "triton"}, 0}),
                      {Worker("a", {}), Worker("b", {{"torch"}, 0}), Worker("c", {{"cpp"}, 0})}),
      "no worker of 3 offers gpu and triton; the nearest, b on ada, lacks gpu and triton");
}

TEST(ExplainNoWorkerTest, SaysHowMuchMemoryThereIs) {
  EXPECT_EQ(ExplainNoWorker(Needing({{"cpp"}, 4096}), {Worker("a", {{"cpp"}, 2048})}),
            "no worker of 1 offers 4096 MiB of memory; the nearest, a on ada, lacks 4096 MiB of "
            "memory (it has 2048)");
}

TEST(ExplainNoWorkerTest, SaysWhenNobodyHasItAllTogether) {
  EXPECT_EQ(ExplainNoWorker(Needing({{"cpp", "root"}, 0}),
                            {Worker("a", {{"cpp"}, 0}), Worker("b", {{"root"}, 0})}),
            "no worker has all that the task needs together; the nearest, a on ada, lacks root");
}

TEST(ExplainNoWorkerTest, SaysHowAWorkerIsToldForWhomItWorks) {
  WorkerCard of_ops = Worker("a", {});
  of_ops.serves = {"ops"};
  EXPECT_EQ(ExplainNoWorker(Needing({}, "ops"), {of_ops}), "");
  EXPECT_EQ(ExplainNoWorker(Needing({}, "ops"), {Worker("b", {})}),
            "no worker of 1 works for ops; start one with `hone worker --for ops`");
  EXPECT_EQ(ExplainNoWorker(Needing({}), {of_ops}),
            "no worker of 1 works for everybody; start one with `hone worker`");
  EXPECT_EQ(ExplainNoWorker(Needing({}, "ops"), {}),
            "there is no worker; start one with `hone worker --for ops`");
}

}  // namespace
}  // namespace hone
