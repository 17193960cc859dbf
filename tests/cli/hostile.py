# SPDX-License-Identifier: BSD-3-Clause
"""hostile.py ert roofline plant_ceilings TREE: hostile texts in every field that is read, against every
format that is written, each parsed by a real parser of it. Prints TAP.

The fields come from the example files themselves: each text of their JSON, each cell of their CSV, each
word of their texts, each option of --help that takes a word. All fields of a file get texts at once, each
another one, and others for each output; what a reader refuses, it refuses of each field by itself, too.
HOSTILE=full gives each field each text for each output, and headless Chromium loads what it is
for: none of the texts may run there. HOSTILE=WORD does that for the files that have WORD in their names.
"""
import ast, collections, copy, csv, html.parser, io, itertools, json, os, re, shutil, subprocess, sys
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor

try:
    import markdown
except ImportError:
    markdown = None

ert, roofline, plant, tree = sys.argv[1:]
study = os.path.join(tree, "tests/tools/study.sh")
csv.field_size_limit(1 << 30)
wanted = os.environ.get("HOSTILE")
promtool = shutil.which("promtool")
chromium = shutil.which("chromium")

RUNS = "top.postMessage('ran', '*')"
SEEN = ['"', "'", "\\", '\\"; x', "<script>" + RUNS + "</script>",
        "--></style></title></script><img src=x onerror=\"" + RUNS + "\">", "]]>", "--><b>", "|a|b|",
        "`c` ```", "{{x}} ${y} $(z) %s%n", "[a](javascript:b) ![c](d)", "=cmd|'/c calc'!A0", "@SUM(A1)",
        "+a;=1+1,=2", "# _e_ *f*", "'''\"\"\"", "- : x: &a *b !!c", "\u2028", "\ufeffbom", "\ud7ff\uffff",
        "' onload='" + RUNS.replace("'", "`") + "' x=\"", "&lt;script&gt;&#60;", "a\tb", "é株"]
ACTS = ["\n# x\nimport os", "\r", "\x1b[31m\x1b]0;x\x07", "\x9b2J", "\u202ex", "\u2066y\u200f", "\0"]
LONG = ["x" * 10_000_000]
TEXTS = SEEN + ACTS
acting = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


class Wrong(Exception):
    pass


def want(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


# ---- what is written, each by a parser of it ----

def plain(text, _):
    found = acting.search(text)
    want(not found, "a character that acts:", found and text[max(0, found.start() - 20):found.end() + 20])


def json_text(text, _):
    want(text.strip(), "nothing")
    json.loads(text)
    plain(text, _)


def is_number(cell):
    try:
        return float(cell) is not None
    except ValueError:
        return False


def cells(text, _):
    plain(text, _)
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def table_csv(text, _):
    rows = cells(text, _)
    want(len({len(row) for row in rows}) == 1, "rows of", {len(row) for row in rows}, "cells")


class Skeleton(html.parser.HTMLParser):
    """The elements and their attributes, without texts."""
    def __init__(self, text):
        super().__init__()
        self.tags, self.data, self.names = [], collections.defaultdict(str), set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, tuple(sorted(attributes))))
        self.names.add(tag)
        self.names |= {tag + "@" + name for name, _ in attributes}

    def handle_data(self, data):
        if self.tags:
            self.data[len(self.tags)] += data

    def handle_comment(self, data):
        self.names.add("comment")


def rendered(text, clean):
    plain(text, clean)
    if not markdown:
        return
    def render(text):
        return Skeleton(markdown.markdown(text, extensions=["tables", "sane_lists"]))
    page, other = render(text), render(clean)
    want(page.names <= other.names | {"td@style"}, "elements", page.names - other.names) # of alignment
    rows = text.splitlines()
    for i, row in enumerate(rows):
        if re.match(r"\| (---|---:) ", row):
            n = len(re.findall(r"(?<!\\)\|", row))
            for below in itertools.takewhile(lambda r: r.startswith("|"), rows[i - 1:]):
                bare = re.sub(r"\\.", "", below)
                want(bare.count("|") == n, "a row of", bare.count("|"), "bars, not", n, below[:200])


