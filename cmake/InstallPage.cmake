# SPDX-License-Identifier: Apache-2.0
# Installs what the dashboard's page is built with: cmake -DNPM=… -DWEB=… -DLOG=… -P InstallPage.cmake
# Where that cannot be, says so in one line and leaves WEB/node_modules/.hone-installed out: the page
# is then left out, the rest is built, and the next build tries again.
set(mark ${WEB}/node_modules/.hone-installed)
if(EXISTS ${mark} AND ${mark} IS_NEWER_THAN ${WEB}/package-lock.json)
  return()  # By another build folder.
endif()
set(flags --no-audit --no-fund --loglevel=error)
set(said "")

macro(run)
  execute_process(COMMAND ${NPM} ${ARGN} ${flags} WORKING_DIRECTORY ${WEB}
                  RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(APPEND said "npm ${ARGN}: ${result}\n${out}${err}\n")
endmacro()

# npm ci refuses a lock file that some versions of npm write (npm's issue 4828); it is obeyed all the
# same.
macro(install where)
  foreach(words IN ITEMS ci "install;--no-save")
    run(${words} ${where})
    if(result EQUAL 0)
      file(TOUCH ${mark})
      return()
    endif()
  endforeach()
endmacro()

install(--offline)  # What was fetched once is kept.
# npm itself tries for minutes, package by package.
run(view preact version --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=10000)
if(result EQUAL 0)
  install(--prefer-offline)
endif()
file(WRITE ${LOG} "${said}")
file(REMOVE ${mark})
message("warning: the dashboard has no page: npm could not install what it is built with; is a "
        "registry within reach? ${LOG} has what npm said")
