// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/settings_export.h"
#include "hone/domains/sysctl/services/service_tunables.h"

// Services as people name them, and as settings files carry them.
namespace hone::sysctl {

// A built-in service, or the declaration in a file (a name with a slash, or that ends in .json).
Result<ServicePointer> ReadServiceNamed(const std::string& name);

// One of the same name goes.
void AddService(Services& services, ServicePointer service);

// What a settings file declares in its member "services" (only JSON has one), and these besides.
Result<Services> ServicesIn(const std::string& text, const std::string& what,
                            const std::vector<std::string>& names);

// For a settings file: the declarations of services whose keys are among the settings.
std::vector<Json> DeclarationsOf(const Services& services,
                                 const std::vector<ExportedSetting>& settings);

// Where a key stands and as what: "/etc/nginx/nginx.conf, in events: worker_connections 1024".
// Empty for what is no key of these.
std::string PlaceInFile(const Services& services, const Setting& setting);

// The key, or null.
const ServiceKey* KeyNamed(const Services& services, const std::string& name);

// Whether the key may be set to this by hand: declared, not protected, of its kind.
Result<void> CheckKey(const Services& services, const Setting& setting);

}  // namespace hone::sysctl
