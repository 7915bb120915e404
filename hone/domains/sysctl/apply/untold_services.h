// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hone::sysctl {

// Files of services that are back while their services were not told so: they still run with what
// was tried last. Outlives the transactions that note it, so that the next one tells the services,
// and so that what is said at the end is true. Safe for concurrent use.
class UntoldServices {
 public:
  // An empty fault: the service runs with what is in the file.
  void Note(const std::string& path, const std::string& fault);

  std::string FaultOf(const std::string& path) const;  // Empty if there is none.

  // "/etc/nginx/nginx.conf is back, but its service was not told: systemctl reload …", by path.
  std::vector<std::string> Faults() const;

 private:
  mutable std::mutex mutex_;  // Over faults_.
  std::map<std::string, std::string> faults_;
};

}  // namespace hone::sysctl
