import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../test/lib/until.ts'
import { createMetrics } from './metrics.ts'

test('the metrics state the event loop delay since they were last read', async () => {
  const { registry } = createMetrics()
  const read = async (name: string): Promise<number> => {
    const text = await registry.metrics()
    return Number(new RegExp(`^platen_event_loop_delay_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1])
  }
  await delay(50)
  await read('max')
  // The first sample after a reading only starts the measurement.
  await delay(50)
  const end = performance.now() + 300
  while (performance.now() < end);
  await delay(20)
  assert.ok((await read('max')) > 0.2)
  // Each reading begins a new measurement. Other processes can delay some of them, too.
  await until('a shorter delay', async () => (await read('max')) < 0.2)
  assert.ok((await read('p95')) >= 0)
})
