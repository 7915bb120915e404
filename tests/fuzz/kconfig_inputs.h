// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// What the fuzzer feeds to hone/kconfig. Any bytes are fine; a broken promise aborts. The corpus
// (tests/fuzz/corpus) is replayed by kconfig_fuzz_test, with or without the fuzzer.
namespace hone::kconfig {

// The first byte names the dialect ('a' is the first of DialectNames). The rest are Kconfig files,
// parted by 0x1c: the root, then "a", "b" and so on. What parses is evaluated and written.
void FuzzParser(std::string_view input);

// Lines for the macro expander: assignments, and texts to be expanded.
void FuzzMacros(std::string_view input);

// The first byte is a dialect, the rest a .config for a tree that has a symbol of every kind. Its
// lines are then set one by one: after each, evaluating all anew must change nothing.
void FuzzConfig(std::string_view input);

}  // namespace hone::kconfig
