// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"
#include "hone/domains/sysctl/services/service_tunables.h"

// Services as people name them, and as settings files carry them.
namespace hone::sysctl {

// A built-in service, or the declaration in a file (a name with a slash, or that ends in .json).
Result<ServicePointer> ReadServiceNamed(const std::string& name);

// Those that the user named (--service), and so answers for.
Result<Services> ReadServicesNamed(const std::vector<std::string>& names);

// One of the same name goes.
void AddService(Services& services, ServicePointer service);

// Those that settings of `what` name, beside those that the user chose. Settings can do no more
// than name one: which file is written, what is run and whose it may be is the user's word, or is
// built in. Refused: a name that is neither.
Result<Services> ServicesOf(const std::vector<std::string>& names, const std::string& what,
                            const Services& chosen);

// The same of a settings file's text. Declarations in it, of older files, are refused unless they
// are Hone's own or the user chose what to use instead.
Result<Services> ServicesIn(const std::string& text, const std::string& what,
                            const Services& chosen);

// The services whose keys are among these paths, by name.
std::vector<std::string> ServicesAmong(const std::vector<std::string>& paths);

// Where a key stands and as what: "/etc/nginx/nginx.conf, in events: worker_connections 1024".
// Empty for what is no key of these.
std::string PlaceInFile(const Services& services, const Setting& setting);

// The key, or null.
const ServiceKey* KeyNamed(const Services& services, const std::string& name);

// Whether the key may be set to this by hand: declared, not protected, of its kind, and inside the
// hard range unless that is what stands there already.
Result<void> CheckKey(const Services& services, const Setting& setting, const MachineSizes& sizes);

}  // namespace hone::sysctl