def page(text, clean):
    plain(text, clean)
    now, before = Skeleton(text), Skeleton(clean)
    want(now.tags == before.tags, "elements", set(now.tags) ^ set(before.tags))
    want("comment" not in now.names, "a comment")
    data = [now.data[i + 1] for i, tag in enumerate(now.tags) if ("id", "data") in tag[1]]
    want(len(data) == 1, "scripts of data", len(data))
    json.loads(data[0])


def svg(text, clean):
    plain(text, clean)
    for at in xml.etree.ElementTree.fromstring(text).iter():
        want(at.tag in SVG, at.tag)
        want(not [name for name in at.attrib if re.match("on|.*href|style", name)], at.attrib)


def python(text, _):
    plain(text, _)
    body = ast.parse(text).body
    want(len(body) == 1 and isinstance(body[0], ast.Assign), "statements", len(body))
    ast.literal_eval(body[0].value)


label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
sample = re.compile(r"[a-z_:]+(?:\{" + label + "(?:," + label + r")*\})? [-+0-9.e]+")


def prometheus(text, _):
    plain(text, _)
    for line in text.splitlines():
        want(re.match("# (HELP|TYPE) ", line) or sample.fullmatch(line), line[:200])
    if promtool:
        done = subprocess.run([promtool, "check", "metrics"], input=text.encode(), capture_output=True)
        want(done.returncode in (0, 3), done.stderr.decode()[:200]) # 3: of style


# ---- the outputs of what was read: words of a command, FILE and OUT in them, and the parser ----

SVG = {"{http://www.w3.org/2000/svg}" + tag for tag in
       ("svg", "title", "desc", "g", "rect", "line", "polygon", "circle", "text")}
REPORTS = {"text": plain, "json": json_text, "markdown": rendered, "csv": table_csv}
EXPORTS = {"csv": table_csv, "prometheus": prometheus, "reframe": python}
H200 = "h200.json"
HAND = ["--flops", "1e12", "--bytes", "L2=1e11,HBM=1e10,DRAM=1e10", "--seconds", "0.1"]


def reports(*words):
    return [([roofline, *words, "--output", form], None, parse) for form, parse in REPORTS.items()]


def studies(*words):
    return [([study, *words], None, plain), ([study, *words, "--csv"], None, table_csv)]


def charts(*words):
    return [([roofline, "plot", *words, "--out", "OUT.svg"], "OUT.svg", svg),
            ([roofline, "plot", *words, "--out", "OUT.html"], "OUT.html", page)]


def of_ceilings(device):
    return [([roofline, "show", "--theory", "FILE"], None, plain), ([ert, "show", "FILE"], None, plain),
            *reports("place", "FILE", "--device", device, *HAND),
            *reports("compare", "FILE", H200),
            *studies("portability", "--device", device, "a=FILE:points.json", "b=h200.json:points.json"),
            *charts("FILE", "--device", device),
            *[([study, "export", name, "FILE"], None, parse) for name, parse in EXPORTS.items()]]


def of_points(*read):
    return [*(run for run in reports("import", "auto", "FILE") if "csv" not in run[0]),
            *reports("place", "--force", H200, "FILE"),
            ([roofline, "place", "--view", "summary", "--force", H200, "FILE"], None, plain),
            ([roofline, "place", "--view", "summary", "--output", "markdown", H200, "FILE"], None, rendered),
            ([roofline, "import", "auto", "FILE", "--out", "OUT.json"], "OUT.json", json_text),
            *charts(H200, "FILE"), *reports("compare", "FILE", "points.json"),
            *reports("compare", "--steps", "FILE"), *studies("scaling", "1:FILE", "2:FILE"),
            *studies("portability", "h=h200.json:FILE", "x=h200.json:points.json")]


# ---- what is read, and the fields of each ----

