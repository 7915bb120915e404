// SPDX-License-Identifier: Apache-2.0
#include "hone/core/embedded_file.h"
#include "hone/server/page/page.h"

HONE_EMBED(kHonePage, HONE_PAGE_FILE)

namespace hone::server {

std::string_view PagePack() { return kHonePage(); }

}  // namespace hone::server
