// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::kernels {

inline constexpr int kKnowledgeVersion = 1;

// How much better an aim fares at the better value, where somebody published it.
struct OptionEffect {
  std::string aim;
  double low = 0;  // Equal to `high` where it is one number.
  double high = 0;
  std::string unit;  // "%", "times", "bytes", "KiB", "MiB" or "s".
};

// What is known of an option of Linux before anything is measured.
struct KnownOption {
  std::string name;                           // Without CONFIG_.
  std::vector<std::string> about;             // Topics; the first is the main one.
  std::map<std::string, std::string> better;  // By aim: y, n, higher or lower.
  std::vector<OptionEffect> effects;
  std::string why;                    // One sentence.
  std::string source;                 // A file of the kernel's source, or an address.
  std::string since = {};             // First version that has it; empty: for long.
  std::string until = {};             // Last one; empty: still there.
  std::vector<std::string> arches{};  // Processors that have it, as ARCH; empty: all.
  std::string protected_for = {};     // "security" or "boot" if it is in protected.txt.
};

// "throughput 3 to 5 %"
std::string EffectText(const OptionEffect& effect);

// In one line: what is better for which aim, what was published, and why.
std::string SummaryOf(const KnownOption& known);

// Words of KnownOption::about, and of KnownOption::better.
const std::vector<std::string>& KnownTopics();
const std::vector<std::string>& KnownAims();

// data/kernels/knowledge.json; docs/formats/kernel-options.md describes it.
class OptionKnowledge {
 public:
  // Strict: an unknown member, topic, aim or unit, or a name that is there twice, is an Error.
  static Result<OptionKnowledge> Read(const std::string& text, const std::string& what);

  static const OptionKnowledge& BuiltIn();

  const std::vector<KnownOption>& all() const { return all_; }  // In the order of the file.
  const KnownOption* Find(std::string_view name) const;         // nullptr if nothing is known.

 private:
  std::vector<KnownOption> all_;
};

}  // namespace hone::kernels
