// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/base/json/json.h"
#include "hone/kconfig/reason/actions.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/search.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::kconfig {

// The answers as JSON; docs/kconfig-reasoning.md has the form.
Json ToJson(const Tree& tree, const ValueReason& reason);
Json ToJson(const Tree& tree, const Possibility& possibility);
Json ToJson(const Tree& tree, const std::vector<RuleLine>& lines);
Json ToJson(const Tree& tree, const std::vector<Dependent>& dependents);
Json ToJson(const Tree& tree, const SolveAnswer& answer);
Json ToJson(const Tree& tree, const ActionsAnswer& answer);
Json ToJson(const Tree& tree, const SearchHit& hit);
Json ToJson(const Tree& tree, const MenuPage& page);
Json ToJson(const Tree& tree, const std::vector<QuestionGroup>& groups);
Json ToJson(const Tree& tree, const std::vector<Change>& changes);

}  // namespace hone::kconfig
