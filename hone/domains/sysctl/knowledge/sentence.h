// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"

// From a plain sentence ("optimise for memory-intensive workloads") to what to tune, by rules that
// need nothing but this file and the knowledge base.
namespace hone::sysctl {

// A preset as far as these rules need it.
struct SentencePreset {
  std::string name;                     // "nginx"
  std::vector<std::string> words;       // "web", "http"; the first is what it is mainly about.
  std::vector<std::string> parameters;  // Names and patterns, as in the preset.
  Place place = Place::kHost;
};

struct SentenceChoice {
  std::string preset;
  std::vector<std::string> parameters;  // The preset's own.
  std::vector<std::string> added;       // Safe or sticky ones that matter for the same, best first;
                                        // some may not be there on this machine.
  std::vector<std::string> because;     // "memory (memory-intensive)": what was understood.
  std::vector<std::string> without;     // What the sentence asked to leave aside.
  std::set<std::string> aims;           // "latency", "throughput": what is to become better.
  bool is_about_tail = false;           // Of the latency: "p99", "jitter".
  std::vector<std::string> ignored;     // Words that mean nothing here, in their order.
};

// Whether a parameter may be tuned beside those of a preset: it is gentle and always there, works
// where the preset runs, and neither it nor its twin is among the preset's own.
bool MayAdd(const ParameterFacts& facts, const SentencePreset& preset);

// Chooses the preset whose words fit best. A sentence that fits none, or two equally well, is an
// Error that says what was understood and what there is.
Result<SentenceChoice> ChooseFor(const std::string& sentence,
                                 const std::vector<SentencePreset>& presets,
                                 const Knowledge& knowledge);

}  // namespace hone::sysctl