class Json:
    """Each text of the tree, by its path; of a list the first element's."""
    def __init__(self, name, root):
        self.name, self.root, self.fields = name + ".json", root, {}
        self.walk(root, (), "")

    def walk(self, at, path, name):
        for key, value in at.items() if isinstance(at, dict) else enumerate(at):
            called = name + ("." + key if isinstance(key, str) else "[]")
            if isinstance(value, (dict, list)):
                self.walk(value, path + (key,), called)
            elif isinstance(value, str) and key != "schema":
                self.fields.setdefault(called, path + (key,))

    def write(self, file, texts):
        root = copy.deepcopy(self.root)
        for field, text in texts.items():
            at = root
            for key in self.fields[field][:-1]:
                at = at[key]
            at[self.fields[field][-1]] = text
        with open(file, "w", encoding="utf-8") as out:
            json.dump(root, out, ensure_ascii=False)


class Cells:
    """The first texts of each column, below and in the header; of files that are no CSV the words."""
    def __init__(self, name, file, separator=None):
        self.name, self.fields = name + os.path.splitext(file)[1], {}
        self.separator = separator
        with open(os.path.join(tree, file), encoding="utf-8", errors="replace", newline="") as text:
            self.lines = text.read().splitlines()
        for i, line in enumerate(self.lines):
            for k, word in enumerate(self.split(line)):
                if re.search("[A-Za-z]", word) and not is_number(word):
                    self.fields.setdefault(k if separator else word, (i, k))
                    if separator and i > len(self.lines) // 2:
                        self.fields.setdefault(("below", k), (i, k))

    def split(self, line):
        return next(csv.reader([line], delimiter=self.separator)) if self.separator else \
            re.split(r"( +|\||\t)", line)

    def write(self, file, texts):
        lines = list(self.lines)
        for field, text in texts.items():
            i, k = self.fields[field]
            words = self.split(self.lines[i]) if lines[i] is self.lines[i] else lines[i]
            lines[i] = words[:k] + [text] + words[k + 1:]
        with open(file, "w", encoding="utf-8", newline="") as out:
            for line in lines:
                if isinstance(line, list) and self.separator:
                    csv.writer(out, delimiter=self.separator, lineterminator="\n").writerow(line)
                else:
                    out.write(("".join(line) if isinstance(line, list) else line) + "\n")


