import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { bundleService } from '../../scripts/lib/service-process.ts'
import { seedSampleCatalogue } from '../../src/products/index.ts'
import { createDatabase, startService, temporaryDir } from '../harness.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Returns the sample of a page that contains a text. */
function sampleWith(page: string, text: string): string {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```\w+.*\n([\s\S]*?)^```$/gm)
  const [sample, ...others] = [...blocks].map(([, code = '']) => code).filter((code) => code.includes(text))
  assert.ok(sample !== undefined && others.length === 0, `${page}: one sample contains ${text}`)
  return sample
}

/** Runs a program in a shell that ends at the first command that fails, and returns what it prints. */
async function runShell(
  code: string,
  { folder, input = '', env = {} }: { folder: string; input?: string; env?: Record<string, string> },
): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: folder,
    env: { PATH: `${process.env['PATH']}`, ...env },
  })
  child.stdin.end(input)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const [status] = await once(child, 'close')
  assert.equal(status, 0, output)
  return output
}

/** The tour uses programs of the system. `--json` needs curl 7.82. */
const noTools =
  spawnSync('curl', ['--json', '{}', '--version']).status === 0 && spawnSync('jq', ['--version']).status === 0
    ? undefined
    : 'curl 7.82 or later, or jq, is not installed'

test('the tour of the README designs, finalizes, orders and pays', { skip: noTools }, async (t) => {
  const service = await startService(t)
  await seedSampleCatalogue(service.db, service.clock.now())
  const { password } = await service.signUp({ role: 'admin', email: 'admin@platen.local' })
  const code = sampleWith('README.md', 'Design a business card').replaceAll('http://127.0.0.1:8080', service.origin)
  const folder = await temporaryDir(t)
  const output = await runShell(code, { folder, input: `${password}\n` })
  assert.match(output, /"contentHash": "[0-9a-f]{64}"/)
  assert.match(output, /"status": "confirmed"/)
  assert.deepEqual((await readdir(folder)).sort(), ['card.pdf', 'preview.png'])
  assert.equal((await readFile(join(folder, 'card.pdf'))).subarray(0, 5).toString(), '%PDF-')
})

test('the sample of an import adds the account', async (t) => {
  const database = await createDatabase(t)
  const service = await startService(t, { database })
  const folder = await temporaryDir(t)
  const bcrypt = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
  const line = sampleWith('docs/IMPORT-USERS.md', '"passwordHash"').replace('$2b$10$...', bcrypt)
  await writeFile(join(folder, 'users.jsonl'), line)
  const { host, port, user } = database
  const env = {
    PLATEN_DATABASE_URL: `postgres:///${database.database}?host=${host}&port=${port}&user=${user}`,
    PLATEN_DATA_DIR: service.config.dataDir,
  }
  const platen = `platen() { '${process.execPath}' '${bundleService()}' "$@"; }`
  const output = await runShell(`${platen}\n${sampleWith('docs/IMPORT-USERS.md', '--dry-run')}`, { folder, env })
  const users = await service.db.selectFrom('users').select(['email', 'name']).execute()
  assert.deepEqual(users, [{ email: 'ada@example.com', name: 'Ada Lovelace' }], output)
})

test('the sample of a print area is accepted', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const printArea = JSON.parse(sampleWith('docs/PRINT-FILES.md', '"ellipse"'))
  const variants = [{ sku: 'STICKER', options: {}, weightGrams: 1, priceTiers: [{ minQuantity: 1, unitAmount: 100 }] }]
  const body = { name: 'Sticker', currency: 'EUR', printAreas: [printArea], options: [], variants }
  const made = await service.request('POST', '/products', { token, body })
  assert.equal(made.status, 201, made.text)
})

test('the sample of a request for a customer creates a design of the customer', async (t) => {
  const service = await startService(t)
  await seedSampleCatalogue(service.db, service.clock.now())
  const { accessToken: token } = await service.signUp({ role: 'operator' })
  const permissions = ['designs:write', 'customers:write']
  const { body: key } = await service.request('POST', '/api/api-keys', { token, body: { name: 'Shop', permissions } })
  const { body: customer } = await service.request('POST', '/customers', { token, body: { externalId: 'shop-4711' } })
  const [start = '', ...lines] = sampleWith('docs/CUSTOMERS.md', 'Platen-Customer').trim().split('\n')
  const [method = '', path = ''] = start.split(' ')
  const headers = Object.fromEntries(lines.map((line) => line.replace('platen_...', key.key).split(': ')))
  const { body: products } = await service.request('GET', '/products')
  const [{ id: productId, variants }] = products.data
  const made = await fetch(`${service.origin}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ productId, variantId: variants[0].id }),
  })
  assert.equal(((await made.json()) as { customerId: string }).customerId, customer.id)
})
