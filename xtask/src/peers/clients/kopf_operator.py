"""kopf: an operator that reacts to the creation, a change and the deletion of a custom resource, with a finalizer."""

import asyncio
import sys

import kopf
from kubernetes import client, config

GROUP, VERSION, PLURAL = "peers.example.com", "v1", "widgets"
seen = []


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = True
    settings.watching.server_timeout = 10


@kopf.on.create(GROUP, VERSION, PLURAL)
def create(spec, patch, **_):
    seen.append(f"created {spec.get('size')}")
    return {"size": spec.get("size")}


@kopf.on.update(GROUP, VERSION, PLURAL, field="spec.size")
def update(old, new, **_):
    seen.append(f"updated {old} to {new}")


@kopf.on.delete(GROUP, VERSION, PLURAL)
def delete(name, **_):
    seen.append(f"deleted {name}")


async def until(holds, what):
    for _ in range(150):
        if holds():
            return
        await asyncio.sleep(0.2)
    raise AssertionError(f"{what}: {seen}")


def definition():
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    names = {"kind": "Widget", "plural": PLURAL, "singular": "widget"}
    version = {"name": VERSION, "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
    return {"metadata": {"name": f"{PLURAL}.{GROUP}"}, "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]}}


async def main():
    config.load_kube_config(sys.argv[1])
    custom = client.CustomObjectsApi()
    client.ApiextensionsV1Api().create_custom_resource_definition(definition())
    path = (GROUP, VERSION, "default", PLURAL)
    served = lambda: not isinstance(attempt(lambda: custom.list_namespaced_custom_object(*path)), Exception)
    await until(served, "the definition is not served")
    stop = asyncio.Event()
    operator = asyncio.create_task(kopf.operator(namespaces=["default"], stop_flag=stop, standalone=True))
    await asyncio.sleep(2)

    async def created():
        body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Widget", "metadata": {"name": "kopf"}, "spec": {"size": 1}}
        custom.create_namespaced_custom_object(*path, body)
        await until(lambda: "created 1" in seen, "no creation")
        await until(lambda: finalizers(), "no finalizer")

    async def changed():
        custom.patch_namespaced_custom_object(*path, "kopf", {"spec": {"size": 2}})
        await until(lambda: "updated 1 to 2" in seen, "no change")

    async def deleted():
        custom.delete_namespaced_custom_object(*path, "kopf")
        await until(lambda: "deleted kopf" in seen, "no deletion")
        await until(lambda: isinstance(attempt(get), Exception), "still there")

    get = lambda: custom.get_namespaced_custom_object(*path, "kopf")
    finalizers = lambda: get()["metadata"].get("finalizers")
    for number, step in enumerate([created, changed, deleted], 1):
        try:
            await step()
            print(f"ok {number} - {step.__name__}", flush=True)
        except Exception as error:
            print(f"not ok {number} - {step.__name__}: {error!r}".replace("\n", " "), flush=True)
    stop.set()
    await operator


def attempt(call):
    try:
        return call()
    except client.ApiException as error:
        return error


asyncio.run(main())
