// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hone/domains/domain.h"
#include "hone/eval/worker/run_watch.h"

// A domain whose sessions do what a test tells them, for the tests of blocks and workers.
namespace hone {

// What happens in sessions, and what happened. Safe for concurrent use once set up.
struct FakeScript {
  std::function<Result<RunResult>(const Candidate&)> prepare = [](const Candidate&) {
    return RunResult{};
  };
  std::function<Result<RunResult>(const RunOrder&)> run = [](const RunOrder&) {
    return ScoreOf(1);
  };

  bool needs_slot = false;
  bool changes_host = false;
  bool reads_host = false;
  Space space;  // Its defaults are the baseline.

  static RunResult ScoreOf(double score) {
    RunResult result;
    result.sample.metrics = {{"score", {score, 0.25, 4}}};
    return result;
  }

  // One word for each thing that happened: "open", "close".
  void Note(const std::string& what) {
    const std::lock_guard lock(mutex);
    notes.push_back(what);
  }
  std::vector<std::string> Notes() {
    const std::lock_guard lock(mutex);
    return notes;
  }

  std::mutex mutex;
  std::vector<std::string> notes;
};

class FakeSession final : public Session {
 public:
  explicit FakeSession(FakeScript& script) : script_(script) { script_.Note("open"); }
  ~FakeSession() override { script_.Note("close"); }

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& /*stop*/) override {
    return script_.prepare(candidate);
  }
  Result<RunResult> Run(const RunOrder& order) override { return script_.run(order); }

  // Notes "together"; the two are then run as the script says.
  Result<std::pair<RunResult, RunResult>> RunTogether(const RunOrder& first,
                                                      const RunOrder& second) override {
    script_.Note("together");
    auto one = script_.run(first);
    if (!one) return one.error();
    auto other = script_.run(second);
    if (!other) return other.error();
    return std::pair(std::move(*one), std::move(*other));
  }

 private:
  FakeScript& script_;
};

class FakeDomain final : public Domain {
 public:
  explicit FakeDomain(FakeScript& script)
      : script_(script), facts_(MakeFacts(script)), space_(script.space) {}

  static DomainFacts MakeFacts(const FakeScript& script = {}) {
    DomainFacts facts;
    facts.name = "fake";
    facts.needs_slot = script.needs_slot;
    facts.changes_host = script.changes_host;
    facts.metrics = {{"score", "points", Direction::kHigherIsBetter, ""}};
    return facts;
  }

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return space_; }
  Candidate Baseline() const override { return {space_.Defaults(), ""}; }
  Result<std::unique_ptr<Session>> Open() override {
    return std::make_unique<FakeSession>(script_);
  }

 private:
  FakeScript& script_;
  const DomainFacts facts_;
  const Space space_;
};

// One domain, "fake", with one option, "flavour".
inline DomainTable FakeDomainTable(FakeScript& script) {
  DomainEntry entry{"fake", "", {{"flavour", "plain", ""}}, [&script](const Options&) {
                      script.Note("make");
                      return Result<std::unique_ptr<Domain>>(std::make_unique<FakeDomain>(script));
                    }};
  entry.reads_host = script.reads_host;
  return {{"fake", std::move(entry)}};
}

class FakeWatch final : public RunWatch {
 public:
  std::map<std::string, std::string> Facts() const override { return {{"cpu", "fake"}}; }
  void Begin() override { is_watching_ = true; }
  std::vector<std::string> End() override {
    return std::exchange(is_watching_, false) ? std::vector<std::string>{"load 3.2"}
                                              : std::vector<std::string>{};
  }

 private:
  bool is_watching_ = false;
};

}  // namespace hone
