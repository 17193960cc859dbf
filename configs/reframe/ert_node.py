# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame 4 check: whether the nodes are as fast as before.

    reframe -c ert_node.py -r -S ert_node_check.normal=/etc/ert/normal.json [--distribute=idle]

Each node prints its record (ert fleet node). The check passes if all records are ok and nothing is slower;
otherwise it lists the nodes and reasons. Main ceilings become performance figures,
by node. Without `normal` the nodes are measured and not compared.
"""
import json

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable


def records_of(text):
    """The records among the lines of a job's output."""
    records = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("schema") == "ert-node/1":
            records.append(record)
    return records


def faults_of(record):
    """Why a node is not as it was; empty: it is."""
    faults = []
    if record["status"] != "ok":
        faults.append(record["status"] + ": " + record["reason"])
    faults += ["%s %s is slower: %+.1f %%" % (c["device"], c["name"], 100 * c["change"])
               for c in record["ceilings"] if c["verdict"] == "slower"]
    return [record["host"] + ": " + fault for fault in faults]


@rfm.simple_test
class ert_node_check(rfm.RunOnlyRegressionTest):
    normal = variable(str, value="")
    words = variable(str, value="")  # more words for `ert fleet node`: "--device gpu"
    limit_s = variable(int, value=120)
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks_per_node = 1
    executable = "timeout"
    time_limit = "10m"
    tags = {"maintenance", "production"}

    @run_before("run")
    def set_words(self):
        # A node that is told to end has a record; one that hangs is killed 10 s later.
        self.executable_opts = ["-k", "10", str(self.limit_s), "ert", "fleet", "node"]
        if self.normal:
            self.executable_opts += ["--verify", self.normal]
        self.executable_opts += self.words.split()

    @sanity_function
    def are_as_they_were(self):
        records = records_of(sn.extractsingle(r"(?s)\A(.*)\Z", self.stdout, 1).evaluate())
        faults = sum((faults_of(record) for record in records), [])
        return sn.all([sn.assert_eq(len(records), self.num_tasks, "{0} records of {1} nodes"),
                       sn.assert_eq(faults, [], "{0}")])

    @run_before("performance")
    def set_figures(self):
        with open(str(self.stagedir) + "/" + str(self.stdout), encoding="utf-8") as text:
            records = records_of(text.read())
        self.perf_variables = {
            "_".join((record["host"], ceiling["device"], ceiling["name"])):
                sn.make_performance_function(sn.defer(ceiling["value"]), ceiling["unit"])
            for record in records for ceiling in record["ceilings"]
            if ceiling.get("main") and ceiling["value"] > 0}
