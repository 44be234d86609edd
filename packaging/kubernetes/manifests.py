# SPDX-License-Identifier: Apache-2.0
"""Manifests that record the training pods of a Kubernetes cluster, on stdout. docs/containers.md says how they are used.

  job FILE    a job with recording in each of its pods: any kind that holds pod templates (Job, JobSet, PyTorchJob, RayJob ...)
  policy      a MutatingAdmissionPolicy and its binding: pods with the label ringside/run are recorded as they are created
  namespace   what the policy takes from a namespace: the image and the volume
  serve       a pod that gives the figures of a run to Prometheus, and its PodMonitor

What a recorded pod has more than others is written once, for `job` and `policy`: an init container copies Ringside into an
emptyDir, which the other containers mount read-only, and variables name the library. It needs python3-yaml.
"""

import argparse
import copy
import json
import re
import sys

import yaml

LABEL = "ringside/run"  # a label and no annotation: admission selects pods by labels
INSTALLED, RUNS = "/ringside/install", "/ringside/runs"
LIBRARY = INSTALLED + "/lib/ringside/libringside_collector.so"
IN_IMAGE = "/opt/ringside"
PORT = 9464
# As the Pod Security Standard "restricted" asks for; the user is said, because the pod's own may be root.
CONFINED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True, "runAsUser": 65534,
            "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}
SMALL = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}}
MOUNTS = [{"name": "ringside-install", "mountPath": INSTALLED, "readOnly": True}, {"name": "ringside-runs", "mountPath": RUNS}]
# Set by hand, or by another tool that wants the same place: such a pod is left alone.
TAKEN = ("RINGSIDE_DIR", "NVTX_INJECTION64_PATH")


class Cel(str):
    """An expression in a manifest, where other strings are literals."""


def init_container(image):
    # Its parts and not the folder: the volume's own folder belongs to root.
    return {"name": "ringside", "image": image, "command": ["cp", "-R", f"{IN_IMAGE}/bin", f"{IN_IMAGE}/lib", f"{IN_IMAGE}/share", INSTALLED],
            "volumeMounts": [{"name": "ringside-install", "mountPath": INSTALLED}], "resources": SMALL, "securityContext": CONFINED}


def volumes(claim):
    return [{"name": "ringside-install", "emptyDir": {"sizeLimit": "256Mi"}}, {"name": "ringside-runs", "persistentVolumeClaim": {"claimName": claim}}]


def variables(preload, run):
    return [{"name": "LD_PRELOAD", "value": preload}, {"name": "NVTX_INJECTION64_PATH", "value": LIBRARY}, {"name": "RINGSIDE_DIR", "value": run}]


# --- job


def record_container(container, run):
    own = {each["name"]: each for each in container.get("env", [])}
    preload = own.get("LD_PRELOAD", {})
    taken = [name for name in TAKEN if name in own] + ["LD_PRELOAD"] * ("valueFrom" in preload)
    if taken:
        sys.exit(f"the container {container['name']} sets {taken[0]} itself: remove it, or leave the container as it is")
    others = [each for each in container.get("env", []) if each["name"] != "LD_PRELOAD"]
    chained = ":".join(filter(None, (LIBRARY, preload.get("value"))))
    container["env"] = others + variables(chained, f"{RUNS}/{run}.ringside")
    container.setdefault("volumeMounts", []).extend(copy.deepcopy(MOUNTS))


def record_templates(value, arguments):
    """Changes each pod template at any depth of a document. Returns how many there are."""
    if isinstance(value, list):
        return sum(record_templates(each, arguments) for each in value)
    if not isinstance(value, dict):
        return 0
    pod = value.get("spec")
    if not isinstance(pod, dict) or not isinstance(pod.get("containers"), list):
        return sum(record_templates(each, arguments) for each in value.values())
    for container in pod["containers"]:
        record_container(container, arguments.run)
    pod.setdefault("initContainers", []).insert(0, init_container(arguments.image))
    pod.setdefault("volumes", []).extend(volumes(arguments.claim))
    return 1


def job(arguments):
    with open(arguments.file) as file:
        documents = [each for each in yaml.safe_load_all(file) if each is not None]
    if record_templates(documents, arguments) == 0:
        sys.exit(f"{arguments.file}: there is no pod template in it (a spec with containers)")
    return documents


# --- policy


def cel(value, kind):
    """The value as an expression of CEL. Objects need their kind there: Object.spec.volumes{name: "a"}; maps of quantities have none."""
    if isinstance(value, Cel):
        return value
    if isinstance(value, list):
        return "[" + ", ".join(cel(each, kind) for each in value) + "]"
    if isinstance(value, dict):
        if kind.endswith((".requests", ".limits")):
            return "{" + ", ".join(f"{json.dumps(name)}: {cel(each, kind)}" for name, each in value.items()) + "}"
        return kind + "{" + ", ".join(f"{name}: {cel(each, f'{kind}.{name}')}" for name, each in value.items()) + "}"
    return json.dumps(value)


