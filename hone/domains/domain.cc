// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/core/nearest.h"

namespace hone {

Result<std::pair<RunResult, RunResult>> Session::RunTogether(const RunOrder&, const RunOrder&) {
  return Error{Errc::kUnsupported, "this domain makes one run at a time in a session"};
}

namespace {

// The named entry, if it knows all the options.
Result<const DomainEntry*> FindEntry(const DomainTable& table, const std::string& name,
                                     const Options& options) {
  const auto found = table.find(name);
  if (found == table.end()) {
    std::vector<std::string> names;
    for (const auto& [known, entry] : table) names.push_back(known);
    return Error{Errc::kNotFound, NoSuch("domain", name, names)};
  }
  const DomainEntry& entry = found->second;
  if (auto checked = CheckOptionNames(name, entry.options, options); !checked) {
    return checked.error();
  }
  return &entry;
}

}  // namespace

Result<void> CheckOptionNames(std::string_view of, const std::vector<OptionFacts>& known,
                              const Options& options) {
  for (const auto& [option, text] : options) {
    if (std::ranges::count(known, option, &OptionFacts::name) > 0) continue;
    std::vector<std::string> names;
    for (const OptionFacts& one : known) names.push_back(one.name);
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: {}", of, NoSuch("option", option, names))};
  }
  return {};
}

Result<std::unique_ptr<Domain>> MakeDomain(const DomainTable& table, const std::string& name,
                                           const Options& options) {
  const auto entry = FindEntry(table, name, options);
  if (!entry) return entry.error();
  return (*entry)->make(options);
}

Result<Capabilities> CheckDomain(const DomainTable& table, const std::string& name,
                                 const Options& options) {
  const auto entry = FindEntry(table, name, options);
  if (!entry) return entry.error();
  if ((*entry)->check) return (*entry)->check(options);
  const auto domain = (*entry)->make(options);
  if (!domain) return domain.error();
  return (*domain)->Facts().needs;
}

}  // namespace hone
