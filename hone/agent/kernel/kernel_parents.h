// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hone/agent/kernel/kernel_attempt.h"
#include "hone/core/rng.h"

// Which attempts the next one is to begin from.
namespace hone::agent {

// Of the attempts of a line, `max` that follow each other, with the greatest sum of worth (of equal
// ones the latest): a model improves what was improved before. All of them if there are no more.
std::vector<KernelAttempt> BestWindow(const std::vector<KernelAttempt>& line, std::size_t max);

// What kind of kernel a source is, roughly: its length and what it makes use of. An archive keeps
// the best of each, so that one good idea does not crowd out all others.
std::string NicheOf(const std::string& source);

// The accepted attempts of an island that are the best of their kind.
class KernelArchive {
 public:
  void Add(const KernelAttempt& attempt);
  bool is_empty() const { return best_.empty(); }

  // The better of two that are drawn by lot. Not of an empty archive.
  const KernelAttempt& Draw(Rng& rng) const;

 private:
  std::map<std::string, KernelAttempt> best_;  // By niche.
};

}  // namespace hone::agent
