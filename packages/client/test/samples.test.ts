import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { makePicture } from '../../../src/designs/factory.ts'
import { seedSampleCatalogue } from '../../../src/products/index.ts'
import { startService, type TestService, temporaryDir, untilEventsVisible } from '../../../test/harness.ts'
import { noBrowser } from '../../../test/lib/browser/browser.ts'
import { openProfiles } from '../../../test/lib/browser/shared-browser.ts'
import { until } from '../../../test/lib/until.ts'
import { programFolder, ROOT, readSamples } from './samples.ts'

// Each sample of the guide and of the README runs as it is printed there. Only the values that a reader replaces, such
// as the address of the service and the ids, are replaced.

const samples = await readSamples()
const done = new Set<string>()

type Values = Record<string, string>

function sample(name: string, values: Values = {}): string {
  done.add(name)
  const code = samples.get(name)
  assert.ok(code !== undefined, name)
  return Object.entries(values).reduce((text, [placeholder, value]) => {
    assert.ok(text.includes(placeholder), `${name} contains no ${placeholder}`)
    return text.replaceAll(placeholder, value)
  }, code)
}

/** Starts a program in Node.js. */
async function start(t: TestContext, code: string, { env = {}, folder }: { env?: Values; folder?: string } = {}) {
  const file = join(folder ?? (await programFolder(t)), `sample-${randomBytes(4).toString('hex')}.mts`)
  await writeFile(file, code)
  const child = spawn(process.execPath, [file], { env: { PATH: process.env['PATH'], ...env } })
  t.after(() => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const ended = once(child, 'close') as Promise<[number | null]>
  return { ended, output: () => output }
}

/** Runs a program, and returns what it prints. */
async function run(t: TestContext, code: string, options?: { env?: Values; folder?: string }): Promise<string> {
  const { ended, output } = await start(t, code, options)
  const [status] = await ended
  assert.equal(status, 0, output())
  return output()
}

async function startShop(t: TestContext, env: Values = {}) {
  const service = await startService(t, { env })
  await seedSampleCatalogue(service.db, service.clock.now())
  return service
}

/** Signs up, and makes an API key and designs: one that can be printed, and one that preflight rejects. */
async function makeOwner(service: TestService, role: 'customer' | 'operator' = 'customer') {
  const account = await service.signUp({ role })
  const { accessToken: token } = account
  const permissions = ['designs:write', 'designs:read', 'assets:write', 'assets:read', 'orders:read', 'events:read']
  const key = await service.request('POST', '/api/api-keys', { token, body: { name: 'sample', permissions } })
  assert.equal(key.status, 201, key.text)
  const { body: products } = await service.request('GET', '/products?limit=100')
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const body = { productId: product.id, variantId: product.variants[0].id }
  const { body: empty } = await service.request('POST', '/designs', { token, body })
  return { ...account, apiKey: String(key.body.key), ...body, emptyDesign: String(empty.id) }
}

test('the package is built and installed as the guide says', async (t) => {
  const folder = await temporaryDir(t)
  const [clone, shop] = [join(folder, 'platen'), join(folder, 'my-shop')]
  await mkdir(join(clone, 'packages'), { recursive: true })
  await mkdir(shop)
  for (const name of ['package.json', 'tsconfig.json', 'scripts', 'packages/client']) {
    await cp(join(ROOT, name), join(clone, name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  // The packages are installed already.
  const commands = sample('sh install', { 'npm ci\n': '' })
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands], {
    cwd: shop,
    env: { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_update_notifier: 'false' },
  })
  assert.match(stdout, /platen-client-\d+\.\d+\.\d+\.tgz/)
  await writeFile(
    join(shop, 'program.mjs'),
    `import { createPlaten } from '@platen/client'; console.log(typeof createPlaten)`,
  )
  const { stdout: printed } = await promisify(execFile)(process.execPath, [join(shop, 'program.mjs')])
  assert.equal(printed, 'function\n')
})

test('the first sample orders a design', async (t) => {
  const service = await startShop(t)
  const { email, password } = await service.signUp()
  const env = { PLATEN_URL: service.origin, EMAIL: email, PASSWORD: password }
  assert.match(await run(t, sample('ts order'), { env }), /^\S+ confirmed\napplication\/pdf true\n$/)
})

test('the samples of credentials, errors and the README call the service', async (t) => {
  const service = await startShop(t)
  const url = { 'https://print.example.com': service.origin }
  const operator = await makeOwner(service, 'operator')
  const customer = await service.request('POST', '/customers', {
    token: operator.accessToken,
    body: { externalId: '4711' },
  })
  assert.equal(customer.status, 201, customer.text)
  await service.signUp({ email: 'ada@example.com', password: 'a quiet lake at dusk' })
  const folder = await programFolder(t)
  const code = sample('ts credentials', { ...url, 'platen_...': operator.apiKey })
  assert.match(await run(t, `${code}\nconsole.log(signedIn.status)`, { folder }), /\nauthenticated\n$/)

  const { apiKey, emptyDesign, productId, variantId } = await makeOwner(service)
  const errors = sample('ts errors', { ...url, 'platen_...': apiKey, 'dsn_...': emptyDesign })
  assert.match(await run(t, errors, { folder }), /^\w+ \/\S+/)
  const ids = { 'prd_...': productId, 'var_...': variantId }
  const overview = sample('ts overview', { ...url, 'platen_...': apiKey, ...ids })
  assert.match(await run(t, overview, { folder }), /^\/\S+ /)
})

test('the sample of countries accepts those of the shop only', async (t) => {
  const code = `${sample('ts country')}
    console.log(requireCountry('AT'))
    try { requireCountry('FR') } catch (error) { console.log(error.message) }`
  assert.equal(await run(t, code), 'AT\nno delivery to FR\n')
})

const SECRET = `whsec_${randomBytes(32).toString('base64')}`

/** A delivery, signed as the service signs it. */
function delivery(secret = SECRET) {
  const body = JSON.stringify({ id: 'evt_1', type: 'order.shipped', subject: 'ord_1' })
  const now = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
  }
  return { method: 'POST', headers, body }
}

test('the sample of webhooks accepts genuine events only', async (t) => {
  const other = `whsec_${randomBytes(32).toString('base64')}`
  const code = `${sample('ts webhook')}
    for (const delivery of [${JSON.stringify(delivery())}, ${JSON.stringify(delivery(other))}]) {
      const response = await receive(new Request('http://127.0.0.1/', delivery), '${SECRET}')
      console.log(response.status, await response.text())
    }`
  assert.equal(await run(t, code), 'ord_1\n204 \n401 signature_mismatch\n')
})

test('the sample of webhooks with Express accepts genuine events only', async (t) => {
  const folder = await programFolder(t)
  await symlink(join(ROOT, 'node_modules/express'), join(folder, 'node_modules/express'))
  const listen = "listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
  const code = sample('js express', { 'listen(3000)': listen })
  const receiver = await start(t, code, { folder, env: { WEBHOOK_SECRET: SECRET } })
  await until('the port of the receiver', () => receiver.output().endsWith('\n'))
  const port = Number(receiver.output())
  const post = (request: RequestInit) => fetch(`http://127.0.0.1:${port}/hooks`, request).then(({ status }) => status)
  assert.equal(await post(delivery()), 204)
  assert.equal(await post(delivery(`whsec_${randomBytes(32).toString('base64')}`)), 401)
  assert.equal(await post({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }), 401)
  // The output of the program may arrive after its response.
  await until('the output', () => receiver.output().includes('ord_1\n'))
  assert.equal(receiver.output(), `${port}\norder.shipped ord_1\n`)
})

/** Serves a page with an import map, the compiled modules and files. The page has another origin than the service. */
async function serveModules(t: TestContext, files: Record<string, string | Uint8Array>): Promise<string> {
  const modules = join(await programFolder(t), 'node_modules/@platen/client/dist')
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const isModule = path.startsWith('/platen-client/') && !path.includes('..')
    const body = isModule ? await readFile(join(modules, path.slice('/platen-client/'.length))) : files[path]
    const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.jpg') ? 'image/jpeg' : 'text/html'
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Opens a page, and returns what it logs. */
async function openPage(page: Page, url: string): Promise<string[]> {
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  page.on('pageerror', (error) => lines.push(`error: ${error.message}`))
  await page.goto(url)
  return lines
}

test('the samples of pages run in a browser, with the compiled modules and an import map', {
  skip: noBrowser,
}, async (t) => {
  const files: Record<string, string | Uint8Array> = {
    '/photo.jpg': new Uint8Array(await makePicture()),
    '/other.jpg': new Uint8Array(await makePicture('#663399')),
  }
  const pageOrigin = await serveModules(t, files)
  const service = await startShop(t, { PLATEN_CORS_ORIGINS: pageOrigin, PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' })
  const { apiKey, accessToken: token, productId, variantId, emptyDesign } = await makeOwner(service)
  const archive = (id: string) => service.request('DELETE', `/designs/${id}`, { token })
  const { body: other } = await service.request('POST', '/designs', { token, body: { productId, variantId } })
  await archive(other.id)
  const lastEvent = async () => {
    await untilEventsVisible(service.db)
    return (await service.request('GET', '/events', { token })).body.data.at(-1)
  }
  const url = { 'https://print.example.com': service.origin }
  const [importMap = ''] = /^<script type="importmap">.*$/m.exec(sample('html page')) ?? []
  const asPage = (code: string) => `${importMap}<script type="module">${stripTypeScriptTypes(code)}</script>`
  files['/'] = sample('html page', url)
  files['/lists'] = asPage(sample('ts lists', { ...url, 'platen_...': apiKey, 'evt_...': (await lastEvent()).id }))
  const uploads = { ...url, 'platen_...': apiKey, 'https://images.example.com/photo.jpg': `${pageOrigin}/other.jpg` }
  files['/store'] = asPage(sample('ts store', url))
  files['/uploads'] = asPage(sample('ts uploads', uploads))
  const profiles = await openProfiles(t)

  const products = await openPage(await profiles.newPage(), pageOrigin)
  await until('the products', () => products.includes('Business card'))

  const listing = await profiles.newPage()
  const lists = await openPage(listing, `${pageOrigin}/lists`)
  await until('the lists', () => lists.length === 2)
  assert.deepEqual(lists, ['0 null', '2'])
  await archive(emptyDesign)
  const last = await lastEvent()
  assert.deepEqual([last.type, last.subject], ['design.archived', emptyDesign])
  await until('the last event', () =>
    listing.evaluate((id) => Object.values({ ...localStorage }).includes(id), last.id),
  )

  const stored = await openPage(await profiles.newPage(), `${pageOrigin}/store`)
  await until('the tokens', () => stored.length === 1)
  assert.deepEqual(stored, ['undefined'])

  const uploaded = await openPage(await profiles.newPage(), `${pageOrigin}/uploads`)
  await until('the uploads', () => /^\d{3,}$/.test(uploaded.at(-1) ?? ''))
  const { body: assets } = await service.request('GET', '/assets', { token })
  assert.equal(assets.data.length, 2)
})

test('every sample of the guide and the README runs', () => {
  assert.deepEqual(
    [...samples.keys()].filter((name) => !done.has(name)),
    [],
  )
})
