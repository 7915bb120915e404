// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/backends/build_cache.h"

namespace hone::compute {

// The compilers of this machine.
class CppCompiler {
 public:
  // Looks for g++ and clang++, once.
  static CppCompiler Find();

  bool is_there() const { return !versions_.empty(); }
  std::string Names() const;  // "g++, clang++"

  // As CheckCppProblem; kUnsupported: a compiler that is not there.
  Result<void> Check(const Problem& problem) const;

  // Everything that the build depends on.
  std::string KeyOf(const BuildOrder& order) const;

  // Compiles in a sandbox. nullopt inside: the limit or the stop came first.
  Result<std::optional<KeptBuild>> Compile(const BuildOrder& order) const;

 private:
  std::string CompilerOf(const Problem& problem) const;
  std::vector<std::string> ArgumentsOf(const BuildOrder& order) const;

  std::map<std::string, std::string> versions_;  // By name.
  std::string machine_;                          // What "native" stands for.
};

// What every compiler asks of a problem. kInvalidArgument: a flag or library that is not allowed.
Result<void> CheckCppProblem(const Problem& problem);

// What is included before the source: integer types, `scalar`, the declaration of the entry point.
std::string PreludeOf(const BuildOrder& order);

}  // namespace hone::compute
