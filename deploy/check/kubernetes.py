#!/usr/bin/env python3
"""Holds objects to the schemas of Kubernetes, and to what these cannot know: that objects which name each other fit, and what each
container has to promise.

    kubernetes.py FILE [--base]     the output of `kubectl kustomize`; of a base, whose objects have no namespace yet
"""

import json
import pathlib
import sys

import kubernetes_validate
import yaml

VERSIONS = ("1.28", "1.37")

# The one secret is made by hand; see docs/deployment.md.
GIVEN = {("Secret", "kidoban")}
PROMISES = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}

with open(sys.argv[1], encoding="utf-8") as file:
    objects = [one for one in yaml.safe_load_all(file) if one]
known = {(one["kind"], one["metadata"]["name"]): one for one in objects}
templates = [(one, one["spec"]["template"]) for one in objects if one["kind"] in ("Deployment", "Job")]
pods = [template["metadata"]["labels"] for _, template in templates]
wrong = []


def name(one):
    return f"{one['kind']}/{one['metadata']['name']}"


def expect(condition, one, problem):
    if not condition:
        wrong.append(f"{name(one)}: {problem}")


def selects(selector, labels):
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def ports(labels):
    return {
        port for _, template in templates if selects(labels, template["metadata"]["labels"])
        for container in template["spec"]["containers"] for entry in container.get("ports", [])
        for port in (entry.get("name"), entry["containerPort"])
    }


def served():
    """The paths of the applications' listener, from the OpenAPI document."""
    document = json.loads((pathlib.Path(__file__).parents[2] / "openapi.json").read_text())
    return [path.rstrip("/") for path in document["paths"] if path not in ("/health/live", "/health/ready", "/metrics")]


def check_container(one, pod, container):
    declared = {value for port in container.get("ports", []) for value in (port.get("name"), port["containerPort"])}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if one["kind"] == "Deployment":
            expect(probe in container, one, f"no {probe}")
        if probe in container:
            expect(container[probe]["httpGet"]["port"] in declared, one, f"{probe}: no such port")
    for key, value in PROMISES.items():
        expect(container.get("securityContext", {}).get(key) == value, one, f"{container['name']}: {key} is not {value}")
    resources = container.get("resources", {})
    expect({"cpu", "memory"} <= resources.get("requests", {}).keys() and "memory" in resources.get("limits", {}), one, "resources")
    for source in container.get("envFrom", []):
        reference = ("ConfigMap", source["configMapRef"]["name"])
        expect(reference in known, one, f"there is no {'/'.join(reference)}")
    for variable in container.get("env", []):
        expect("valueFrom" not in variable, one, f"{variable['name']}: secrets are files")
    volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        expect(mount["name"] in volumes, one, f"there is no volume {mount['name']}")
        secret = volumes.get(mount["name"], {}).get("secret")
        if secret:
            expect(("Secret", secret["secretName"]) in known.keys() | GIVEN, one, f"there is no secret {secret['secretName']}")
            # What Kidoban accepts of a file that root owns.
            expect(secret.get("defaultMode", 0o644) & 0o037 == 0, one, "others than its group may read the secret")


for one in objects:
    # The Prometheus operator's own; its schema is not at hand.
    if one["kind"] == "ServiceMonitor":
        continue
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
            wrong.append(f"{name(one)}: Kubernetes {version}: {getattr(error, 'message', error)}")

for one, template in templates:
    pod = template["spec"]
    if one["kind"] == "Deployment":
        expect(selects(one["spec"]["selector"]["matchLabels"], template["metadata"]["labels"]), one, "selects not its own pods")
        for constraint in pod.get("topologySpreadConstraints", []):
            expect(selects(constraint["labelSelector"]["matchLabels"], template["metadata"]["labels"]), one, "spreads other pods")
        settings = known.get(("ConfigMap", pod["containers"][0]["envFrom"][0]["configMapRef"]["name"]), {}).get("data", {})
        drain = sum(int(settings[f"KIDOBAN_DRAIN_{part}"].removesuffix("s")) for part in ("DELAY", "TIMEOUT"))
        expect(pod["terminationGracePeriodSeconds"] > drain, one, f"is killed before the {drain} s of its drain are over")
    context = pod.get("securityContext", {})
    expect(context.get("runAsNonRoot") is True and context.get("runAsUser") == 65532, one, "may run as root, or not as in the image")
    expect(context.get("seccompProfile", {}).get("type") == "RuntimeDefault", one, "no seccomp profile")
    expect(pod.get("automountServiceAccountToken") is False, one, "has a token for the API")
    expect(("ServiceAccount", pod.get("serviceAccountName")) in known, one, "there is no such service account")
    for container in pod["containers"]:
        check_container(one, pod, container)

for one in objects:
    spec = one.get("spec", {})
    match one["kind"]:
        case "Service":
            expect(any(selects(spec["selector"], labels) for labels in pods), one, "selects no pod")
            for port in spec["ports"]:
                expect(port.get("targetPort", port["port"]) in ports(spec["selector"]), one, f"no port {port.get('targetPort')}")
        case "HorizontalPodAutoscaler":
            target = spec["scaleTargetRef"]
            expect((target["kind"], target["name"]) in known, one, "scales nothing")
        case "PodDisruptionBudget":
            expect(any(selects(spec["selector"]["matchLabels"], labels) for labels in pods), one, "protects nothing")
        case "NetworkPolicy":
            expect(all(selects(spec["podSelector"]["matchLabels"], labels) for labels in pods), one, "leaves pods out")
            for rule in spec["ingress"]:
                for port in rule.get("ports", []):
                    expect(port["port"] in ports(spec["podSelector"]["matchLabels"]), one, f"no port {port['port']}")
        case "Ingress":
            for path in [path for rule in spec["rules"] for path in rule["http"]["paths"]]:
                service = known.get(("Service", path["backend"]["service"]["name"]), {"spec": {"ports": []}})
                expect(path["backend"]["service"]["port"]["name"] in [port["name"] for port in service["spec"]["ports"]], one,
                       f"{path['path']} leads nowhere")
            prefixes = [path["path"] for rule in spec["rules"] for path in rule["http"]["paths"]]
            for path in served():
                is_published = any(f"{path}/".startswith(f"{prefix}/") for prefix in prefixes)
                expect(is_published == (not path.startswith("/oauth2/verify")), one, f"{path} is {'' if is_published else 'not '}published")
        case "ServiceMonitor":
            services = [other for other in objects if other["kind"] == "Service"
                        and selects(spec["selector"]["matchLabels"], other["metadata"].get("labels", {}))]
            expect(len(services) == 1, one, f"selects {len(services)} services")
            for endpoint in spec["endpoints"]:
                expect(all(endpoint["port"] in [port["name"] for port in service["spec"]["ports"]] for service in services), one,
                       f"no port {endpoint['port']}")
    expect(one["kind"] == "Namespace" or one["metadata"].get("namespace") or "--base" in sys.argv, one, "has no namespace")

print("\n".join(wrong) or f"   {len(objects)} objects are valid for Kubernetes {' and '.join(VERSIONS)}, and fit together")
sys.exit(bool(wrong))
