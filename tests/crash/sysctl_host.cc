// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/sysctl_host.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>

#include "hone/domains/sysctl/apply/journal.h"
#include "tests/crash/sysctl_parameters.h"

namespace hone::sysctl {

HostTest::HostTest() {
  std::vector<std::string> paths;
  for (const HarmlessParameter& parameter : HarmlessParameters(*files_)) {
    paths.push_back(parameter.path);
  }
  folders_ = FoldersAround(paths);
}

void HostTest::SetUp() {
  if (const std::string why = WhyHostIsOutOfReach(); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(folder_) << folder_.error().message;
  start_ = Snapshot::Take(*files_, folders_);
  has_started_ = true;
}

void HostTest::TearDown() {
  if (!has_started_) return;
  const auto changes = ChangesNow();
  if (changes.empty()) return;
  std::set<std::string> touched;
  const TransactionSettings settings = TransactionOnHost(*files_, Folder());
  touched.insert(settings.paths.begin(), settings.paths.end());
  for (const auto& twins : settings.couplings.twins) touched.insert({twins.one, twins.other});
  for (const auto& effect : settings.couplings.effects) touched.insert(effect.effect);
  for (const Change& change : changes) {
    ADD_FAILURE() << change.path << " was left at \"" << change.after << "\", was \""
                  << change.before << "\"";
    // What somebody else on this machine does meanwhile is not ours to undo.
    if (touched.contains(change.path) && change.before != "0") {
      EXPECT_TRUE(files_->Write(change.path, change.before));
    }
  }
}

bool HostTest::HasJournal() const { return std::filesystem::exists(Journal::PathIn(Folder())); }

std::vector<std::string> HostTest::Holder(const std::string& verb,
                                          const std::filesystem::path& folder, std::uint64_t seed) {
  return {HONE_SYSCTL_HOLDER, verb, folder.string(), std::to_string(seed)};
}

std::vector<pid_t> HostTest::ChildrenOf(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::ifstream list("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

std::optional<std::chrono::duration<double>> HostTest::Await(
    const std::function<bool()>& condition) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) {
    if (condition()) return std::chrono::steady_clock::now() - begin;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::nullopt;
}

std::vector<Change> HostTest::ChangesNow() {
  return ChangesBetween(start_, Snapshot::Take(*files_, folders_));
}

void HostTest::ExpectAsAtStart(const std::string& when) {
  for (const Change& change : ChangesNow()) {
    ADD_FAILURE() << when << ": " << change.path << " is \"" << change.after << "\", was \""
                  << change.before << "\"";
  }
}

void HostTest::AwaitLine(Killable& holder, const std::string& line) {
  for (std::string read = holder.ReadLine(); read != line; read = holder.ReadLine()) {
    ASSERT_FALSE(read.empty() || read == "failed") << "the holder ended before \"" << line << "\"";
  }
}

}  // namespace hone::sysctl
