# SPDX-License-Identifier: Apache-2.0
# Builds the dashboard's page into one file: cmake -DNPM=… -DNODE=… -DWEB=… -DPACK=… -P BuildPage.cmake
# Without what it is built with (see InstallPage.cmake), the file says why there is no page. A page
# that cannot be built is an error.
if(NOT EXISTS ${WEB}/node_modules/.hone-installed)
  file(CONFIGURE OUTPUT ${PACK} @ONLY CONTENT
       "hone-page 1\nmissing npm could not install what it is built with at build time\n")
  return()
endif()
execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${WEB} RESULT_VARIABLE result)
if(result EQUAL 0)
  execute_process(COMMAND ${NODE} ${WEB}/scripts/pack.mjs ${WEB}/dist ${PACK} RESULT_VARIABLE result)
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "web/: the page cannot be built: ${result}")
endif()
