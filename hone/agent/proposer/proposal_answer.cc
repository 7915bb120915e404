// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/proposal_answer.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>

#include "hone/agent/chat/plain_text.h"
#include "hone/core/nearest.h"
#include "hone/core/result.h"

namespace hone::agent {
namespace {

constexpr JsonLimits kAnswerLimits{.bytes = 256 << 10, .depth = 16};
constexpr std::size_t kMaxWords = 160;  // Bytes of the model's own words that are kept.
constexpr std::size_t kMaxWhy = 300;
constexpr std::string_view kThoughtEnd = "</think>";
constexpr std::string_view kFence = "```";

template <typename Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A whole number, also where it is written as 4096.0 or 4e3.
std::optional<std::int64_t> IntegerIn(std::string_view text) {
  if (const auto plain = WholeNumber<std::int64_t>(text)) return plain;
  const auto real = WholeNumber<double>(text);
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it not every integer is a double.
  if (!real || !(std::abs(*real) <= kExact) || *real != std::floor(*real)) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<Value> SpecialIn(const Parameter& parameter, const std::string& text) {
  for (const SpecialValue& special : parameter.specials) {
    if (ToText(special.value) == text) return special.value;
  }
  return std::nullopt;
}

std::optional<Value> TupleIn(const std::string& text) {
  std::vector<std::int64_t> parts;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.back() == ',') word.pop_back();
    const auto part = IntegerIn(word);
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  return Value(std::move(parts));
}

// A value of the parameter's kind; whether it lies in the range is the space's to say.
std::optional<Value> ValueIn(const Parameter& parameter, const std::string& text) {
  if (auto special = SpecialIn(parameter, text)) return special;
  if (text == ToText(parameter.default_value)) return parameter.default_value;
  if (std::holds_alternative<IntegerRange>(parameter.kind)) {
    if (const auto number = IntegerIn(text)) return Value(*number);
    return std::nullopt;
  }
  if (std::holds_alternative<RealRange>(parameter.kind)) {
    const auto number = WholeNumber<double>(text);
    if (number && std::isfinite(*number)) return Value(*number);
    return std::nullopt;
  }
  if (std::holds_alternative<Boolean>(parameter.kind)) {
    if (text == "true" || text == "1" || text == "y" || text == "yes" || text == "on") return true;
    if (text == "false" || text == "0" || text == "n" || text == "no" || text == "off") {
      return false;
    }
    return std::nullopt;
  }
  if (std::holds_alternative<OrderedTuple>(parameter.kind)) return TupleIn(text);
  return Value(text);
}

// What a JSON value says as a text that ValueIn reads.
std::optional<std::string> TextOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  if (json.is_number()) return Dump(json);
  if (!json.is_array()) return std::nullopt;
  std::string text;
  for (const Json& part : json) {
    if (!part.is_number()) return std::nullopt;
    text += (text.empty() ? "" : " ") + Dump(part);
  }
  return text;
}

using Changes = std::vector<std::pair<std::string, Json>>;

Result<Changes> ChangesIn(const Json& candidate) {
  const Error fault{Errc::kInvalidArgument,
                    R"("set" must be a list of {"name": …, "value": …} with at least one entry)"};
  if (!candidate.is_object() || !candidate.contains("set")) return fault;
  const Json& set = candidate["set"];
  Changes changes;
  if (set.is_object()) {
    for (const auto& [name, value] : set.items()) changes.emplace_back(name, value);
  } else if (set.is_array()) {
    for (const Json& entry : set) {
      if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
          !entry.contains("value")) {
        return fault;
      }
      changes.emplace_back(entry["name"].get<std::string>(), entry["value"]);
    }
  }
  if (changes.empty()) return fault;
  return changes;
}

// Where the candidate starts from.
Result<Assignment> OriginOf(const Json& candidate, const ProposalGround& ground) {
  if (!candidate.contains("from") || candidate["from"].is_null()) return ground.baseline;
  const Json& from = candidate["from"];
  if (from.is_number_integer()) {
    const auto number = from.get<std::int64_t>();
    if (number == -1) return ground.baseline;
    const auto trial = ground.trials.find(number);
    if (trial != ground.trials.end()) return trial->second.candidate.assignment;
  }
  if (from == "baseline") return ground.baseline;
  return Error{Errc::kInvalidArgument, "\"from\" must be -1 for the baseline or a trial's number"};
}

