# SPDX-License-Identifier: Apache-2.0
"""packaging/kubernetes/manifests.py: jobs of the usual operators get what they need and nothing else, the policy does to a pod what
`job` does, and what runs beside a training has no rights. No cluster reads any of it here. kubernetes_test.py SOURCE RINGSIDE"""

import copy
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

from cel import evaluate

SOURCE, RINGSIDE = map(pathlib.Path, sys.argv[1:3])
MANIFESTS = SOURCE / "packaging/kubernetes/manifests.py"
RUN, PLACES = ("--run", "night-7"), ("--image", "ringside:1", "--claim", "data")
POD = """
containers:
- {name: train, image: torch, command: [torchrun, train.py], env: [{name: OMP_NUM_THREADS, value: "4"}], volumeMounts: [{name: shm, mountPath: /dev/shm}]}
- {name: logs, image: logs}
volumes: [{name: shm, emptyDir: {medium: Memory}}]
"""
JOBS = {  # where each operator has its pod templates
    "PyTorchJob": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": {"spec": "POD"}}, "Worker": {"replicas": 3, "template": {"spec": "POD"}}}},
    "JobSet": {"replicatedJobs": [{"name": "workers", "template": {"spec": {"parallelism": 4, "template": {"spec": "POD"}}}}]},
    "RayJob": {"entrypoint": "python train.py", "rayClusterSpec": {"headGroupSpec": {"template": {"spec": "POD"}},
                                                                  "workerGroupSpecs": [{"groupName": "gpu", "template": {"spec": "POD"}}]}},
}


def with_pods(value, pod):
    """The value with a copy of the pod in the places that are marked, and these copies."""
    if value == "POD":
        new = copy.deepcopy(pod)
        return new, [new]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    made = {key: with_pods(each, pod) for key, each in items}
    whole = {key: new for key, (new, _) in made.items()} if isinstance(value, dict) else [new for new, _ in made.values()] if isinstance(value, list) else value
    return whole, [each for _, pods in made.values() for each in pods]


def rendered(*words, expect=0):
    done = subprocess.run([sys.executable, "-B", MANIFESTS, *words], capture_output=True, text=True)
    if done.returncode != expect:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stderr}")
    return list(yaml.safe_load_all(done.stdout)) if expect == 0 else done.stderr


