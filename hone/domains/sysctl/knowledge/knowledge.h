// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/embedded_file.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"

namespace hone::sysctl {

// All that is known of kernel parameters, read from data/parameters/ when this was built.
// Immutable, so free to share.
class Knowledge {
 public:
  static const Knowledge& Builtin();

  // From documents of this form (name, text). An Error names the document and the path inside it.
  static Result<Knowledge> Read(const std::vector<EmbeddedFile>& documents);

  const std::vector<ParameterFacts>& all() const { return all_; }

  // By name, alias, path, or a concrete path that a pattern covers; what has the very name goes
  // before a pattern. Null: nothing is known.
  const ParameterFacts* Find(const std::string& name) const;

  // Names like it, best first: for "no such parameter; did you mean …".
  std::vector<std::string> Like(const std::string& name) const;

 private:
  std::vector<ParameterFacts> all_;
};

// Where the parameter may be found: the paths, or patterns of paths, of its name and its aliases.
std::vector<std::string> FormsOf(const ParameterFacts& facts);

// A parameter that a person asked to tune; what is not given is the knowledge base's to say.
struct ParameterRequest {
  std::string name;           // Known, an alias, a pattern, a path; dots or slashes.
  std::optional<Kind> range;  // Must lie inside the hard range.
  std::vector<SpecialValue> specials;
  bool is_unknown_allowed = false;     // --allow-unknown; then the range is required.
  bool is_disruption_allowed = false;  // --allow-disruptive: it may reset a link.
};

// A parameter that exists on this machine and may be tuned here.
struct Tunable {
  Parameter parameter;  // Its name is NameOfPath(path); its default is what is in force now.
  std::string path;
  std::string in_force;  // As the kernel shows it. Empty: it will exist only under its condition.
  Risk risk = Risk::kSafe;
  const ParameterFacts* facts = nullptr;  // Null where nothing is known. Lives for ever.
};

struct TunableSet {
  std::vector<Tunable> tunables;
  std::vector<LinearConstraint> constraints;  // From `below` and twins.
  Couplings couplings;
  std::vector<std::string> notes;  // What was left out or does nothing here, and why.
};

enum class Place { kHost, kNamespace };

// Finds the requested parameters on the machine: one for each device that a pattern matches,
// choices that the kernel offers, values in force. Refused with an Error that says what to do:
// denied, unknown, absent on this kernel, not writable here, not of this place, asked for twice,
// an empty or reversed range, a range outside the hard one, both of a pair of twins.
Result<TunableSet> FindTunables(KernelFiles& files, const Knowledge& knowledge,
                                const std::vector<ParameterRequest>& requests, Place place);

// An assignment as the texts to write, in an order in which the kernel takes them. Values equal
// to the parameter's default are left out: what is in force stays.
std::vector<Setting> SettingsFor(const TunableSet& set, const Assignment& assignment);

// The text that stands for a value; a boolean as `in_force` shows it: 0 and 1, N and Y, false and
// true, off and on, no and yes.
std::string TextOf(const Value& value, const std::string& in_force);

// The value that a text read from the kernel stands for; a word among the specials is itself.
// kInvalidArgument: it does not read as the parameter's kind.
Result<Value> ValueOf(const Kind& kind, const std::string& text,
                      const std::vector<SpecialValue>& specials = {});

}  // namespace hone::sysctl
