# SPDX-License-Identifier: Apache-2.0
# Builds for another processor, by Debian's compiler for it, with libraries that scripts/bundle has
# unpacked beside the build.
set(processor $ENV{HONE_BUNDLE_FOR})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_CXX_COMPILER ${processor}-linux-gnu-g++)
set(CMAKE_STRIP ${processor}-linux-gnu-strip)
set(CMAKE_LIBRARY_ARCHITECTURE ${processor}-linux-gnu)

set(libraries ${CMAKE_CURRENT_LIST_DIR}/../build/libraries-${processor}/usr)
cmake_path(NORMAL_PATH libraries)
list(PREPEND CMAKE_PREFIX_PATH ${libraries})
set(CMAKE_CXX_FLAGS_INIT "-isystem ${libraries}/include -isystem ${libraries}/include/${processor}-linux-gnu")
