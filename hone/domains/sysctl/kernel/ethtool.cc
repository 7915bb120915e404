// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/ethtool.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"

namespace hone::sysctl {
namespace {

constexpr std::string_view kEthtoolRoot = "/ethtool/";
constexpr std::string_view kMaxEnd = "-max";
constexpr std::size_t kBitsOfBlock = 32;
constexpr std::uint32_t kMaxFeatures = 1024;  // Linux 6.18 has 64.

int CallKernel(const std::string& device, void* command) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return -errno;
  ifreq request{};
  if (device.size() >= sizeof request.ifr_name) return -ENODEV;
  std::memcpy(request.ifr_name, device.data(), device.size());
  request.ifr_data = static_cast<char*>(command);
  const int said = ::ioctl(socket.get(), SIOCETHTOOL, &request);
  return said < 0 ? -errno : said;
}

struct EthtoolName {
  std::string device;
  std::string group;
  std::string name;
};

std::optional<EthtoolName> NameOf(std::string_view path) {
  if (!IsEthtoolPath(path)) return std::nullopt;
  path.remove_prefix(kEthtoolRoot.size());
  const std::size_t first = path.find('/');
  const std::size_t second = first == path.npos ? path.npos : path.find('/', first + 1);
  if (second == path.npos || path.find('/', second + 1) != path.npos) return std::nullopt;
  return EthtoolName{std::string(path.substr(0, first)),
                     std::string(path.substr(first + 1, second - first - 1)),
                     std::string(path.substr(second + 1))};
}

// A number of a structure that the kernel gives and takes as a whole.
template <typename Structure>
struct Count {
  std::string_view name;
  std::uint32_t Structure::*now;
  std::uint32_t Structure::*max;
};

constexpr std::array kRings{Count<ethtool_ringparam>{"rx", &ethtool_ringparam::rx_pending,
                                                     &ethtool_ringparam::rx_max_pending},
                            Count<ethtool_ringparam>{"tx", &ethtool_ringparam::tx_pending,
                                                     &ethtool_ringparam::tx_max_pending}};
constexpr std::array kChannels{
    Count<ethtool_channels>{"combined", &ethtool_channels::combined_count,
                            &ethtool_channels::max_combined},
    Count<ethtool_channels>{"rx", &ethtool_channels::rx_count, &ethtool_channels::max_rx},
    Count<ethtool_channels>{"tx", &ethtool_channels::tx_count, &ethtool_channels::max_tx}};

Error HasNot(const std::string& path, int number) {
  if (number == ENODEV) {
    return {Errc::kNotFound, fmt::format("{}: there is no such network device", path)};
  }
  if (number == EOPNOTSUPP || number == ENOENT) {
    return {Errc::kNotFound, fmt::format("{}: the device does not have this", path)};
  }
  return ReadError(path, number);
}

// One of the two groups of numbers.
template <typename Structure, typename Counts>
class CountGroup {
 public:
  CountGroup(const EthtoolCall& call, const Counts& counts, std::uint32_t get, std::uint32_t set)
      : call_(call), counts_(counts), get_(get), set_(set) {}

  std::vector<std::string> Names(const std::string& device) const {
    std::vector<std::string> names;
    const auto got = Get(device, device);
    if (!got) return names;
    for (const auto& count : counts_) {
      if ((*got).*count.max == 0) continue;
      names.emplace_back(count.name);
      names.push_back(std::string(count.name) + std::string(kMaxEnd));
    }
    return names;
  }

  Result<std::string> Read(const std::string& path, const EthtoolName& wanted) const {
    std::string_view name = wanted.name;
    const bool is_max = name.ends_with(kMaxEnd);
    if (is_max) name.remove_suffix(kMaxEnd.size());
    const auto got = Get(wanted.device, path);
    if (!got) return got.error();
    const auto* const count = Find(name);
    if (count == nullptr || (*got).*count->max == 0) return HasNot(path, ENOENT);
    return std::to_string((*got).*(is_max ? count->max : count->now));
  }

  Result<void> Write(const std::string& path, const EthtoolName& wanted,
                     const std::string& text) const {
    auto got = Get(wanted.device, path);
    if (!got) return got.error();
    const auto* const count = Find(wanted.name);
    if (count == nullptr || (*got).*count->max == 0) return HasNot(path, ENOENT);
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc{} || stop != end) return WriteError(path, text, EINVAL);
    (*got).*count->now = number;
    got->cmd = set_;
    const int said = call_(wanted.device, &*got);
    if (said < 0) return WriteError(path, text, -said);
    return {};
  }

