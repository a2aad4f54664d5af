"""Python's official client: creates, lists, watches, patches, applies, follows and deletes ConfigMaps."""

import sys
import threading

from kubernetes import client, config, dynamic, watch

NAMESPACE = "default"


def body(name, value):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"peer": "python"}}, "data": {"a": value}}


def version(core):
    found = client.VersionApi(core.api_client).get_code()
    assert found.major == "1" and found.git_version.startswith("v1."), found


def create(core):
    created = core.create_namespaced_config_map(NAMESPACE, body("python", "1"))
    assert created.metadata.uid and created.data == {"a": "1"}


def conflict(core):
    try:
        core.create_namespaced_config_map(NAMESPACE, body("python", "1"))
        raise AssertionError("created twice")
    except client.ApiException as error:
        assert error.status == 409 and error.reason == "Conflict", error


def listed(core):
    found = core.list_namespaced_config_map(NAMESPACE, label_selector="peer=python")
    assert [it.metadata.name for it in found.items] == ["python"]


def watched(core):
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    change = threading.Timer(0.3, lambda: core.patch_namespaced_config_map("python", NAMESPACE, {"data": {"a": "2"}}))
    change.start()
    events = watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version=start, label_selector="peer=python", timeout_seconds=3)
    seen = [(it["type"], it["object"].data["a"]) for it in events]
    assert seen == [("MODIFIED", "2")], seen


def patched(core):
    patch = [{"op": "replace", "path": "/data/a", "value": "3"}]
    assert core.patch_namespaced_config_map("python", NAMESPACE, patch).data == {"a": "3"}


def applied(core):
    maps = dynamic.DynamicClient(core.api_client).resources.get(api_version="v1", kind="ConfigMap")
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "python"}, "data": {"b": "1"}}
    found = maps.server_side_apply(config, name="python", namespace=NAMESPACE, field_manager="python")
    assert found.data.b == "1" and found.data.a == "3"


def deleted(core):
    core.delete_namespaced_config_map("python", NAMESPACE)
    try:
        core.read_namespaced_config_map("python", NAMESPACE)
        raise AssertionError("still there")
    except client.ApiException as error:
        assert error.status == 404, error


def main():
    config.load_kube_config(sys.argv[1])
    core = client.CoreV1Api()
    for number, step in enumerate([version, create, conflict, listed, watched, patched, applied, deleted], 1):
        try:
            step(core)
            print(f"ok {number} - {step.__name__}", flush=True)
        except Exception as error:  # A test goes on with the next step.
            print(f"not ok {number} - {step.__name__}: {error!r}".replace("\n", " "), flush=True)


main()
