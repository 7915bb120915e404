// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/service_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "hone/base/json/parse_values.h"
#include "hone/core/check.h"
#include "hone/core/letter_case.h"
#include "hone/core/nearest.h"
#include "hone/domains/sysctl/knowledge/parameter_reader.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"
#include "hone/domains/sysctl/services/service_texts.h"

namespace hone::sysctl {
namespace {

constexpr std::int64_t kServiceVersion = 1;
constexpr const char* kServiceLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-";

std::string LabelOf(JsonReader reader) {
  std::string text = reader.String();
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (text.empty() || std::any_of(text.begin(), text.end(), is_control)) {
    reader.Fail("expected a text of one line that is not empty");
  }
  return text;
}

std::vector<std::string> LabelsOf(JsonReader& reader, std::string_view member) {
  std::vector<std::string> labels;
  if (!reader.Has(member)) return labels;
  JsonReader list = reader.At(member);
  for (JsonReader& item : list.Items()) labels.push_back(LabelOf(item));
  return labels;
}

// A program and its arguments; a shell's text is not one.
std::vector<std::string> CommandOf(JsonReader& reader, std::string_view member) {
  std::vector<std::string> arguments = LabelsOf(reader, member);
  if (arguments.size() < 2) return arguments;
  const std::string program = arguments[0].substr(arguments[0].rfind('/') + 1);
  const bool is_shell = program == "sh" || program == "bash" || program == "dash";
  if (is_shell && arguments[1].starts_with("-")) {
    reader.At(member).Fail("a command is run without a shell; name the program and its arguments");
  }
  return arguments;
}

std::string PlainFile(JsonReader reader) {
  std::string file = LabelOf(reader);
  const bool is_plain = file.starts_with('/') && !file.ends_with('/') &&
                        file.find("/../") == file.npos && file.find("/./") == file.npos &&
                        file.find("//") == file.npos && !file.ends_with("/..");
  if (!is_plain) reader.Fail("expected the whole path of a file, without . and ..");
  return file;
}

std::chrono::milliseconds DurationOf(JsonReader& reader, std::string_view member,
                                     std::chrono::milliseconds otherwise) {
  if (!reader.Has(member)) return otherwise;
  JsonReader item = reader.At(member);
  const auto time = ParseDuration("", item.String());
  if (!time) item.Fail("expected a time such as \"30s\" or \"200ms\"");
  return time.value_or(otherwise);
}

// What the file has after a number, as Hone's words for units.
std::string UnitOf(const std::string& suffix) {
  static const std::map<std::string, std::string> units{{"k", "KiB"}, {"kB", "KiB"}, {"kb", "KiB"},
                                                        {"m", "MiB"}, {"MB", "MiB"}, {"mb", "MiB"}};
  const auto found = units.find(suffix);
  return found == units.end() ? suffix : found->second;
}

ServiceKey ReadKey(JsonReader& reader, const ServiceFacts& service) {
  ServiceKey key;
  key.key = LabelOf(reader.At("key"));
  if (reader.Has("block")) key.block = LabelOf(reader.At("block"));
  if (!key.block.empty() && service.form != ConfigForm::kBlocks) {
    reader.At("block").Fail("blocks belong to the form \"key value;\"");
  }
  if (reader.Has("suffix")) key.suffix = LabelOf(reader.At("suffix"));
  ParameterFacts& facts = key.facts;
  facts.name = service.name + ":" + key.key;
  ReadRangeFacts(reader, facts);
  if (std::holds_alternative<OrderedTuple>(facts.search) || facts.is_action) {
    reader.At("kind").Fail("a service's key is an integer, real, boolean or category");
  }
  facts.kernel_default = LabelOf(reader.At("default"));
  facts.unit = reader.Has("unit") ? LabelOf(reader.At("unit")) : UnitOf(key.suffix);
  facts.risk = Risk::kSticky;
  facts.summary = LabelOf(reader.At("summary"));
  if (reader.Has("caution")) facts.caution = LabelOf(reader.At("caution"));
  reader.RefuseOthers();
  return key;
}

void ReadProtected(JsonReader& reader, ServiceFacts& service) {
  if (!reader.Has("protected")) return;
  JsonReader list = reader.At("protected");
  for (JsonReader& item : list.Items()) {
    const std::string why = LabelOf(item.At("why"));
    for (std::string& pattern : LabelsOf(item, "keys")) {
      service.protected_keys.push_back({std::move(pattern), why});
    }
    item.RefuseOthers();
  }
}

void ReadKeys(JsonReader& reader, ServiceFacts& service) {
  if (!reader.Has("keys")) return;
  JsonReader list = reader.At("keys");
  for (JsonReader& item : list.Items()) {
    ServiceKey key = ReadKey(item, service);
    if (const std::string why = WhyProtected(service, key.key); !why.empty()) {
      item.At("key").Fail(fmt::format("{} is never tuned. {}", key.key, why));
    }
    // One that a service of which this is a variant has too is said anew.
    std::erase_if(service.keys, [&](const ServiceKey& known) { return known.key == key.key; });
    service.keys.push_back(std::move(key));
  }
}

// A variant of a built-in service has its form and keys.
ServiceFacts StartOf(JsonReader& reader) {
  ServiceFacts service;
  if (reader.Has("like")) {
    JsonReader like = reader.At("like");
    const auto known = FindService(like.String());
    if (!known) {
      like.Fail(known.error().message);
    } else {
      service = **known;
    }
  }
  if (reader.Has("form")) {
    JsonReader form = reader.At("form");
    const auto read = ConfigFormOf(form.String());
    if (!read) form.Fail(R"(expected "key value", "key = value" or "key value;")");
    service.form = read.value_or(service.form);
  } else if (!reader.Has("like")) {
    reader.At("form");
  }
  return service;
}

ServiceFacts ReadFactsOf(JsonReader reader) {
  ServiceFacts service = StartOf(reader);
  service.name = LabelOf(reader.At("name"));
  if (!IsServiceName(service.name)) {
    reader.At("name").Fail("expected small letters, digits, - and _ (and not \"file\")");
  }
  for (ServiceKey& key : service.keys) key.facts.name = service.name + ":" + key.key;
  service.file = PlainFile(reader.At("file"));
  service.reads = LabelsOf(reader, "reads");
  service.owner = reader.Has("owner") ? LabelOf(reader.At("owner")) : "";
  service.check = CommandOf(reader, "check");
  service.reload.arguments = CommandOf(reader, "reload");
  service.reload.timeout = DurationOf(reader, "reload_within", std::chrono::seconds(30));
  service.reload.settle = DurationOf(reader, "settle", std::chrono::milliseconds(0));
  ReadProtected(reader, service);
  ReadKeys(reader, service);
  if (service.keys.empty()) reader.Fail("expected at least one key that may be tuned");
  if (reader.Has("summary")) reader.At("summary").String();
  reader.RefuseOthers();
  return service;
}

Result<ServicePointer> ReadUnchecked(const Json& document, const std::string& what) {
  JsonReader reader(document, what);
  if (reader.At("format").String() != "hone-service") {
    reader.At("format").Fail("expected \"hone-service\"");
  }
  if (reader.At("format_version").Integer() != kServiceVersion) {
    reader.At("format_version").Fail(fmt::format("expected {}", kServiceVersion));
  }
  auto service = std::make_shared<ServiceFacts>(ReadFactsOf(reader));
  if (auto finished = reader.Finish(); !finished) return finished.error();
  service->document = document;
  return ServicePointer(std::move(service));
}

// By name. service_facts_test reads them first, and tells what is wrong.
const std::map<std::string, ServicePointer>& BuiltinServices() {
  static const auto* const all = [] {
    auto* const services = new std::map<std::string, ServicePointer>();
    for (const auto& [name, text] : ServiceTexts()) {
      const auto json = ParseJson(text, name);
      HONE_CHECK(json.has_value());
      auto service = ReadUnchecked(*json, std::string(name));
      HONE_CHECK(service.has_value());
      services->emplace((*service)->name, *service);
    }
    return services;
  }();
  return *all;
}

std::string WhyIn(const ServiceFacts& service, const std::string& key) {
  const std::string lower = LowerCase(key);
  for (const ProtectedKey& one : service.protected_keys) {
    if (MatchPattern(one.pattern, lower)) return one.why;
  }
  return "";
}

}  // namespace

const ServiceKey* ServiceFacts::Find(const std::string& key) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const ServiceKey& one) { return one.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

Result<ServicePointer> ReadServiceFacts(const Json& document, const std::string& what) {
  auto service = ReadUnchecked(document, what);
  if (!service) return service;
  for (const ServiceKey& key : (*service)->keys) {
    for (const auto& [name, known] : BuiltinServices()) {
      const std::string why = WhyIn(*known, key.key);
      // What a built-in service has among its own keys is no harm by that name.
      if (why.empty() || known->Find(key.key) != nullptr) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: {} is never tuned ({}). {}", what, key.key, name, why)};
    }
  }
  return service;
}

std::vector<std::string> ServiceNames() {
  std::vector<std::string> names;
  names.reserve(BuiltinServices().size());
  for (const auto& [name, service] : BuiltinServices()) names.push_back(name);
  return names;
}

Result<ServicePointer> FindService(const std::string& name) {
  const auto found = BuiltinServices().find(name);
  if (found != BuiltinServices().end()) return found->second;
  return Error{Errc::kNotFound,
               NoSuch("service", name, ServiceNames()) +
                   "; or give the file of a declaration (docs/formats/service.md)"};
}

bool IsServiceName(std::string_view name) {
  return !name.empty() && name.find_first_not_of(kServiceLetters) == name.npos && name != "file";
}

std::string WhyProtected(const ServiceFacts& service, const std::string& key) {
  return WhyIn(service, key);
}

}  // namespace hone::sysctl
