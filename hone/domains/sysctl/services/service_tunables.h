// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/held_file.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"
#include "hone/domains/sysctl/services/service_facts.h"

// Keys of services on one machine.
namespace hone::sysctl {

using Services = std::vector<ServicePointer>;

// Those of the requests that are keys of services ("nginx:worker_connections"), with what their
// files say now, or else the service's default. Refused: a service that is not among these, a key
// that is protected or not declared, a range outside the hard one, a file that is not fit to be
// replaced (file_image.h), that others may write, or that is somebody else's.
Result<std::vector<Tunable>> FindServiceTunables(const Services& services,
                                                 const std::vector<ParameterRequest>& requests,
                                                 const MachineSizes& sizes);

// What the file of the key's service says now, in the unit of its range; else the default.
Result<std::string> ServiceTextNow(const Services& services, const std::string& name);

// How a transaction is to treat the files of those services whose keys are among `paths`.
std::map<std::string, HeldFile> FilesOf(const Services& services,
                                        const std::vector<std::string>& paths);

// The paths that a transaction holds: kernel parameters as they are, for keys their files.
std::vector<std::string> WrittenPaths(const Services& services,
                                      const std::vector<std::string>& paths);

// Settings of keys as settings of files: what each file held at first, with the keys set.
Result<std::vector<Setting>> AsFileSettings(const Services& services,
                                            const std::vector<Setting>& settings,
                                            const std::map<std::string, HeldFile>& files);

// What a key's value looks like in the file: "128MB".
std::string TextInFile(const ServiceKey& key, const std::string& text);

}  // namespace hone::sysctl
