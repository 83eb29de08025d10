import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { freePort } from '../../scripts/lib/service-process.ts'
import { startService } from '../harness.ts'

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

const find = (text: string, pattern: RegExp): string[] => [
  ...new Set(text.matchAll(pattern).map(([, name = '']) => name)),
]

/** Returns the jobs of Prometheus in the guide. */
async function readJobs() {
  const guide = await read('docs/MONITORING.md')
  return [...guide.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(([, text = '']) => parse(text).scrape_configs)
}

const OF_NODE = /^(process|nodejs)_/

/** Metrics of settings that this service does not have: several API processes, a read replica, traces, and an archive. */
const OF_SETTINGS = [
  'platen_api_process_restarts_total',
  'platen_api_processes',
  'platen_replica_reads_total',
  'platen_trace_spans_total',
  'platen_wal_archive_age_seconds',
  'platen_wal_archive_base_copy_timestamp_seconds',
  'platen_wal_archive_failures_total',
]

test('the port for metrics serves metrics and health without a credential, and nothing else', async (t) => {
  const port = await freePort()
  const service = await startService(t, { env: { PLATEN_METRICS_PORT: String(port), PLATEN_REQUEST_LOG: 'on' } })
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  assert.equal((await get('/health/live')).status, 200)
  assert.equal((await get('/health/ready')).status, 200)
  assert.equal((await get('/v1/products')).status, 404)
  const metrics = await (await get('/metrics')).text()
  const exposed = find(metrics, /^# HELP (\w+)/gm).filter((name) => !OF_NODE.test(name))

  await t.test('each alert and panel that names no metric of Platen alone selects the job of the samples', async () => {
    const jobs = await readJobs()
    assert.equal(jobs.length, 3)
    for (const { job_name: name } of jobs) assert.equal(name, 'platen')
    for (const file of ['deploy/prometheus/alerts.yml', 'deploy/grafana/platen.json']) {
      const shared = [...(await read(file)).matchAll(/\b(?:http_|process_|nodejs_|up\{)[^ ]*/g)].map(([text]) => text)
      assert.ok(shared.length > 1, file)
      for (const one of shared) assert.match(one, /job=\\?"platen/, `${file}: ${one}`)
    }
  })

  await t.test('the job for Kubernetes finds the pods of the sample by label and port', async () => {
    const rules = (await readJobs()).find((job) => 'kubernetes_sd_configs' in job)?.relabel_configs ?? []
    const values = rules.map(({ regex }: { regex: string }) => regex)
    const pods = parseAllDocuments(await read('deploy/kubernetes/platen.yaml'))
      .map((document) => document.toJS())
      .filter(({ kind }) => kind === 'Deployment')
    assert.equal(pods.length, 2)
    for (const { spec } of pods) {
      const { metadata, spec: pod } = spec.template
      const ports = pod.containers[0].ports.map(({ name }: { name: string }) => name)
      assert.equal(metadata.labels['app.kubernetes.io/name'], values[0])
      assert.ok(ports.includes(values[1]))
    }
  })

  await t.test(
    'the main port serves metrics for a key with the permission of the guide, and for no other',
    async () => {
      const { accessToken: admin } = await service.signUp({ role: 'admin' })
      const { accessToken: customer } = await service.signUp()
      const statusFor = async (token: string, permission: string) => {
        const wanted = { name: permission, permissions: [permission] }
        const { body } = await service.request('POST', '/api/api-keys', { token, body: wanted })
        return (await service.request('GET', `${service.origin}/metrics`, { token: body.key })).status
      }
      assert.match(await read('docs/MONITORING.md'), /only the permission `system:read`/)
      assert.equal(await statusFor(admin, 'system:read'), 200)
      assert.equal(await statusFor(admin, 'orders:read'), 403)
      assert.equal(await statusFor(customer, 'events:read'), 403)
      assert.equal((await service.request('GET', `${service.origin}/metrics`)).status, 401)
    },
  )

  await t.test('the guide describes each metric', async () => {
    const described = find(await read('docs/MONITORING.md'), /^\| `([a-z]\w+)` \|/gm)
    assert.deepEqual(described.toSorted(), [...exposed, ...OF_SETTINGS].toSorted())
  })

  await t.test('alerts and dashboard use only metrics that are exposed', async () => {
    for (const file of ['deploy/prometheus/alerts.yml', 'deploy/grafana/platen.json']) {
      const used = find(await read(file), /\b((?:platen|http_request)_\w*[a-z])\b/g)
      assert.ok(used.length > 5, file)
      const known = [...exposed, ...OF_SETTINGS].flatMap((name) => [name, `${name}_bucket`, `${name}_count`])
      assert.deepEqual(
        used.filter((name) => !known.includes(name)),
        [],
        file,
      )
    }
  })

  await t.test('the runbook has each alert', async () => {
    const alerts = find(await read('deploy/prometheus/alerts.yml'), /- alert: (\w+)/g)
    const headings = find(await read('docs/MONITORING.md'), /^### (\w+)/gm)
    assert.deepEqual(headings, alerts)
  })
})