def some(items, n, turn=0):
    """At most n of them, evenly spread, others for another turn; when all is wanted: all."""
    items = list(items)
    step = -(-len(items) // n)
    return items if wanted or step <= 1 else items[turn % step::step]


class Words:
    """Each option of a command that takes a word."""
    def __init__(self, command):
        n = 3 if command[1] == "fleet" else 2
        self.name, self.command = "words of " + " ".join(command[1:n]), command
        text = subprocess.run([*command[:n], "--help"], capture_output=True, text=True).stdout
        self.fields = {name: name for name, word in re.findall(r"^  (--[a-z-]+) ([A-Z]\S*)", text, re.M)
                       if name not in ("--out", "--save")}


def load(file):
    with open(os.path.join(tree, file), encoding="utf-8") as text:
        return json.load(text)


def planted(name):
    subprocess.run([plant, name, name + ".json"], check=True)
    with open(name + ".json", encoding="utf-8") as text:
        return Json("ceilings of " + name, json.load(text))


def profiles():
    """The examples of all formats, as words, or as cells where a format is always CSV."""
    separators = {"ncu": ",", "perf": ";"}
    with open(os.path.join(tree, "analysis/ext/import/formats.def"), encoding="utf-8") as rows:
        formats = re.findall(r"^RFL_IMPORTER\((\w+)\)", rows.read(), re.M)
    for folder in (name.replace("_", "-") for name in formats):
        separator = separators.get(folder)
        for name in sorted(os.listdir(os.path.join(tree, "tests/data", folder))):
            file = os.path.join("tests/data", folder, name)
            if not name.endswith(".md") and os.path.getsize(os.path.join(tree, file)) < 60_000:
                is_csv = name.endswith(".csv") and separator
                yield Cells(folder + "-" + name.replace(".", "-"), file, is_csv or None), of_points()


def fleet():
    """Records of a node that is sick and of one that failed."""
    merge = [ert, "fleet", "merge"]
    forms = {"text": plain, "json": json_text, "hosts": plain, "suspects": plain}
    simulate = os.path.join(os.path.dirname(ert), "..", "tests", "fleet", "fleet_simulate")
    made = subprocess.run([simulate, "--nodes", "3", "--ceilings", "2"], capture_output=True)
    records = [json.loads(line) for line in made.stdout.splitlines()]
    gpu = {"device": "gpu0", "model": "m", "driver": "d", "memory_bytes": 1, "power_limit_w": 1,
           "boost_hz": 1}
    sick, failed = records[0], records[1]
    sick["fingerprint"]["gpus"] = [gpu, dict(gpu, driver="w")]
    sick["warnings"] = [{"device": "cpu", "text": "hot"}]
    sick["ceilings"][1].update(value=0, reason="no time")
    sick["ceilings"][0].update(verdict="slower", change=-0.1)
    failed.update(status="failed", reason="device lost")
    for name, record in (("sick", sick), ("failed", failed)):
        yield (Json("record-" + name, record),
               [([*merge, "FILE", "--output", form], None, parse) for form, parse in forms.items()])


def inputs():
    for name, device in (("h200", "gpu0"), ("xeon", "cpu")):
        yield planted(name), of_ceilings(device)
    yield Json("points", load("tests/data/page/points.json")), of_points()
    yield (Json("ert", load("tests/data/ert/roofline-k20x.json")),
           [([study, "ert-ceilings", "FILE"], None, json_text)])
    yield (Json("samples", load("tests/data/corpus/samples/tiny.json")),
           [([ert, "fit", "FILE", "--out", "OUT.json"], None, plain),
            ([ert, "fit", "FILE", "--out", "OUT.json"], "OUT.json", json_text)])
    for name in ("full", "ert-1.1.0"):
        yield (Json("config-" + name, load("configs/" + name + ".json")),
               [([ert, "run", "--device", "fake", "--dry-run", "--config", "FILE"], None, plain)])
    yield (Cells("config", "tests/data/ert/config.gpu"),
           [([study, "ert-config", "FILE"], None, json_text)])
    yield from fleet()
    yield from profiles()


def commands():
    for words in (["place", H200, *HAND, "--name", "x"], ["plot", H200, "points.json", "--out", "x.svg"],
                  ["show", H200], ["import", "auto", "points.json"], ["compare", "--steps", "points.json"]):
        yield Words([roofline, *words]), REPORTS
    for words in (["scaling", "1:points.json", "2:points.json"], ["export", "csv", H200],
                  ["portability", "a=h200.json:points.json", "b=h200.json:points.json"]):
        yield Words([study, *words]), {"text": plain}
    for words in (["run", "--device", "fake", "--dry-run"], ["info"], ["show", H200], ["fit", "tiny.json"],
                  ["list"], ["bench"], ["fleet", "node", "--device", "fake"]):
        yield Words([ert, *words]), {"text": plain}


# ---- trying ----

counts = collections.Counter()
failures = []
drawn = []
serial = itertools.count()


def run(command, file, out, parse, clean):
    """Runs it and parses what it wrote; its exit code and the text."""
    stem = "out%d" % next(serial)
    words = [re.sub(r"\bFILE", lambda _: file, word).replace("OUT", stem) for word in command]
    done = subprocess.run(words, capture_output=True, timeout=120)
    written = out and out.replace("OUT", stem)
    text = done.stdout
    try:
        want(0 <= done.returncode <= 4, "ended by signal", -done.returncode)
        plain(done.stderr.decode("utf-8"), None)
        if done.returncode == 2:
            want(done.stderr.count(b"\n") == 1, "no single error:", done.stderr.decode()[:300])
        if written and os.path.exists(written):
            with open(written, "rb") as content:
                text = content.read()
        elif written and done.returncode == 0:
            raise Wrong("no " + written)
        text = text.decode("utf-8")
        if done.returncode in (0, 1, 4) and text:
            parse(text, text if clean is None else clean)
        if wanted and chromium and parse in (page, svg) and done.returncode == 0 and len(text) < 1_000_000:
            os.rename(written, "drawn-" + written)
            drawn.append("drawn-" + written)
    finally:
        if written and os.path.exists(written):
            os.unlink(written)
    if done.returncode == 2 and file in done.stderr.decode("utf-8"):
        return "not read", text
    return done.returncode, text


def attempt(name, what, command, file, out, parse, clean):
    try:
        code, _ = run(command, file, out, parse, clean)
        counts["written" if code in (0, 1, 4) else "refused"] += 1
        return code
    except Exception as reason:  # of any parser
        words = " ".join(os.path.basename(word) if "/" in word else word for word in command)
        failures.append((name, "%s: %s: %s: %s" % (what, words, type(reason).__name__, str(reason)[:400])))
        return None


def is_word(text):
    """What a command can be given."""
    return "\0" not in text and len(text) < 100_000


def try_words(source, parsers):
    """Each option with a text that acts and another one; when all is wanted, with all."""
    for i, option in enumerate(source.fields):
        texts = [text for text in TEXTS if is_word(text)]
        acts = [text for text in ACTS if is_word(text)]
        for text in texts if wanted else [SEEN[i % len(SEEN)], acts[i % len(acts)]]:
            for form, parse in parsers.items() if wanted else list(parsers.items())[i % len(parsers):][:1]:
                command = source.command + [option, text] + ([] if len(parsers) == 1 else ["--output", form])
                attempt(source.name, "%s %r" % (option, text[:40]), command, "", None,
                        lambda text, _, parse=parse: plain(text, _), "")


def clean_outputs(source, outputs):
    """What each command writes of the file as it is; outputs that there are none of are left out."""
    file = "clean-" + source.name
    source.write(file, {})
    kept = []
    for command, out, parse in outputs:
        try:
            code, text = run(command, file, out, parse, None)
        except Exception as reason:
            failures.append((source.name, "as it is: %s: %s" % (" ".join(command)[-80:], reason)))
            continue
        if code in (0, 1, 4):
            kept.append((command, out, parse, text))
    return kept


def together(source, output, texts, refused):
    """The file with these texts, for one output; of what is refused each half, so that each field is tried."""
    command, out, parse, clean = output
    texts = {field: text for field, text in texts.items()
             if not refused & {(field, text, None), (field, text, command[1])}}
    if not texts:
        return True
    file = "bad-" + source.name
    source.write(file, texts)
    what = ", ".join("%s %r" % (field, text[:40]) for field, text in list(texts.items())[:3])
    code = attempt(source.name, what, command, file, out, parse, clean)
    if code in (0, 1, 4):
        return True
    parts = list(texts.items())
    if len(parts) == 1:
        refused.add((*parts[0], None if code == "not read" else command[1]))
    else:
        for part in (parts[::2], parts[1::2]) if wanted else some(zip(parts), 3, len(parts)):
            together(source, output, dict(part), refused)
    return False


def try_file(source, outputs):
    """Each field by itself, then all that readers take at once, each with a text of its own."""
    if isinstance(source, Cells):
        outputs = some(outputs, 6, len(source.fields))
    kept = clean_outputs(source, outputs)
    if not kept:
        failures.append((source.name, "nothing can be written of it"))
        return
    free, refused = [], set()
    fields = some(source.fields, 8) if isinstance(source, Cells) else source.fields
    for i, field in enumerate(fields):
        is_free = together(source, kept[0], {field: "'a<b>"}, refused)
        free += [field] if is_free else []
        for text in ACTS + LONG if wanted else [ACTS[i % len(ACTS)]]:
            together(source, kept[i % len(kept)], {field: text}, refused)
    counts["fields"] += len(source.fields)
    counts["free fields"] += len(free)
    texts = TEXTS if wanted else SEEN
    for turn, output in enumerate(kept):
        for k in range(len(texts)) if wanted else [turn]:
            together(source, output, {field: texts[(k + i) % len(texts)] for i, field in enumerate(free)},
                     refused)


# ---- a browser ----

TOUCH = """<script>for (const at of document.querySelectorAll('*'))
    for (const what of ['mouseover', 'pointerenter', 'focus', 'click', 'input', 'change', 'keydown'])
        at.dispatchEvent(new Event(what, {bubbles: true}));
top.postMessage('drawn', '*')</script>"""
FRAMES = """<!DOCTYPE html><title>frames</title><body><script>
addEventListener('message', e => { let i = 0; while (window[i] !== e.source) i++;
    document.body.append(`[${i} ${e.data}]`); })</script>
"""


def browse():
    """Each page and chart in a frame of headless Chromium, all of it touched: what ran, and is not ours."""
    with open("control.html", "w", encoding="utf-8") as out:
        out.write("<!DOCTYPE html><p>" + "".join(text for text in SEEN if RUNS in text) + TOUCH)
    for begin in range(0, len(drawn), 40):
        files = [*drawn[begin:begin + 40], "control.html"]
        for name in files[:-1]:
            with open(name, encoding="utf-8") as file:
                head, tag, tail = file.read().rpartition("</svg>" if name.endswith("svg") else "</body>")
            with open(name, "w", encoding="utf-8") as out:
                out.write(head + TOUCH.replace("=>", "=&gt;") + tag + tail)
        with open("frames.html", "w", encoding="utf-8") as out:
            out.write(FRAMES + "".join("<iframe src='%s'></iframe>\n" % name for name in files))
        # A profile of its own: in the user's it waits for whoever has that open.
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu",
                               "--disable-dev-shm-usage", "--user-data-dir=" + os.path.abspath("profile"),
                               "--dump-dom", "--virtual-time-budget=20000",
                               "file://" + os.path.abspath("frames.html")],
                              capture_output=True, text=True, timeout=600)
        for i, name in enumerate(files):
            says = re.findall(r"\[%d (\w+)\]" % i, done.stdout)
            if ("drawn" not in says) or ("ran" in says) != (name == "control.html"):
                failures.append(("browser", "%s: %s" % (name, says)))
    for name, text in failures:
        if name == "browser":
            print("#", text)
    return not [name for name, _ in failures if name == "browser"]


