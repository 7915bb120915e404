# SPDX-License-Identifier: Apache-2.0
# The dashboard's page (web/), built with npm and packed into one file that hone_server carries.
# Without npm, or without what npm has to fetch, the file says why there is no page.
#
# npm fetches packages only when web/package-lock.json has changed; after that it works offline.
set(HONE_PAGE_FILE ${CMAKE_BINARY_DIR}/page.pack)
set(web ${CMAKE_SOURCE_DIR}/web)
find_program(HONE_NPM npm)
find_program(HONE_NODE node)

option(HONE_PAGE "Build the dashboard's page" ON)
set(missing "")
if(NOT HONE_PAGE)
  set(missing "this build leaves it out")
elseif(NOT EXISTS ${web}/package.json)
  set(missing "web/ was missing at build time")
elseif(NOT HONE_NPM OR NOT HONE_NODE)
  set(missing "npm was missing at build time")
endif()

if(missing)
  message(STATUS "The dashboard has no page: ${missing}")
  file(CONFIGURE OUTPUT ${HONE_PAGE_FILE} CONTENT "hone-page 1\nmissing ${missing}\n")
  add_custom_target(hone_page)
else()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${web}/src/* ${web}/public/*)
  file(GLOB settings CONFIGURE_DEPENDS ${web}/*.html ${web}/*.json ${web}/*.ts ${web}/*.js ${web}/*.mjs)
  set(installed ${web}/node_modules/.hone-installed)
  set(steps ${CMAKE_SOURCE_DIR}/cmake)
  add_custom_command(
    OUTPUT ${installed}
    DEPENDS ${web}/package-lock.json
    COMMAND ${CMAKE_COMMAND} -DNPM=${HONE_NPM} -DWEB=${web}
            -DLOG=${CMAKE_BINARY_DIR}/page-install.log -P ${steps}/InstallPage.cmake
    COMMENT "Installing what the dashboard's page is built with" VERBATIM)
  add_custom_command(
    OUTPUT ${HONE_PAGE_FILE}
    DEPENDS ${inputs} ${settings} ${installed} ${web}/scripts/pack.mjs ${steps}/BuildPage.cmake
    COMMAND ${CMAKE_COMMAND} -DNPM=${HONE_NPM} -DNODE=${HONE_NODE} -DWEB=${web}
            -DPACK=${HONE_PAGE_FILE} -P ${steps}/BuildPage.cmake
    COMMENT "Building the dashboard's page" VERBATIM)
  add_custom_target(hone_page DEPENDS ${HONE_PAGE_FILE})
endif()