 private:
  const Count<Structure>* Find(std::string_view name) const {
    const auto found = std::find_if(counts_.begin(), counts_.end(),
                                    [&](const auto& count) { return count.name == name; });
    return found == counts_.end() ? nullptr : &*found;
  }

  // `what` is for messages.
  Result<Structure> Get(const std::string& device, const std::string& what) const {
    Structure structure{};
    structure.cmd = get_;
    const int said = call_(device, &structure);
    if (said < 0) return HasNot(what, -said);
    return structure;
  }

  const EthtoolCall& call_;
  const Counts& counts_;
  std::uint32_t get_;
  std::uint32_t set_;
};

auto RingsOf(const EthtoolCall& call) {
  return CountGroup<ethtool_ringparam, decltype(kRings)>(call, kRings, ETHTOOL_GRINGPARAM,
                                                         ETHTOOL_SRINGPARAM);
}

auto ChannelsOf(const EthtoolCall& call) {
  return CountGroup<ethtool_channels, decltype(kChannels)>(call, kChannels, ETHTOOL_GCHANNELS,
                                                           ETHTOOL_SCHANNELS);
}

// A structure with an array at its end, in words so that it is aligned.
template <typename Structure>
class Buffer {
 public:
  explicit Buffer(std::size_t bytes_behind)
      : words_((sizeof(Structure) + bytes_behind + 7) / 8, 0) {}
  Structure* operator->() { return reinterpret_cast<Structure*>(words_.data()); }
  void* get() { return words_.data(); }

 private:
  std::vector<std::uint64_t> words_;
};

struct Feature {
  std::string name;
  bool is_on = false;
  bool can_change = false;
};

// By bit; those without a name are not used. `what` is for messages.
Result<std::vector<std::string>> FeatureNames(const EthtoolCall& call, const std::string& device,
                                              const std::string& what) {
  Buffer<ethtool_sset_info> info(sizeof(std::uint32_t));
  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = std::uint64_t{1} << ETH_SS_FEATURES;
  if (const int said = call(device, info.get()); said < 0) return HasNot(what, -said);
  if (info->sset_mask == 0) return HasNot(what, EOPNOTSUPP);
  const std::uint32_t count = std::min(info->data[0], kMaxFeatures);
  Buffer<ethtool_gstrings> strings(std::size_t{count} * ETH_GSTRING_LEN);
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_FEATURES;
  strings->len = count;
  if (const int said = call(device, strings.get()); said < 0) return HasNot(what, -said);
  std::vector<std::string> names;
  names.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* const text =
        reinterpret_cast<const char*>(strings->data) + std::size_t{i} * ETH_GSTRING_LEN;
    names.emplace_back(text, ::strnlen(text, ETH_GSTRING_LEN));
  }
  return names;
}

Result<std::vector<Feature>> FeaturesOf(const EthtoolCall& call, const std::string& device,
                                        const std::string& what) {
  auto names = FeatureNames(call, device, what);
  if (!names) return names.error();
  const std::size_t blocks = (names->size() + kBitsOfBlock - 1) / kBitsOfBlock;
  Buffer<ethtool_gfeatures> get(blocks * sizeof(ethtool_get_features_block));
  get->cmd = ETHTOOL_GFEATURES;
  get->size = static_cast<std::uint32_t>(blocks);
  if (const int said = call(device, get.get()); said < 0) return HasNot(what, -said);
  std::vector<Feature> features;
  features.reserve(names->size());
  for (std::size_t i = 0; i < names->size(); ++i) {
    const auto& block = get->features[i / kBitsOfBlock];
    const std::uint32_t bit = std::uint32_t{1} << (i % kBitsOfBlock);
    const bool can_change = (block.available & bit) != 0 && (block.never_changed & bit) == 0;
    features.push_back({std::move((*names)[i]), (block.active & bit) != 0, can_change});
  }
  return features;
}

Result<std::string> ReadFeature(const EthtoolCall& call, const std::string& path,
                                const EthtoolName& wanted) {
  const auto features = FeaturesOf(call, wanted.device, path);
  if (!features) return features.error();
  const auto found = std::find_if(features->begin(), features->end(),
                                  [&](const Feature& one) { return one.name == wanted.name; });
  if (found == features->end() || found->name.empty()) return HasNot(path, ENOENT);
  return std::string(found->is_on ? "on" : "off");
}