def main():
    os.mkdir("work")
    os.chdir("work")
    planted("h200")
    shutil.copy(os.path.join(tree, "tests/data/page/points.json"), "points.json")
    shutil.copy(os.path.join(tree, "tests/data/corpus/samples/tiny.json"), "tiny.json")
    tries = [(try_file, *each) for each in inputs()] + [(try_words, *each) for each in commands()]
    if wanted and wanted != "full":
        tries = [each for each in tries if wanted in each[1].name]
        if not tries:
            sys.exit("HOSTILE=%s: no input has this in its name" % wanted)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(*each) for each in tries]:
            done.result()
    for n, (_, source, _) in enumerate(tries, 1):
        bad = [text for name, text in failures if name == source.name]
        print("%s %d - %s: %d fields" % ("not ok" if bad else "ok", n, source.name, len(source.fields)))
        for text in bad[:12]:
            print("#", text.encode("ascii", "backslashreplace").decode().replace("\n", "\\n"))
        if len(bad) > 12:
            print("# and %d more" % (len(bad) - 12))
    print("# " + ", ".join("%d %s" % (n, what) for what, n in counts.items()))
    if wanted and chromium:
        n += 1
        print("%s %d - none of %d pages and charts runs a text" % ("ok" if browse() else "not ok", n, len(drawn)))
    for n, (module, package) in enumerate(((markdown, "python3-markdown"),), n + 1):
        print("ok %d - a parser%s" % (n, "" if module else " # SKIP no " + package + " (Debian)"))
    print("1..%d" % n)


main()
