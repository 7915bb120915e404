// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/service_tunables.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "hone/base/file.h"
#include "hone/core/letter_case.h"
#include "hone/core/nearest.h"

namespace hone::sysctl {
namespace {

constexpr std::size_t kMaxConfig = 1 << 20;

Error Refusal(Errc code, const std::string& name, const std::string& why) {
  return {code, fmt::format("{}: {}", name, why)};
}

struct NamedKey {
  ServicePointer service;
  const ServiceKey* key = nullptr;
};

std::string AllowedKeys(const ServiceFacts& service) {
  std::string text;
  for (const ServiceKey& key : service.keys) text += (text.empty() ? "" : ", ") + key.key;
  return text;
}

// The service and the key that "nginx:worker_connections" means.
Result<NamedKey> FindKey(const Services& services, const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string service = name.substr(0, colon);
  const std::string key = name.substr(colon + 1);
  for (const ServicePointer& known : services) {
    if (known->name != service) continue;
    if (const std::string why = WhyProtected(*known, key); !why.empty()) {
      return Refusal(Errc::kInvalidArgument, name, "it is never tuned. " + why);
    }
    if (const ServiceKey* found = known->Find(key)) return NamedKey{known, found};
    return Refusal(Errc::kNotFound, name,
                   fmt::format("the service {} has no such key to tune; there are {}", service,
                               AllowedKeys(*known)));
  }
  return Refusal(Errc::kNotFound, name,
                 fmt::format("no service {} is declared; add --service {} or the file of a "
                             "declaration",
                             service, service));
}

bool MayOwn(const ServiceFacts& service, uid_t owner) {
  if (owner == 0 || owner == ::geteuid()) return true;
  if (service.owner.empty()) return false;
  const passwd* const user = ::getpwnam(service.owner.c_str());
  return user != nullptr && user->pw_uid == owner;
}

Result<FileImage> FitImage(const ServiceFacts& service) {
  auto image = ReadFileImage(service.file);
  if (!image || !image->is_there) return image;
  if ((image->mode & S_IWOTH) != 0) {
    return Refusal(Errc::kUnsupported, service.file, "everybody may write to it; chmod o-w first");
  }
  if (!MayOwn(service, image->owner)) {
    return Refusal(Errc::kUnsupported, service.file,
                   fmt::format("it belongs to user {}, and {} may belong to root{}; declare its "
                               "\"owner\"",
                               image->owner, service.name,
                               service.owner.empty() ? "" : " or " + service.owner));
  }
  return image;
}

struct Factor {
  std::string_view unit;
  double bytes_or_ms;
};

// By the unit of the key: what "m" means depends on whether it is a size or a time.
constexpr std::array kTimes{Factor{"ms", 1},    Factor{"s", 1e3},  Factor{"m", 6e4},
                            Factor{"min", 6e4}, Factor{"h", 36e5}, Factor{"d", 864e5}};
constexpr std::array kSizes{Factor{"b", 1},
                            Factor{"k", 1024},
                            Factor{"kb", 1024},
                            Factor{"m", 1048576},
                            Factor{"mb", 1048576},
                            Factor{"g", 1073741824.},
                            Factor{"gb", 1073741824.},
                            Factor{"tb", 1099511627776.}};

template <typename Table>
std::optional<double> FactorOf(const Table& table, const std::string& unit) {
  const std::string name = LowerCase(unit);
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Factor& factor) { return factor.unit == name; });
  if (found == table.end()) return std::nullopt;
  return found->bytes_or_ms;
}

bool IsTime(const std::string& suffix) {
  return suffix == "ms" || suffix == "s" || suffix == "min" || suffix == "h" || suffix == "d";
}

// Without a unit the services mean different things; nginx and Redis mean seconds and bytes,
// PostgreSQL something else for each key.
std::optional<std::string> UnitOfBare(const ServiceFacts& service, bool is_time) {
  if (service.form == ConfigForm::kEquals) return std::nullopt;
  return is_time ? "s" : "b";
}

// A number with a unit, in the unit of the key; nothing if it is no whole number of that.
std::optional<std::string> Converted(const ServiceFacts& service, const ServiceKey& key,
                                     const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{}) return std::nullopt;
  std::string unit(stop, end);
  unit.erase(0, unit.find_first_not_of(' '));
  if (unit == key.suffix || number == 0 || number == -1) return std::to_string(number);
  const bool is_time = IsTime(key.suffix);
  if (unit.empty()) {
    const auto bare = UnitOfBare(service, is_time);
    if (!bare) return std::nullopt;
    unit = *bare;
  }
  const auto from = is_time ? FactorOf(kTimes, unit) : FactorOf(kSizes, unit);
  const auto to = is_time ? FactorOf(kTimes, key.suffix) : FactorOf(kSizes, key.suffix);
  if (!from || !to) return std::nullopt;
  const double whole = static_cast<double>(number) * *from / *to;
  const auto rounded = static_cast<std::int64_t>(whole);
  if (static_cast<double>(rounded) != whole) return std::nullopt;
  return std::to_string(rounded);
}

Result<std::string> InUnitOf(const NamedKey& named, const std::string& text) {
  if (named.key->suffix.empty()) return text;
  if (auto converted = Converted(*named.service, *named.key, text)) return *converted;
  return Refusal(
      Errc::kInvalidArgument, named.key->facts.name,
      fmt::format("what is in force, \"{}\", is no whole number of {}", text, named.key->suffix));
}