std::vector<std::string> NamesOf(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  return names;
}

// The forms in which people write a name: CONFIG_SECCOMP, /proc/sys/kernel/panic, kernel/panic.
std::vector<std::string> FormsOfName(const std::string& name) {
  constexpr std::string_view kConfig = "CONFIG_";
  constexpr std::string_view kProcSys = "/proc/sys/";
  std::vector<std::string> forms{name};
  if (name.starts_with(kConfig)) forms.push_back(name.substr(kConfig.size()));
  std::string dotted = name.starts_with(kProcSys) ? name.substr(kProcSys.size()) : name;
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  forms.push_back(std::move(dotted));
  return forms;
}

// Empty if nothing forbids it.
std::string WhyForbidden(const std::string& name,
                         const std::map<std::string, std::string>& forbidden) {
  for (const std::string& form : FormsOfName(name)) {
    for (const auto& [pattern, why] : forbidden) {
      if (::fnmatch(pattern.c_str(), form.c_str(), 0) == 0) return why;
    }
  }
  return "";
}

Result<std::pair<const Parameter*, Value>> ChangeIn(const std::string& name, const Json& json,
                                                    const ProposalGround& ground) {
  const auto fail = [](std::string reason) {
    return Error{Errc::kInvalidArgument, std::move(reason)};
  };
  const Space& space = ground.space;
  const auto index = space.IndexOf(name);
  if (!index) {
    const std::string why = WhyForbidden(name, ground.forbidden);
    if (!why.empty()) {
      return fail(fmt::format("{}: it is never tuned: {}", QuotedLine(name, kMaxWords), why));
    }
    const auto meant = Nearest(name, NamesOf(space));
    return fail(fmt::format("{}: no such parameter{}", QuotedLine(name, kMaxWords),
                            meant ? "; did you mean " + *meant + "?" : ""));
  }
  const Parameter& parameter = space.parameters()[*index];
  const auto text = TextOf(json);
  auto value = text ? ValueIn(parameter, *text) : std::nullopt;
  if (!value) {
    return fail(fmt::format("{}: {} is no value of its kind", parameter.name,
                            QuotedLine(Dump(json), kMaxWords)));
  }
  return std::pair(&parameter, std::move(*value));
}

// What these parameters need to exist, and they themselves.
std::set<std::string> WithParents(const std::vector<const Parameter*>& named, const Space& space) {
  std::set<std::string> names;
  for (const Parameter* parameter : named) {
    while (names.insert(parameter->name).second && parameter->condition) {
      parameter = &space.parameters()[*space.IndexOf(parameter->condition->parent)];
    }
  }
  return names;
}

// It may still be outside of the space.
Result<Proposal> ProposalIn(const Json& candidate, const ProposalGround& ground) {
  auto changes = ChangesIn(candidate);
  if (!changes) return changes.error();
  auto origin = OriginOf(candidate, ground);
  if (!origin) return origin.error();
  Proposal proposal{.assignment = std::move(*origin)};
  std::vector<const Parameter*> named;
  for (const auto& [name, json] : *changes) {
    auto change = ChangeIn(name, json, ground);
    if (!change) return change.error();
    named.push_back(change->first);
    proposal.assignment[name] = std::move(change->second);
  }
  proposal.assignment = Settled(std::move(proposal.assignment), ground.space);
  for (const Parameter* parameter : named) {
    if (proposal.assignment.contains(parameter->name)) continue;
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: it exists only while {} has another value", parameter->name,
                             parameter->condition->parent)};
  }
  proposal.set = WithParents(named, ground.space);
  if (candidate.contains("why") && candidate["why"].is_string()) {
    proposal.why = QuotedLine(candidate["why"].get<std::string>(), kMaxWhy);
  }
  return proposal;
}

