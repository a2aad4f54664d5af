// JavaScript's official client: creates, lists, watches, patches, applies, follows and deletes ConfigMaps.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';

const namespace = 'default';
const name = 'node';
const labelSelector = 'peer=node';
const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(k8s.CoreV1Api);
const body = (value) => ({ metadata: { name, labels: { peer: 'node' } }, data: { a: value } });

async function until(holds, what) {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (holds()) return;
    await sleep(100);
  }
  throw new Error(what);
}

const steps = {
  async created() {
    const created = await core.createNamespacedConfigMap({ namespace, body: body('1') });
    assert.deepEqual(created.data, { a: '1' });
  },
  async conflict() {
    await assert.rejects(core.createNamespacedConfigMap({ namespace, body: body('1') }), { code: 409 });
  },
  async listed() {
    const list = await core.listNamespacedConfigMap({ namespace, labelSelector });
    assert.deepEqual(list.items.map((it) => it.metadata.name), [name]);
  },
  async watched() {
    const start = await core.listNamespacedConfigMap({ namespace });
    const seen = [];
    const query = { resourceVersion: start.metadata.resourceVersion, labelSelector };
    const controller = await new k8s.Watch(config).watch(`/api/v1/namespaces/${namespace}/configmaps`, query,
      (type, object) => seen.push(`${type} ${object.data.a}`), () => {});
    await core.replaceNamespacedConfigMap({ namespace, name, body: body('2') });
    await until(() => seen.includes('MODIFIED 2'), 'no event');
    controller.abort();
  },
  async patched() {
    const patch = [{ op: 'replace', path: '/data/a', value: '3' }];
    const options = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.JsonPatch);
    const patched = await core.patchNamespacedConfigMap({ namespace, name, body: patch }, options);
    assert.deepEqual(patched.data, { a: '3' });
  },
  async applied() {
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { b: '1' } };
    const options = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.ServerSideApply);
    const found = await core.patchNamespacedConfigMap({ namespace, name, body: applied, fieldManager: 'node', force: true }, options);
    assert.deepEqual(found.data, { a: '3', b: '1' });
  },
  async followed() {
    const list = () => core.listNamespacedConfigMap({ namespace, labelSelector });
    const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
    const seen = [];
    for (const event of ['add', 'update', 'delete']) informer.on(event, (it) => seen.push(`${event} ${it.data.a}`));
    await informer.start();
    await until(() => seen.includes('add 3'), `not added: ${seen}`);
    await core.replaceNamespacedConfigMap({ namespace, name, body: body('4') });
    await until(() => seen.includes('update 4'), `not updated: ${seen}`);
    await core.deleteNamespacedConfigMap({ namespace, name });
    await until(() => seen.includes('delete 4'), `not deleted: ${seen}`);
    await informer.stop();
  },
};

let number = 0;
for (const [step, run] of Object.entries(steps)) {
  number += 1;
  try {
    await run();
    console.log(`ok ${number} - ${step}`);
  } catch (error) {
    console.log(`not ok ${number} - ${step}: ${String(error).replaceAll('\n', ' ')}`);
  }
}
process.exit(0);
