#!/usr/bin/env python3
"""Holds a dashboard and alert rules to the metrics of a running server: metrics.py METRICS DASHBOARD RULES

Every metric, label and fixed label value of their expressions has to be there; what Prometheus itself adds is known.
"""

import json
import re
import sys

metrics_file, dashboard_file, rules_file = sys.argv[1:]

# A metric that has no sample yet has labels that nobody knows: None.
labels = {"up": {"job", "instance"}}
values = {}
with open(metrics_file, encoding="utf-8") as lines:
    for line in map(str.strip, lines):
        if line.startswith("# TYPE "):
            labels.setdefault(line.split()[2])
        if found := re.match(r"([a-z_]+)(?:\{(.*)\})? \S+$", line):
            pairs = dict(re.findall(r'([a-z]+)="([^"]*)"', found[2] or ""))
            labels[found[1]] = (labels.get(found[1]) or {"job", "instance"}) | pairs.keys()
            for pair in pairs.items():
                values.setdefault((found[1], pair[0]), set()).add(pair[1])

expressions = re.findall(r"^ +expr: (?:>-\n((?: {10,}.*\n)+)|(.*))", open(rules_file, encoding="utf-8").read(), re.MULTILINE)
expressions = [" ".join((folded or plain).split()) for folded, plain in expressions]
rules = len(expressions)
dashboard = json.load(open(dashboard_file, encoding="utf-8"))
expressions += [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
expressions += [variable["definition"] for variable in dashboard["templating"]["list"] if "definition" in variable]

wrong = []
for expression in expressions:
    for name, selectors in re.findall(r"\b(kidoban_\w+|process_\w+|up)\b(?:\{([^}]*)\})?", expression):
        if name not in labels:
            wrong.append(f"there is no metric {name}: {expression}")
            continue
        for label, operator, value in re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', selectors):
            if labels[name] is not None and label not in labels[name]:
                wrong.append(f"{name} has no label {label}: {expression}")
            # Routes and statuses come with requests; the names of results and outcomes are there from the start.
            fixed = label in ("outcome", "result")
            if fixed and operator == "=" and value not in values.get((name, label), ()):
                wrong.append(f"{name} knows no {label} {value}: {expression}")

print("\n".join(wrong) or f"{rules} rules and {len(expressions) - rules} expressions of the dashboard use metrics that are there")
sys.exit(bool(wrong))
