// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hone::cli {

// The text as one word of a shell: always in single quotes, or only where it needs them.
std::string SingleQuoted(std::string_view text);
std::string ShellWord(std::string_view text);

// How the program was called, so that the commands it shows can be typed as they stand: also from
// a build folder, with another store, through sudo.
struct Invocation {
  std::string program = "hone";  // As a shell reads it.
  std::string store;             // What --store named; empty: it was not given.

  // "hone show toy-1 --store x.db" of "show toy-1".
  std::string Typed(std::string_view words) const;
};

// `program` is the first word of the command line. `environment` gives "" for what is not set.
Invocation InvocationOf(const std::string& program, const std::string& store,
                        const std::function<std::string(const std::string& name)>& environment);

}  // namespace hone::cli
