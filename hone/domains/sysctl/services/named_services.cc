// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/named_services.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/base/file.h"

namespace hone::sysctl {
namespace {

const ServiceFacts* ServiceOf(const Services& services, const std::string& name) {
  const std::string prefix = name.substr(0, name.find(':'));
  const auto found = std::find_if(services.begin(), services.end(),
                                  [&](const ServicePointer& one) { return one->name == prefix; });
  return found == services.end() ? nullptr : found->get();
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

Result<Services> ServicesIn(const std::string& text, const std::string& what,
                            const std::vector<std::string>& names) {
  Services services;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    const auto json = ParseJson(text, what);
    if (!json) return json.error();
    for (const Json& declared : json->value("services", Json::array())) {
      auto service = ReadServiceFacts(declared, what);
      if (!service) return service.error();
      AddService(services, std::move(*service));
    }
  }
  for (const std::string& name : names) {
    auto service = ReadServiceNamed(name);
    if (!service) return service.error();
    AddService(services, std::move(*service));
  }
  return services;
}

std::vector<Json> DeclarationsOf(const Services& services,
                                 const std::vector<ExportedSetting>& settings) {
  std::vector<Json> declarations;
  for (const ServicePointer& service : services) {
    const std::string prefix = service->name + ":";
    const bool is_used = std::any_of(
        settings.begin(), settings.end(),
        [&](const ExportedSetting& setting) { return setting.path.starts_with(prefix); });
    if (is_used) declarations.push_back(service->document);
  }
  return declarations;
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

Result<void> CheckKey(const Services& services, const Setting& setting) {
  if (auto now = ServiceTextNow(services, setting.path); !now) return now.error();
  const auto value = ValueOf(KeyNamed(services, setting.path)->facts.search, setting.text);
  if (value) return {};
  return Error{Errc::kInvalidArgument, fmt::format("{}: {}", setting.path, value.error().message)};
}

}  // namespace hone::sysctl
