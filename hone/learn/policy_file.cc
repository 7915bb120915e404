// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/policy_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/core/rng.h"

namespace hone::learn {
namespace {

constexpr const char* kPolicyFileFormat = "hone policy";
constexpr std::int64_t kPolicyFileVersion = 1;
constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

static_assert(std::endian::native == std::endian::little, "policy files are little-endian");

// The tables of numbers, in the order of the file.
template <typename State, typename Visit>
void ForEachTable(State& state, Visit visit) {
  visit("parameters", state.network.parameters);
  visit("first_moments", state.network.first_moments);
  visit("second_moments", state.network.second_moments);
  visit("observation_mean", state.observation_statistics.mean);
  visit("observation_variance", state.observation_statistics.variance);
  visit("return_mean", state.return_statistics.mean);
  visit("return_variance", state.return_statistics.variance);
  visit("normaliser_returns", state.normaliser_returns);
  visit("episode_rewards", state.episode_rewards);
  visit("episode_lengths", state.episode_lengths);
  visit("last_rewards", state.last_rewards);
  visit("last_lengths", state.last_lengths);
  for (auto& actions : state.environments.actions) visit("actions", actions);
}

std::string BytesOf(const TrainerState& state) {
  std::string bytes;
  ForEachTable(state, [&](const char*, const std::vector<double>& numbers) {
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  });
  return bytes;
}

Json HeaderOf(const PolicyFile& policy, const std::string& bytes) {
  const TrainerState& state = policy.state;
  Json sizes = Json::array();
  ForEachTable(state, [&](const char* name, const std::vector<double>& numbers) {
    sizes.push_back({{"name", name}, {"count", numbers.size()}});
  });
  Json header = {{"format", kPolicyFileFormat},
                 {"version", kPolicyFileVersion},
                 {"environment", policy.environment},
                 {"seed", policy.settings.seed},
                 {"settings", ToOptions(policy.settings)},
                 {"steps", state.steps},
                 {"updates", state.updates},
                 {"episodes", state.episodes},
                 {"optimiser_steps", state.network.steps},
                 {"observation_count", state.observation_statistics.count},
                 {"return_count", state.return_statistics.count},
                 {"environment_seed", state.environments.seed},
                 {"environment_episodes", state.environments.episodes},
                 {"numbers", sizes},
                 {"digest", fmt::format("{:016x}", DigestOf(bytes))}};
  if (!policy.environment_options.empty()) {
    header["environment_options"] = policy.environment_options;
  }
  return header;
}

void ReadSettings(JsonReader settings, PpoSettings& into) {
  for (auto& [name, value] : settings.Members()) {
    if (auto set = SetPpoOption(into, name, value.String()); !set) value.Fail(set.error().message);
  }
}

Result<PolicyFile> ReadHeader(const Json& json, const std::string& what,
                              std::vector<std::size_t>& counts) {
  JsonReader header(json, what);
  PolicyFile policy;
  TrainerState& state = policy.state;
  if (header.At("format").String() != kPolicyFileFormat ||
      header.At("version").Integer() != kPolicyFileVersion) {
    header.Fail(fmt::format("expected the format \"{}\", version {}", kPolicyFileFormat,
                            kPolicyFileVersion));
  }
  policy.environment = header.At("environment").String();
  if (header.Has("environment_options")) {
    for (auto& [name, value] : header.At("environment_options").Members()) {
      policy.environment_options[name] = value.String();
    }
  }
  policy.settings.seed = header.At("seed").Unsigned();
  ReadSettings(header.At("settings"), policy.settings);
  state.steps = header.At("steps").Integer();
  state.updates = header.At("updates").Integer();
  state.episodes = header.At("episodes").Integer();
  state.network.steps = header.At("optimiser_steps").Integer();
  state.observation_statistics.count = header.At("observation_count").Number();
  state.return_statistics.count = header.At("return_count").Number();
  state.environments.seed = header.At("environment_seed").Unsigned();
  for (JsonReader& item : header.At("environment_episodes").Items()) {
    state.environments.episodes.push_back(item.Unsigned());
  }
  for (JsonReader& item : header.At("numbers").Items()) {
    counts.push_back(item.At("count").Unsigned());
  }
  if (auto finished = header.Finish(); !finished) return finished.error();
  state.environments.actions.resize(state.environments.episodes.size());
  return policy;
}

Error Corrupt(const std::string& what, const std::string& why) {
  return {Errc::kCorrupt, fmt::format("{}: {}; take another copy", what, why)};
}

}  // namespace

std::string ToText(const PolicyFile& policy) {
  const std::string bytes = BytesOf(policy.state);
  return Dump(HeaderOf(policy, bytes)) + "\n" + bytes;
}

Result<PolicyFile> ReadPolicy(const std::string& text, const std::string& what) {
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return Corrupt(what, "not a policy: it has no header");
  const auto json = ParseJson(std::string_view(text).substr(0, line), what);
  if (!json) return Corrupt(what, "not a policy: its first line is no header");
  std::vector<std::size_t> counts;
  auto policy = ReadHeader(*json, what, counts);
  if (!policy) return Error{Errc::kCorrupt, policy.error().message};
  const std::string bytes = text.substr(line + 1);
  if (json->value("digest", "") != fmt::format("{:016x}", DigestOf(bytes))) {
    return Corrupt(what, "its numbers are not those that were written");
  }
  std::size_t table = 0;
  std::size_t at = 0;
  bool is_whole = true;
  ForEachTable(policy->state, [&](const char*, std::vector<double>& numbers) {
    const std::size_t count = table < counts.size() ? counts[table++] : kMaxBytes;
    if (count > (bytes.size() - at) / sizeof(double)) {
      is_whole = false;
      return;
    }
    numbers.resize(count);
    if (count > 0) std::memcpy(numbers.data(), bytes.data() + at, count * sizeof(double));
    at += count * sizeof(double);
  });
  if (!is_whole || at != bytes.size()) return Corrupt(what, "it has too few or too many numbers");
  return policy;
}

Result<void> SavePolicy(const PolicyFile& policy, const std::filesystem::path& path) {
  return WriteFileDurably(path, ToText(policy));
}

Result<PolicyFile> LoadPolicy(const std::filesystem::path& path) {
  const auto text = ReadFile(path, kMaxBytes);
  if (!text) return text.error();
  return ReadPolicy(*text, path.string());
}

}  // namespace hone::learn
