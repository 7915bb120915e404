// SPDX-License-Identifier: Apache-2.0
// What `conf --olddefconfig` of a kernel tree does, for many .config files: the tree is parsed once
// and its compiler is asked once. bench/validity compiles it with the tree's own sources
// (scripts/kconfig, all but conf.c) and compares it with the real conf.
//   conf_many KCONFIG    reads the name of a .config a line, rewrites that file, says its name again
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lkc.h"

int main(int count, char **words) {
  char name[4096];
  if (count != 2) {
    fprintf(stderr, "usage: conf_many KCONFIG, names of .config files on the standard input\n");
    return 2;
  }
  conf_set_message_callback(NULL);
  conf_parse(words[1]);
  while (fgets(name, sizeof name, stdin)) {
    name[strcspn(name, "\n")] = 0;
    setenv("KCONFIG_CONFIG", name, 1);
    if (conf_read(NULL)) {
      fprintf(stderr, "conf_many: %s cannot be read\n", name);
      return 1;
    }
    if (conf_write(NULL)) {
      fprintf(stderr, "conf_many: %s cannot be written\n", name);
      return 1;
    }
    puts(name);
    fflush(stdout);
  }
  return 0;
}
