// SPDX-License-Identifier: Apache-2.0
#include "hone/core/carried_file.h"
#include "hone/server/page.h"

HONE_CARRY(kHonePage, HONE_PAGE_FILE)

namespace hone {

std::string_view PagePack() { return kHonePage(); }

}  // namespace hone