def policy(arguments):
    own = 'c.env.filter(e, e.name == "LD_PRELOAD")'
    preload = Cel(f'{json.dumps(LIBRARY)} + (has(c.env) && c.env.exists(e, e.name == "LD_PRELOAD") ? ":" + {own}[0].value : "")')
    run = Cel(f'{json.dumps(RUNS + "/")} + object.metadata.labels["{LABEL}"] + ".ringside"')
    container = cel({"name": Cel("c.name"), "env": variables(preload, run), "volumeMounts": MOUNTS}, "Object.spec.containers")
    added = cel(volumes(Cel("params.data.claim")), "Object.spec.volumes")
    first = cel(init_container(Cel("params.data.image")), "Object.spec.initContainers")
    names = json.dumps(list(TAKEN))
    # Two patches: what a list holds is merged by names, but not where lists have none, such as `command` (they are "atomic").
    mutations = [
        {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression":
            f"Object{{spec: Object.spec{{containers: object.spec.containers.map(c, {container}), volumes: {added}}}}}"}},
        {"patchType": "JSONPatch", "jsonPatch": {"expression":
            '(has(object.spec.initContainers) ? [] : [JSONPatch{op: "add", path: "/spec/initContainers", value: []}]) + '
            f'[JSONPatch{{op: "add", path: "/spec/initContainers/0", value: {first}}}]'}}]
    return [
        {"apiVersion": arguments.api, "kind": "MutatingAdmissionPolicy", "metadata": {"name": "ringside"}, "spec": {
            "failurePolicy": "Ignore",  # a job that cannot be recorded runs unrecorded
            "reinvocationPolicy": "Never",
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
            "matchConstraints": {
                "objectSelector": {"matchExpressions": [{"key": LABEL, "operator": "Exists"}]},
                "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]},
            "matchConditions": [{"name": "the-places-are-free", "expression":
                f"!object.spec.containers.exists(c, has(c.env) && c.env.exists(e, e.name in {names} || "
                '(e.name == "LD_PRELOAD" && !has(e.value))))'}],
            "mutations": mutations}},
        {"apiVersion": arguments.api, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "ringside"}, "spec": {
            "policyName": "ringside",  # the ConfigMap of the pod's own namespace; where there is none, nothing is changed
            "paramRef": {"name": "ringside", "parameterNotFoundAction": "Allow"}}}]


def namespace(arguments):
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ringside"}, "data": {"image": arguments.image, "claim": arguments.claim}}]


# --- serve


def serve(arguments):
    labels = {"app.kubernetes.io/name": "ringside-serve"}
    context = {**CONFINED, "runAsUser": arguments.user, "runAsNonRoot": arguments.user != 0}
    return [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"ringside-serve-{arguments.run}", "labels": labels}, "spec": {
            "restartPolicy": "OnFailure", "automountServiceAccountToken": False,
            "containers": [{"name": "serve", "image": arguments.image, "securityContext": context, "resources": SMALL,
                            "command": [f"{IN_IMAGE}/bin/ringside", "serve", f"{RUNS}/{arguments.run}.ringside", "--listen", f"0.0.0.0:{PORT}"],
                            "ports": [{"name": "metrics", "containerPort": PORT}],
                            "volumeMounts": [{"name": "ringside-runs", "mountPath": RUNS, "readOnly": True}]}],
            "volumes": [{"name": "ringside-runs", "persistentVolumeClaim": {"claimName": arguments.claim, "readOnly": True}}]}},
        {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": {"name": "ringside-serve"}, "spec": {
            "selector": {"matchLabels": labels}, "podMetricsEndpoints": [{"port": "metrics", "interval": "5s"}]}}]


def run_name(text):
    """Part of the names of a pod and a folder, and the value of a label."""
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no name of a run: at most 40 of a-z, 0-9 and '-', which does not begin or end it")
    return text


def read_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    options = {"--image": "an image that has Ringside in /opt/ringside", "--claim": "the volume for results: a PersistentVolumeClaim that all pods can mount",
               "--run": "name of the run", "--user": "number of the user that trains: the run belongs to it", "--api": "version of the policy: v1, or v1beta1 before Kubernetes 1.36"}
    for make, wanted in ((job, ("--run", "--image", "--claim")), (policy, ()), (namespace, ("--image", "--claim")), (serve, ("--run", "--image", "--claim", "--user"))):
        command = commands.add_parser(make.__name__)
        command.set_defaults(make=make)
        if make is job:
            command.add_argument("file", help="manifest of the job")
        if make is policy:
            command.add_argument("--api", choices=("v1", "v1beta1"), default="v1", type=str, help=options["--api"])
        for option in wanted:
            command.add_argument(option, required=True, type={"--user": int, "--run": run_name}.get(option, str), help=options[option])
    arguments = parser.parse_args(words)
    if hasattr(arguments, "api"):
        arguments.api = f"admissionregistration.k8s.io/{arguments.api}"
    return arguments


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


if __name__ == "__main__":
    ARGUMENTS = read_arguments(sys.argv[1:])
    yaml.dump_all(ARGUMENTS.make(ARGUMENTS), sys.stdout, Dumper, sort_keys=False, width=120)
