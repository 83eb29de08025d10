import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { freePort } from '../../scripts/lib/service-process.ts'
import { startService } from '../harness.ts'

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

const find = (text: string, pattern: RegExp): string[] => [
  ...new Set(text.matchAll(pattern).map(([, name = '']) => name)),
]

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
  await startService(t, { env: { PLATEN_METRICS_PORT: String(port), PLATEN_REQUEST_LOG: 'on' } })
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  assert.equal((await get('/health/live')).status, 200)
  assert.equal((await get('/health/ready')).status, 200)
  assert.equal((await get('/v1/products')).status, 404)
  const metrics = await (await get('/metrics')).text()
  const exposed = find(metrics, /^# HELP (\w+)/gm).filter((name) => !OF_NODE.test(name))

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
