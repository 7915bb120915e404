// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"

namespace hone {

// Reads a domain's options strictly; where one is not given, its declared default is read. The
// first fault is kept and names the option, what was found and what is allowed. After a fault
// reads give any allowed value, so that a reader can be written straight down and checked once.
class OptionReader {
 public:
  // Both outlive the reader. Only declared options may be read.
  OptionReader(std::string domain, const std::vector<OptionFacts>& declared,
               const Options& options);

  double Number(std::string_view name, double low, double high);
  std::int64_t Integer(std::string_view name, std::int64_t low, std::int64_t high);
  std::string Choice(std::string_view name, const std::vector<std::string>& allowed);
  std::string Text(std::string_view name);

  // For what a single read cannot see, such as two options that exclude each other.
  void Fail(std::string_view name, std::string_view message);

  Result<void> Finish() const;  // The first fault, if any.

 private:
  void Expect(std::string_view name, std::string_view allowed);

  std::string domain_;
  const std::vector<OptionFacts>& declared_;
  const Options& options_;
  std::string fault_;
};

}  // namespace hone
