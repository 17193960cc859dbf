#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""links.py FOLDER: links of its HTML pages that lead to no file or no place there, and what a page would
fetch from elsewhere. Exit code 1: there are some."""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.fetched = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        for key in ("href", "src"):
            if attributes.get(key):
                (self.links if tag == "a" else self.fetched).append(attributes[key])


def main(root):
    pages, bad = {}, []
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.realpath(path)] = Page(file.read())
    for path, page in pages.items():
        at = os.path.relpath(path, os.path.realpath(root))
        for link in page.links + page.fetched:
            url = urllib.parse.urlsplit(link)
            if url.scheme in ("http", "https") and link in page.links or url.scheme in ("data", "mailto"):
                continue
            if url.scheme or url.netloc:
                bad.append(f"{at}: fetches {link}")
                continue
            target = os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path)) if url.path else path
            if url.path.startswith("/"):
                target = os.path.realpath(root) + url.path
            target = os.path.realpath(target)
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            if not os.path.exists(target):
                bad.append(f"{at}: {link}: no such file")
            elif url.fragment and target in pages and urllib.parse.unquote(url.fragment) not in pages[target].places:
                bad.append(f"{at}: {link}: no such place")
    for line in bad:
        print(line)
    print(f"# {len(pages)} pages, {sum(len(p.links) for p in pages.values())} links", file=sys.stderr)
    return bool(bad) or not pages


sys.exit(main(sys.argv[1]))
