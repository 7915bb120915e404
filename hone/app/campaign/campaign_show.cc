// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/campaign_show.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/json/records.h"
#include "hone/base/machine_text.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/tune/campaign/campaign_json.h"

namespace hone::app {
namespace {

constexpr std::chrono::seconds kTick{2};

double Seconds(std::chrono::duration<double> duration) { return duration.count(); }

Json CurrentJson(const RewardRule& rule, const tune::Progress::Current& current) {
  Json rewards = Json::array();
  for (const double reward : current.rewards) {
    rewards.push_back(tune::FiniteOrNull(tune::ShareOf(rule, reward)));
  }
  return {
      {"trial", current.trial ? Json(*current.trial) : Json(nullptr)},
      {"changes", current.change},
      {"rewards", std::move(rewards)},
      {"reward", current.rewards.empty() ? Json(nullptr) : tune::ShareJson(rule, current.reward)}};
}

Json ProgressJson(const RewardRule& rule, const tune::Progress& progress, double elapsed,
                  const std::string& control) {
  Json json{{"phase", NameOf(progress.phase)},
            {"done", progress.done},
            {"planned", progress.planned},
            {"trials", progress.trials},
            {"runs", progress.runs},
            {"measured_s", Seconds(progress.measured)},
            {"remaining_s", nullptr},
            {"elapsed_s", elapsed},
            {"best", nullptr},
            {"current", nullptr},
            {"message", progress.message},
            {"control", control}};
  if (progress.remaining.count() > 0) json["remaining_s"] = Seconds(progress.remaining);
  if (progress.best) {
    json["best"] = {{"changes", progress.best->change},
                    {"reward", tune::ShareJson(rule, progress.best->reward)}};
  }
  if (progress.current) json["current"] = CurrentJson(rule, *progress.current);
  return json;
}

// The avg10 of the line "some", in per cent.
Json SomeOf(const std::string& resource) {
  const auto text = ReadFile("/proc/pressure/" + resource);
  if (!text) return nullptr;
  const auto place = text->find("some avg10=");
  if (place == text->npos) return nullptr;
  const auto number = ParseFirstNumber(std::string_view(*text).substr(place + 11));
  return number ? tune::FiniteOrNull(*number) : Json(nullptr);
}

}  // namespace

Json PressureJson(Clock& clock) {
  const auto load = ReadFile("/proc/loadavg");
  const auto number = load ? ParseFirstNumber(*load) : std::nullopt;
  return {{"at", IsoTime(clock.Wall())},
          {"cpu", SomeOf("cpu")},
          {"memory", SomeOf("memory")},
          {"io", SomeOf("io")},
          {"load", number ? tune::FiniteOrNull(*number) : Json(0)}};
}

Json JournalJson(const std::filesystem::path& folder) {
  const auto journal = sysctl::Journal::Read(folder);
  Json entries = Json::array();
  if (!journal) {
    return {{"is_clean", false},
            {"changed", 0},
            {"sentence", "the journal cannot be read: " + journal.error().message},
            {"entries", entries}};
  }
  if (!*journal) {
    return {{"is_clean", true},
            {"changed", 0},
            {"sentence", "no parameter is changed"},
            {"entries", entries}};
  }
  for (const auto& [path, held] : (*journal)->state.parameters) {
    if (!held.is_pending && held.last && *held.last == held.original) continue;
    entries.push_back({{"name", sysctl::NameOfPath(path)},
                       {"original", held.original},
                       {"now", held.is_pending ? "being written" : held.last.value_or("gone")}});
  }
  const std::size_t changed = entries.size();
  const std::string count = changed == 0
                                ? "no parameter"
                                : fmt::format("{} parameter{}", changed, changed == 1 ? "" : "s");
  return {{"is_clean", changed == 0},
          {"changed", changed},
          {"sentence", count + " changed, originals safe on disk"},
          {"entries", std::move(entries)}};
}

CampaignShow::CampaignShow(std::shared_ptr<server::LiveCampaign> live, RewardRule rule,
                           Clock& clock, std::function<Json()> journal)
    : live_(std::move(live)),
      rule_(std::move(rule)),
      clock_(clock),
      journal_(std::move(journal)),
      began_(clock.Now()),
      ticker_([this](const std::stop_token& stop) { Run(stop); }) {}

CampaignShow::~CampaignShow() {
  ticker_.request_stop();
  ticker_.join();
  Tick();
}

void CampaignShow::Show(const tune::Progress& progress) {
  bool is_new_phase = false;
  bool is_new_failure = false;
  {
    const std::lock_guard lock(mutex_);
    is_new_phase = !last_ || last_->phase != progress.phase;
    is_new_failure =
        progress.current && !progress.current->failure.empty() &&
        !(last_ && last_->current && last_->current->trial == progress.current->trial &&
          last_->current->failure == progress.current->failure);
    last_ = progress;
  }
  if (is_new_phase) Say("info", fmt::format("{} begins", NameOf(progress.phase)));
  if (!progress.message.empty()) Say("info", progress.message);
  if (is_new_failure) {
    Say("warning", fmt::format("{} ({})", progress.current->failure, progress.current->change));
  }
  ShowState();
}

void CampaignShow::ShowState() {
  const std::string control = live_->control().State();
  const std::lock_guard lock(mutex_);
  const tune::Progress progress = last_.value_or(tune::Progress{});
  live_->Show("progress", ProgressJson(rule_, progress, Seconds(clock_.Now() - began_), control));
}

void CampaignShow::Tick() {
  live_->Show("pressure", PressureJson(clock_));
  if (journal_) live_->Show("journal", journal_());
  ShowState();
}

void CampaignShow::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Tick();
    SleepUntilStop(clock_, kTick, stop);
  }
}

}  // namespace hone::app
