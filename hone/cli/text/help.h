// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hone/cli/verb.h"

namespace hone::cli {

// The flags that every verb takes.
const std::vector<Flag>& CommonFlags();

std::string OverviewText(const std::vector<Verb>& verbs);

// `more_help` of the verb included.
std::string HelpText(const Verb& verb);

// "tune [flags] DOMAIN"
std::string UsageOf(const Verb& verb);

// Up to the first full stop that a blank follows.
std::string FirstSentence(const std::string& text);

inline constexpr std::size_t kTextWidth = 80;  // Columns.

// The words in lines of at most this width, but for a word that is longer.
std::vector<std::string> Wrap(const std::string& text, std::size_t width);

using TwoColumnRows = std::vector<std::pair<std::string, std::string>>;

// Lines of two columns, the second one wrapped to the width of a terminal.
std::string TwoColumns(const TwoColumnRows& rows);

}  // namespace hone::cli
