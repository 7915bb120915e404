#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kconfiglib for bench/kconfig: kconfiglib_peer.py write|changes ROOT TABLE OUT|COUNT ORIGINAL.

ROOT is a copy of ORIGINAL that Kconfiglib can read; the table knows the commands of ORIGINAL.
"""
import json
import os
import sys
import time

import kconfiglib


def read_table(name):
    """A table of shell results: docs/formats/kconfig-shell-table.md."""
    def undo(text):
        for escape, plain in [("\\\\", "\0"), ("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"),
                              ("\0", "\\")]:
            text = text.replace(escape, plain)
        return text

    table = {}
    with open(name, encoding="utf-8") as lines:
        for line in lines:
            command, _, result = line.rstrip("\n").partition("\t")
            table[undo(command)] = undo(result)
    return table


def toggle_all(kconf, most):
    """The median time of one change with all consequences read, in microseconds."""
    symbols = kconf.unique_defined_syms
    for symbol in symbols:
        symbol.str_value
    times = []
    for symbol in symbols:
        is_logical = symbol.orig_type in (kconfiglib.BOOL, kconfiglib.TRISTATE)
        other = 2 if symbol.tri_value == 0 else 0
        if not is_logical or other not in symbol.assignable:
            continue
        start = time.perf_counter()
        symbol.set_value(other)
        for each in symbols:
            each.str_value
        times.append(time.perf_counter() - start)
        symbol.unset_value()
        for each in symbols:
            each.str_value
        if len(times) == most:
            break
    times.sort()
    print(json.dumps({"median_us": times[len(times) // 2] * 1e6, "count": len(times)}))


def main():
    mode, root, table_name, last, original = sys.argv[1:6]
    table = read_table(table_name)
    kconfiglib._shell_fn = lambda kconf, name, command: table[command.replace(root, original)]
    os.environ["srctree"] = root
    kconf = kconfiglib.Kconfig("Kconfig", warn=False)
    if mode == "write":
        kconf.write_config(last)
        os._exit(0)
    toggle_all(kconf, int(last))


main()
