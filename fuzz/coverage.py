"""Prints a table of the regions that are reached in some files and folders, from the JSON of
`llvm-cov export`: coverage.py FILE...

A generic function counts once. A region of it is reached if it is reached in one instance.
"""
import collections
import json
import os
import sys

files = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
for function in json.load(sys.stdin)["data"][0]["functions"]:
    if not os.path.relpath(function["filenames"][0]).startswith(tuple(sys.argv[1:])):
        continue
    code = [region for region in function["regions"] if region[7] == 0]
    name = os.path.relpath(function["filenames"][0])
    for region in code:
        files[name][tuple(code[0][:4])][tuple(region[:4])] += region[4]

print("| file | regions | reached | functions | entered | regions reached in these |")
print("|---|---|---|---|---|---|")
for name, functions in sorted(files.items()):
    entered = [regions for regions in functions.values() if any(regions.values())]
    share = lambda functions: "%.0f %%" % (
        100 * sum(count > 0 for regions in functions for count in regions.values())
        / max(1, sum(len(regions) for regions in functions)))
    print("| `%s` | %d | %s | %d | %d | %s |" % (
        name.removeprefix("crates/"), sum(map(len, functions.values())),
        share(functions.values()), len(functions), len(entered), share(entered)))