// The last file that says something counts.
Result<std::string> RawNow(const NamedKey& named, const FileImage& image) {
  const ServiceFacts& service = *named.service;
  const ConfigSetting asked{named.key->block, named.key->key, ""};
  std::optional<std::string> raw;
  const auto look = [&](const std::string& file, const std::string& text) -> Result<void> {
    const auto found = ConfigValue(service.form, text, asked);
    if (!found) return Refusal(found.error().code, file, found.error().message);
    if (*found) raw = **found;
    return {};
  };
  for (const std::string& file : service.reads) {
    const auto text = ReadFile(file, kMaxConfig);
    if (!text) return Error{Errc::kInvalidArgument, text.error().message};
    if (auto looked = look(file, *text); !looked) return looked.error();
  }
  if (auto looked = look(service.file, image.bytes); !looked) return looked.error();
  return raw.value_or(named.key->facts.kernel_default);
}

Result<std::string> TextNowOf(const NamedKey& named) {
  const auto image = FitImage(*named.service);
  if (!image) return image.error();
  const auto raw = RawNow(named, *image);
  if (!raw) return raw.error();
  return InUnitOf(named, *raw);
}

Result<Tunable> TunableOf(const NamedKey& named, const ParameterRequest& request,
                          const MachineSizes& sizes) {
  const ParameterFacts& facts = named.key->facts;
  auto text = TextNowOf(named);
  if (!text) return text.error();
  const std::vector<std::string> offered;
  auto kind = RangeFor({facts.name, &facts, request.range, offered, *text, sizes});
  if (!kind) return kind.error();
  auto value = ValueOf(*kind, *text);
  if (!value) {
    return Refusal(Errc::kInvalidArgument, facts.name,
                   "what is in force, " + value.error().message);
  }
  Tunable tunable;
  tunable.path = facts.name;
  tunable.in_force = std::move(*text);
  tunable.risk = facts.risk;
  tunable.facts = &facts;
  tunable.parameter.name = facts.name;
  tunable.parameter.kind = std::move(*kind);
  tunable.parameter.default_value = std::move(*value);
  tunable.parameter.unit = facts.unit;
  tunable.parameter.description = facts.summary;
  tunable.parameter.specials = request.specials.empty() ? facts.specials : request.specials;
  return tunable;
}

}  // namespace

Result<std::vector<Tunable>> FindServiceTunables(const Services& services,
                                                 const std::vector<ParameterRequest>& requests,
                                                 const MachineSizes& sizes) {
  std::vector<Tunable> tunables;
  for (const ParameterRequest& request : requests) {
    if (!IsServiceKey(request.name)) continue;
    const auto named = FindKey(services, request.name);
    if (!named) return named.error();
    auto tunable = TunableOf(*named, request, sizes);
    if (!tunable) return tunable.error();
    tunables.push_back(std::move(*tunable));
  }
  return tunables;
}

Result<std::string> ServiceTextNow(const Services& services, const std::string& name) {
  const auto named = FindKey(services, name);
  if (!named) return named.error();
  return TextNowOf(*named);
}

std::map<std::string, HeldFile> FilesOf(const Services& services,
                                        const std::vector<std::string>& paths) {
  std::map<std::string, HeldFile> files;
  for (const std::string& path : paths) {
    if (!IsServiceKey(path)) continue;
    const auto named = FindKey(services, path);
    if (!named) continue;
    const ServiceFacts& service = *named->service;
    HeldFile& file = files[PathOfFile(service.file)];
    file.reload = service.reload;
    file.check = service.check;
  }
  return files;
}

std::vector<std::string> WrittenPaths(const Services& services,
                                      const std::vector<std::string>& paths) {
  std::vector<std::string> written;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(written),
               [](const std::string& path) { return !IsServiceKey(path); });
  for (const auto& [path, file] : FilesOf(services, paths)) written.push_back(path);
  return written;
}

std::string TextInFile(const ServiceKey& key, const std::string& text) {
  const bool has_unit = text != "0" && text != "-1";  // These mean "off" and "as it likes".
  return has_unit ? text + key.suffix : text;
}

Result<std::vector<Setting>> AsFileSettings(const Services& services,
                                            const std::vector<Setting>& settings,
                                            const std::map<std::string, HeldFile>& files) {
  std::vector<Setting> written;
  std::map<std::string, std::vector<ConfigSetting>> keys;
  std::map<std::string, ServicePointer> owners;
  for (const Setting& setting : settings) {
    if (!IsServiceKey(setting.path)) {
      written.push_back(setting);
      continue;
    }
    const auto named = FindKey(services, setting.path);
    if (!named) return named.error();
    const std::string path = PathOfFile(named->service->file);
    owners[path] = named->service;
    keys[path].push_back(
        {named->key->block, named->key->key, TextInFile(*named->key, setting.text)});
  }
  for (const auto& [path, list] : keys) {
    auto text = WithConfig(owners.at(path)->form, files.at(path).original.bytes, list);
    if (!text) return Refusal(text.error().code, FileOfPath(path), text.error().message);
    written.push_back({path, std::move(*text)});
  }
  return written;
}

}  // namespace hone::sysctl
