// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/reload.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"
#include "hone/domains/sysctl/services/config_text.h"

namespace hone::sysctl {

// A key that may be tuned.
struct ServiceKey {
  ParameterFacts facts;  // Its name has the service's before it: "nginx:worker_connections".
  std::string key;       // As it stands in the file.
  std::string block;     // Of a form with blocks: where it stands.
  std::string suffix;    // What the file has after the number: "MB".
};

// Keys that are never tuned, because they trade safety for speed or are no settings at all.
struct ProtectedKey {
  std::string pattern;  // "ssl_*"; * stands for any letters.
  std::string why;
};

// A service whose configuration can be tuned. docs/formats/service.md, data/services/*.json.
struct ServiceFacts {
  std::string name;
  std::string file;  // What is written: the service's own, or one that it includes.
  ConfigForm form = ConfigForm::kWords;
  std::vector<std::string> reads;  // What the service reads before that file.
  std::string owner;               // Whose the file may be, besides root's and ours.
  std::vector<std::string> check;
  Reload reload;
  std::vector<ServiceKey> keys;
  std::vector<ProtectedKey> protected_keys;  // Those of the built-in services go beside them.
  Json document;                             // What it was read from.

  const ServiceKey* Find(const std::string& key) const;  // By its name in the file.
};

// Services and what points into them (Tunable::facts) are shared, never copied.
using ServicePointer = std::shared_ptr<const ServiceFacts>;

// Strict; an Error names the document and the path inside it. Refused too: a key that a built-in
// service protects, whatever the service is called.
Result<ServicePointer> ReadServiceFacts(const Json& document, const std::string& what);

std::vector<std::string> ServiceNames();  // Of data/services/, when this was built.
Result<ServicePointer> FindService(const std::string& name);

bool IsServiceName(std::string_view name);

// Why the key is never tuned; empty if it may be.
std::string WhyProtected(const ServiceFacts& service, const std::string& key);

}  // namespace hone::sysctl