Result<void> WriteFeature(const EthtoolCall& call, const std::string& path,
                          const EthtoolName& wanted, const std::string& text) {
  const bool is_on = text == "on" || text == "1";
  if (!is_on && text != "off" && text != "0") return WriteError(path, text, EINVAL);
  const auto names = FeatureNames(call, wanted.device, path);
  if (!names) return names.error();
  const auto found = std::find(names->begin(), names->end(), wanted.name);
  if (found == names->end() || wanted.name.empty()) return HasNot(path, ENOENT);
  const auto at = static_cast<std::size_t>(found - names->begin());
  const std::size_t blocks = (names->size() + kBitsOfBlock - 1) / kBitsOfBlock;
  Buffer<ethtool_sfeatures> set(blocks * sizeof(ethtool_set_features_block));
  set->cmd = ETHTOOL_SFEATURES;
  set->size = static_cast<std::uint32_t>(blocks);
  const std::uint32_t bit = std::uint32_t{1} << (at % kBitsOfBlock);
  set->features[at / kBitsOfBlock].valid = bit;
  set->features[at / kBitsOfBlock].requested = is_on ? bit : 0;
  const int said = call(wanted.device, set.get());
  if (said < 0) return WriteError(path, text, -said);
  // A wish that the device cannot grant yet (ETHTOOL_F_WISH) shows when it is read back.
  if ((said & ETHTOOL_F_UNSUPPORTED) == 0) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("{} = \"{}\": the device does not let it be changed", path, text)};
}

bool CanChangeFeature(const EthtoolCall& call, const EthtoolName& wanted) {
  const auto features = FeaturesOf(call, wanted.device, wanted.device);
  return features && std::any_of(features->begin(), features->end(), [&](const Feature& one) {
           return one.name == wanted.name && one.can_change;
         });
}

}  // namespace

bool IsEthtoolPath(std::string_view path) { return path.starts_with(kEthtoolRoot); }

std::string EthtoolCommand(const std::string& path, const std::string& text) {
  const auto wanted = NameOf(path);
  if (!wanted) return "";
  const char* const flag = wanted->group == "features" ? "-K"
                           : wanted->group == "ring"   ? "-G"
                                                       : "-L";
  return fmt::format("ethtool {} {} {} {}", flag, wanted->device, wanted->name, text);
}

Ethtool::Ethtool(EthtoolCall call) : call_(std::move(call)) {}
Ethtool::Ethtool() : call_(CallKernel) {}

Result<std::string> Ethtool::Read(const std::string& path) const {
  const auto wanted = NameOf(path);
  if (!wanted) return HasNot(path, ENOENT);
  if (wanted->group == "features") return ReadFeature(call_, path, *wanted);
  if (wanted->group == "ring") return RingsOf(call_).Read(path, *wanted);
  if (wanted->group == "channels") return ChannelsOf(call_).Read(path, *wanted);
  return HasNot(path, ENOENT);
}

Result<void> Ethtool::Write(const std::string& path, const std::string& text) const {
  const auto wanted = NameOf(path);
  if (!wanted) return HasNot(path, ENOENT);
  if (wanted->group == "features") return WriteFeature(call_, path, *wanted, text);
  if (wanted->name.ends_with(kMaxEnd)) return OpenError(path, EACCES);
  if (wanted->group == "ring") return RingsOf(call_).Write(path, *wanted, text);
  if (wanted->group == "channels") return ChannelsOf(call_).Write(path, *wanted, text);
  return HasNot(path, ENOENT);
}

bool Ethtool::IsWritable(const std::string& path) const {
  const auto wanted = NameOf(path);
  if (!wanted || ::geteuid() != 0) return false;
  if (wanted->group == "features") return CanChangeFeature(call_, *wanted);
  return !wanted->name.ends_with(kMaxEnd) && Read(path).has_value();
}

std::vector<std::string> Ethtool::FilesOf(const std::string& device) const {
  std::vector<std::string> paths;
  const auto add = [&](std::string_view group, const std::string& name) {
    paths.push_back(fmt::format("{}{}/{}/{}", kEthtoolRoot, device, group, name));
  };
  for (const std::string& name : ChannelsOf(call_).Names(device)) add("channels", name);
  if (const auto features = FeaturesOf(call_, device, device)) {
    for (const Feature& feature : *features) {
      if (feature.can_change && !feature.name.empty()) add("features", feature.name);
    }
  }
  for (const std::string& name : RingsOf(call_).Names(device)) add("ring", name);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace hone::sysctl
