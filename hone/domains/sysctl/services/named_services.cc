// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/named_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hone/base/file.h"

namespace hone::sysctl {
namespace {

std::string ServiceIn(const std::string& key) { return key.substr(0, key.find(':')); }

const ServiceFacts* Named(const Services& services, const std::string& name) {
  const auto found = std::find_if(services.begin(), services.end(),
                                  [&](const ServicePointer& one) { return one->name == name; });
  return found == services.end() ? nullptr : found->get();
}

const ServiceFacts* ServiceOf(const Services& services, const std::string& key) {
  return Named(services, ServiceIn(key));
}

Error NotChosen(const std::string& what, const std::string& name) {
  return {Errc::kInvalidArgument,
          fmt::format("{}: {} is no service that Hone knows, and settings can only name one: which "
                      "file is written and what is run must come from you; add --service FILE with "
                      "its declaration (docs/formats/service.md)",
                      what, IsServiceName(name) ? name : "what stands before a colon there")};
}

// Older files carry whole declarations. Nothing is taken from one but its name, so it may stand
// there only where that changes nothing, or where the user has said what to use instead.
std::string NameOfDeclared(JsonReader& item, const Services& chosen) {
  if (item.Raw().is_string()) return item.String();
  std::string name = item.At("name").String();
  if (!IsServiceName(name)) item.At("name").Fail("expected the name of a service");
  if (Named(chosen, name) != nullptr) return name;
  const auto builtin = FindService(name);
  if (builtin && (*builtin)->document == item.Raw()) return name;
  item.Fail(fmt::format(
      "a declaration, with a file and commands of its own, and those are not taken from settings; "
      "add {}--service FILE with a declaration that you have read (docs/formats/service.md)",
      builtin ? fmt::format("--service {} for Hone's own, or ", name) : ""));
  return name;
}

std::vector<std::string> NamesOfDeclared(JsonReader& reader, const Services& chosen) {
  std::vector<std::string> names;
  if (!reader.Has("services")) return names;
  JsonReader list = reader.At("services");
  for (JsonReader& item : list.Items()) names.push_back(NameOfDeclared(item, chosen));
  return names;
}

}  // namespace

Result<ServicePointer> ReadServiceNamed(const std::string& name) {
  if (!name.ends_with(".json") && name.find('/') == std::string::npos) return FindService(name);
  const auto text = ReadFile(name);
  if (!text) return Error{Errc::kInvalidArgument, text.error().message};
  const auto document = ParseJson(*text, name);
  if (!document) return document.error();
  return ReadServiceFacts(*document, name);
}

void AddService(Services& services, ServicePointer service) {
  std::erase_if(services, [&](const ServicePointer& one) { return one->name == service->name; });
  services.push_back(std::move(service));
}

Result<Services> ReadServicesNamed(const std::vector<std::string>& names) {
  Services services;
  for (const std::string& name : names) {
    auto service = ReadServiceNamed(name);
    if (!service) return service.error();
    AddService(services, std::move(*service));
  }
  return services;
}

Result<Services> ServicesOf(const std::vector<std::string>& names, const std::string& what,
                            const Services& chosen) {
  Services services = chosen;
  for (const std::string& name : names) {
    if (Named(services, name) != nullptr) continue;
    auto builtin = FindService(name);
    if (!builtin) return NotChosen(what, name);
    services.push_back(std::move(*builtin));
  }
  return services;
}

Result<Services> ServicesIn(const std::string& text, const std::string& what,
                            const Services& chosen) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return chosen;
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  std::vector<std::string> names = NamesOfDeclared(reader, chosen);
  if (auto finished = reader.Finish(); !finished) return finished.error();
  for (const Json& setting : json->value("settings", Json::array())) {
    const auto path = setting.is_object() ? setting.find("path") : setting.end();
    if (path == setting.end() || !path->is_string()) continue;  // Whoever reads them will tell.
    const auto& key = path->get_ref<const std::string&>();
    if (IsServiceKey(key)) names.push_back(ServiceIn(key));
  }
  return ServicesOf(names, what, chosen);
}

std::vector<std::string> ServicesAmong(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const std::string& path : paths) {
    if (IsServiceKey(path)) names.insert(ServiceIn(path));
  }
  return {names.begin(), names.end()};
}

std::string PlaceInFile(const Services& services, const Setting& setting) {
  const ServiceKey* const key = KeyNamed(services, setting.path);
  if (key == nullptr) return "";
  const ServiceFacts& service = *ServiceOf(services, setting.path);
  return fmt::format("{}{}: {}{}{}{}", service.file, key->block.empty() ? "" : ", in " + key->block,
                     key->key, service.form == ConfigForm::kEquals ? " = " : " ",
                     TextInFile(*key, setting.text),
                     service.form == ConfigForm::kBlocks ? ";" : "");
}

const ServiceKey* KeyNamed(const Services& services, const std::string& name) {
  const ServiceFacts* const service = ServiceOf(services, name);
  return service == nullptr ? nullptr : service->Find(name.substr(name.find(':') + 1));
}

Result<void> CheckKey(const Services& services, const Setting& setting, const MachineSizes& sizes) {
  const auto now = ServiceTextNow(services, setting.path);
  if (!now) return now.error();
  if (*now == setting.text) return {};
  const ParameterFacts& facts = KeyNamed(services, setting.path)->facts;
  return CheckValue({setting.path, facts, setting.text, sizes});
}

}  // namespace hone::sysctl
