#!/usr/bin/env python3
"""Packs files into a zip archive that is the same, byte for byte, on every run.

    pack.py ARCHIVE.zip FOLDER [SUFFIX ...]

Takes every file below FOLDER whose name ends in one of the suffixes (all when
none is given), by its path relative to FOLDER, sorted, without times or modes.
To change a case: unpack the archive, edit, pack again; only what changed
differs.
"""
import os
import sys
import zipfile


def files(folder, suffixes):
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            if not suffixes or name.endswith(suffixes):
                full = os.path.join(path, name)
                yield os.path.relpath(full, folder).replace(os.sep, "/"), full


def main():
    archive, folder, *suffixes = sys.argv[1:]
    with zipfile.ZipFile(archive, "w") as out:
        for name, full in sorted(files(folder, tuple(suffixes))):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            with open(full, "rb") as source:
                out.writestr(entry, source.read(), compresslevel=9)


main()
