// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/kconfig/reason/actions.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/search.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::kconfig {

// The answers for a person; every text ends with a newline.
std::string ToText(const Tree& tree, const ValueReason& reason);
std::string ToText(const Tree& tree, const Possibility& possibility);
std::string ToText(const Tree& tree, const std::vector<RuleLine>& lines, std::size_t max);
std::string ToText(const Tree& tree, const std::vector<Dependent>& dependents, std::size_t max);
std::string ToText(const Tree& tree, const SearchHit& hit, bool wants_help);
std::string ToText(const Tree& tree, const MenuPage& page);
std::string ToText(const Tree& tree, const ActionsAnswer& answer);

// A solution as the difference of two .config files, what is to be set marked with *.
std::string ToText(const Configuration& start, const SolveAnswer& answer);

}  // namespace hone::kconfig
