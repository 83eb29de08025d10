import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { PASSPHRASE } from '../../src/commands/backup/factory.ts'
import { platen } from '../../src/commands/platen.fixture.ts'
import { becomeCustomer, openBusyShop, requireAcknowledged, temporaryRoot } from '../lib/busy-shop.ts'
import { until } from '../lib/until.ts'

test('a backup under load restores everything that was acknowledged before it began', async (t) => {
  const root = await temporaryRoot(t)
  const [dataDir, target, copyDir] = ['data', 'backups', 'copy'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  const settings = { PLATEN_RATE_LIMITS: 'off', PLATEN_STORAGE_FREE_MIB: '0', PLATEN_BACKUP_PASSPHRASE: PASSPHRASE }
  const service = await startServiceProcess({ ...settings, PLATEN_DATA_DIR: dataDir })
  t.after(() => service.child.kill('SIGKILL'))
  const shop = openBusyShop(service.origin)
  await until('customers', () => shop.made.length >= 2)
  const before = [...shop.made]
  const made = await platen(['backup', target], { ...settings, PLATEN_DATA_DIR: dataDir })
  assert.equal(made.code, 0, made.err)
  // The service has served customers during the whole backup.
  const during = shop.made.length
  await until('another customer', () => shop.made.length > during)
  await shop.close()
  assert.equal(await service.stop(), 0, service.output())

  const restored = await platen(['restore', target, '--data-dir', copyDir], settings)
  assert.equal(restored.code, 0, restored.err)
  const copy = await startServiceProcess({ ...settings, PLATEN_DATA_DIR: copyDir, PLATEN_SEND: 'off' })
  t.after(() => copy.child.kill('SIGKILL'))
  assert.match(copy.output(), /Nothing is sent: /)
  for (const one of before) await requireAcknowledged(copy.origin, one)
  // The copy is a working shop.
  await requireAcknowledged(copy.origin, await becomeCustomer(copy.origin))
  assert.equal(await copy.stop(), 0, copy.output())
})