def merged(old, new):
    """As the API server merges an apply configuration: lists of a pod by the name of their items, or where they are mounted."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        key = "mountPath" if "mountPath" in (old + new)[0] else "name"
        together = {each[key]: each for each in old}
        for each in new:
            together[each[key]] = merged(together.get(each[key]), each)
        return list(together.values())
    return new


class Kubernetes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def job(self, document, expect=0):
        (self.folder / "job.yaml").write_text(yaml.dump(document))
        return rendered("job", self.folder / "job.yaml", *RUN, *PLACES, expect=expect)

    def recorded_pod(self, pod):
        return self.job({"kind": "Pod", "metadata": {"name": "a"}, "spec": pod})[0]["spec"]

    def admitted_pod(self, pod):
        """What the policy makes of a pod."""
        made = {"metadata": {"labels": {"ringside/run": "night-7"}}, "spec": copy.deepcopy(pod)}
        spec = rendered("policy")[0]["spec"]
        if not all(evaluate(each["expression"], object=made) for each in spec["matchConditions"]):
            return pod
        params = rendered("namespace", *PLACES)[0]
        apply, patch = spec["mutations"]
        made = merged(made, evaluate(apply["applyConfiguration"]["expression"], object=made, params=params))
        for each in evaluate(patch["jsonPatch"]["expression"], object=made, params=params):
            *folders, name = each["path"].strip("/").split("/")
            place = made
            for folder in folders:
                place = place[folder]
            if isinstance(place, list):
                place.insert(int(name), each["value"])
            else:
                place[name] = each["value"]
        return made["spec"]

    def assert_same_pod(self, one, other):
        def in_order(pod):
            containers = [{**each, "env": sorted(each["env"], key=lambda variable: variable["name"])} for each in pod["containers"]]
            return {**pod, "containers": containers}
        self.assertEqual(in_order(one), in_order(other))

    def assert_confined(self, container):
        context = container["securityContext"]
        self.assertIs(context["runAsNonRoot"], True)
        self.assertIs(context["readOnlyRootFilesystem"], True)
        self.assertIs(context["allowPrivilegeEscalation"], False)
        self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
        self.assertEqual(context["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertEqual(set(context) - {"runAsUser"}, {"runAsNonRoot", "readOnlyRootFilesystem", "allowPrivilegeEscalation", "capabilities", "seccompProfile"})

    def test_jobs_of_each_operator_get_what_they_need_in_each_template_and_nothing_else(self):
        for kind, template in JOBS.items():
            with self.subTest(kind):
                spec, pods = with_pods(template, yaml.safe_load(POD))
                result = self.job({"kind": kind, "metadata": {"name": "train"}, "spec": spec})
                for pod in pods:
                    pod.update(self.recorded_pod(pod))
                self.assertEqual(result, [{"kind": kind, "metadata": {"name": "train"}, "spec": spec}])

    def test_a_recorded_pod_is_the_pod_and_the_recording(self):
        original, pod = yaml.safe_load(POD), self.recorded_pod(yaml.safe_load(POD))
        first = pod["initContainers"][0]
        self.assert_confined(first)
        self.assertEqual([each["name"] for each in pod["volumes"]], ["shm", "ringside-install", "ringside-runs"])
        for container, before in zip(pod["containers"], original["containers"]):
            self.assertEqual(container["env"][:-3], before.get("env", []))
            self.assertEqual(container["volumeMounts"][:-2], before.get("volumeMounts", []))
            installed, runs = container["volumeMounts"][-2:]
            self.assertTrue(installed["readOnly"])
            self.assertEqual(first["volumeMounts"], [{"name": installed["name"], "mountPath": first["command"][-1]}])
            self.assertTrue(container["env"][-1]["value"].startswith(runs["mountPath"] + "/"))
            self.assertEqual({**container, "env": 0, "volumeMounts": 0}, {**before, "env": 0, "volumeMounts": 0})

    def test_the_variables_are_those_of_ringside_env(self):
        printed = subprocess.run([RINGSIDE, "env", "-o", "/ringside/runs/night-7.ringside", "--format", "kubernetes"], check=True, capture_output=True, text=True)
        wanted = {each["name"]: pathlib.Path(each["value"]).name for each in yaml.safe_load(printed.stdout)}
        del wanted["RINGSIDE_PROFILE"]  # the default; a pod may say another
        found = {each["name"]: pathlib.Path(each["value"]).name for each in self.recorded_pod(yaml.safe_load(POD))["containers"][1]["env"]}
        self.assertEqual(found, wanted)

    def test_the_policy_makes_of_a_pod_what_job_makes_of_it(self):
        plain, preloading, prepared = (yaml.safe_load(POD) for _ in range(3))
        preloading["containers"][0]["env"] += [{"name": "LD_PRELOAD", "value": "libjemalloc.so.2"}]
        prepared["initContainers"] = [{"name": "data", "image": "data"}]
        del prepared["volumes"]
        for pod in (plain, preloading, prepared):
            self.assert_same_pod(self.admitted_pod(pod), self.recorded_pod(pod))
        chained = {each["name"]: each["value"] for each in self.recorded_pod(preloading)["containers"][0]["env"]}["LD_PRELOAD"]
        self.assertRegex(chained, "^/[^:]+:libjemalloc.so.2$")

    def test_a_pod_that_another_tool_or_a_person_prepared_is_left_alone(self):
        for variable in ({"name": "RINGSIDE_DIR", "value": "/a"}, {"name": "NVTX_INJECTION64_PATH", "value": "/nsys.so"},
                         {"name": "LD_PRELOAD", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}):
            pod = yaml.safe_load(POD)
            pod["containers"][0]["env"].append(variable)
            self.assertEqual(self.admitted_pod(pod), pod)
            self.assertIn(f"the container train sets {variable['name']} itself", self.job({"kind": "Pod", "spec": pod}, expect=1))
        self.assertEqual(self.admitted_pod(again := self.recorded_pod(yaml.safe_load(POD))), again)

    def test_the_policy_takes_pods_by_their_label_alone_and_refuses_none(self):
        policy, binding = rendered("policy", "--api", "v1beta1")
        self.assertEqual({policy["apiVersion"], binding["apiVersion"]}, {"admissionregistration.k8s.io/v1beta1"})
        spec = policy["spec"]
        self.assertEqual(spec["failurePolicy"], "Ignore")
        self.assertEqual(spec["matchConstraints"]["objectSelector"], {"matchExpressions": [{"key": "ringside/run", "operator": "Exists"}]})
        self.assertEqual(spec["matchConstraints"]["resourceRules"], [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}])
        self.assertEqual(binding["spec"]["policyName"], policy["metadata"]["name"])
        self.assertEqual(binding["spec"]["paramRef"], {"name": rendered("namespace", *PLACES)[0]["metadata"]["name"], "parameterNotFoundAction": "Allow"})

    def test_atomic_lists_are_in_the_patch_that_may_have_them(self):
        apply, patch = rendered("policy")[0]["spec"]["mutations"]
        for atomic in ("command", "drop"):
            self.assertNotIn(atomic, apply["applyConfiguration"]["expression"])
            self.assertIn(f"{atomic}: [", patch["jsonPatch"]["expression"])

    def test_figures_are_served_to_the_monitor_by_the_user_that_trained(self):
        pod, monitor = rendered("serve", *RUN, *PLACES, "--user", "1000")
        (container,) = pod["spec"]["containers"]
        self.assert_confined(container)
        self.assertEqual(container["securityContext"]["runAsUser"], 1000)
        self.assertIn(f"0.0.0.0:{container['ports'][0]['containerPort']}", container["command"])
        self.assertEqual(monitor["spec"]["selector"]["matchLabels"], pod["metadata"]["labels"])
        self.assertEqual(monitor["spec"]["podMetricsEndpoints"][0]["port"], container["ports"][0]["name"])
        run = {each["name"]: each["value"] for each in self.recorded_pod(yaml.safe_load(POD))["containers"][0]["env"]}["RINGSIDE_DIR"]
        self.assertIn(run, container["command"])
        words = subprocess.run([RINGSIDE, *container["command"][1:], "--help"], capture_output=True, text=True)
        self.assertEqual(words.returncode, 0, words.stderr)
        self.assertIs(rendered("serve", *RUN, *PLACES, "--user", "0")[0]["spec"]["containers"][0]["securityContext"]["runAsNonRoot"], False)

    @unittest.skipUnless(os.geteuid() == 0, "becoming another user needs root")
    def test_the_copy_needs_no_rights_in_a_folder_of_root(self):
        image, volume = self.folder / "image", self.folder / "volume"
        self.folder.chmod(0o755)
        for part in ("bin", "lib", "share"):
            (image / part).mkdir(parents=True)
            (image / part / "file").write_text(part)
        volume.mkdir()
        volume.chmod(0o777)  # as the kubelet makes an emptyDir
        first = self.recorded_pod(yaml.safe_load(POD))["initContainers"][0]
        command = [word.replace("/opt/ringside", str(image)).replace("/ringside/install", str(volume)) for word in first["command"]]
        for _ in range(2):  # a restarted pod finds what is there
            subprocess.run(command, check=True, user=first["securityContext"]["runAsUser"], group=65534, extra_groups=[])
        self.assertEqual(sorted(str(each.relative_to(volume)) for each in volume.glob("*/*")), ["bin/file", "lib/file", "share/file"])

    def test_what_cannot_be_done_is_said(self):
        self.assertIn("no pod template", self.job({"kind": "ConfigMap", "data": {}}, expect=1))
        self.assertIn("'Night_7' is no name of a run", rendered("serve", "--run", "Night_7", *PLACES, "--user", "1", expect=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