// The candidates that an answer lists, of use or not.
Result<Json> ListIn(std::string_view text) {
  auto json = ParseJson(JsonIn(text), "the answer", kAnswerLimits);
  if (!json) return json.error();
  const auto listed = json->is_object() ? json->find("candidates") : json->end();
  if (listed != json->end() && listed->is_array()) return std::move(*listed);
  return Error{Errc::kInvalidArgument, "the answer must be an object with a list \"candidates\""};
}

bool IsValidButForConstraints(const Assignment& assignment, const Space& space) {
  const auto free = Space::Make(space.parameters());
  return free && free->Validate(assignment);
}

}  // namespace

Assignment Settled(Assignment assignment, const Space& space) {
  for (const Parameter& parameter : space.parameters()) {
    if (!space.IsActive(parameter, assignment)) {
      assignment.erase(parameter.name);
    } else {
      assignment.try_emplace(parameter.name, parameter.default_value);
    }
  }
  return assignment;
}

std::string_view JsonIn(std::string_view text) {
  if (const auto thought = text.rfind(kThoughtEnd); thought != text.npos) {
    text.remove_prefix(thought + kThoughtEnd.size());
  }
  const auto closing = text.rfind(kFence);
  if (closing == text.npos || closing < kFence.size()) return text;
  const auto opening = text.rfind(kFence, closing - kFence.size());
  if (opening == text.npos) return text;
  const std::string_view block = text.substr(opening, closing - opening);
  const auto line_end = block.find('\n');
  return line_end == block.npos ? block.substr(kFence.size()) : block.substr(line_end + 1);
}

Json ProposalSchema(const Space& space, std::size_t max_proposals, std::size_t max_named) {
  const Json text = {{"type", "string"}};
  Json name = text;
  if (space.parameters().size() <= max_named) name["enum"] = NamesOf(space);
  const Json change = {{"type", "object"},
                       {"properties", {{"name", std::move(name)}, {"value", text}}},
                       {"required", {"name", "value"}},
                       {"additionalProperties", false}};
  const Json candidate = {{"type", "object"},
                          {"properties",
                           {{"from", {{"type", "integer"}}},
                            {"set", {{"type", "array"}, {"items", change}}},
                            {"why", text}}},
                          {"required", {"from", "set", "why"}},
                          {"additionalProperties", false}};
  return {
      {"type", "object"},
      {"properties",
       {{"candidates",
         {{"type", "array"},
          {"items", candidate},
          {"description", fmt::format("At most {}, the most promising first.", max_proposals)}}}}},
      {"required", {"candidates"}},
      {"additionalProperties", false}};
}

std::int64_t CandidatesListedIn(std::string_view text) {
  const auto listed = ListIn(text);
  return listed ? std::ssize(*listed) : 0;
}

ReadProposals ReadProposalAnswer(std::string_view text, const ProposalGround& ground) {
  ReadProposals read;
  const auto refuse = [&](std::string_view what, std::string_view reason) {
    read.refusals.push_back({QuotedLine(what, kMaxWords), QuotedLine(reason, kMaxWhy)});
  };
  const auto candidates = ListIn(text);
  if (!candidates) {
    refuse(JsonIn(text), candidates.error().message);
    return read;
  }
  for (std::size_t i = 0; i < std::min(candidates->size(), ground.max_proposals); ++i) {
    const Json& candidate = (*candidates)[i];
    auto proposal = ProposalIn(candidate, ground);
    if (!proposal) {
      refuse(Dump(candidate), proposal.error().message);
    } else if (auto valid = ground.space.Validate(proposal->assignment); valid) {
      read.proposals.push_back(std::move(*proposal));
    } else {
      refuse(Dump(candidate), valid.error().message);
      if (IsValidButForConstraints(proposal->assignment, ground.space)) {
        read.unkept.push_back(std::move(*proposal));
      }
    }
  }
  if (candidates->size() > ground.max_proposals) {
    refuse(fmt::format("candidates {} to {}", ground.max_proposals + 1, candidates->size()),
           fmt::format("at most {} are read", ground.max_proposals));
  }
  return read;
}

}  // namespace hone::agent
