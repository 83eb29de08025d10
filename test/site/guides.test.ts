import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { bundleService, freePort } from '../../scripts/lib/service-process.ts'
import { seedSampleCatalogue } from '../../src/products/index.ts'
import { startWebhookReceiver } from '../fakes/webhook-receiver.ts'
import { startService, type TestService, temporaryDir } from '../harness.ts'
import { until } from '../lib/until.ts'

const GUIDES = join(import.meta.dirname, '../../docs/guides')
const GUIDE_ORIGIN = 'http://127.0.0.1:8080'

/** Returns the samples of a guide with the given mark after the fence, joined to one program. */
function samplesOf(guide: string, mark = 'ts'): string {
  const text = readFileSync(join(GUIDES, `${guide}.md`), 'utf8')
  return [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => info === mark)
    .map(([, , code]) => code)
    .join('\n')
}

/** The function `call`, which the first guide defines for all guides. */
function client(): string {
  const code = samplesOf('first-design')
  return code.slice(0, code.indexOf('\n}\n') + 3)
}

async function start(t: TestContext, code: string, env: Record<string, string>) {
  const file = join(await temporaryDir(t), 'sample.mts')
  await writeFile(file, code)
  const child = spawn(process.execPath, [file], { env: { PATH: process.env['PATH'], ...env } })
  t.after(() => child.kill())
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { ended, output: () => output }
}

/** Runs samples against a service, and returns what they print. */
async function run(t: TestContext, { origin }: TestService, code: string, env: Record<string, string> = {}) {
  const { ended, output } = await start(t, code.replaceAll(GUIDE_ORIGIN, origin), env)
  assert.equal(await ended, 0, output())
  return output()
}

async function startWithProducts(t: TestContext, env: Record<string, string> = {}): Promise<TestService> {
  const service = await startService(t, { env })
  await seedSampleCatalogue(service.db, service.clock.now())
  return service
}

/** Creates an account and a finalized design with the samples of the first guide. */
async function firstDesign(t: TestContext, service: TestService) {
  const output = await run(t, service, samplesOf('first-design'))
  const [, token = '', designId = ''] = /^export PLATEN_TOKEN=(\S+) DESIGN_ID=(\S+)$/m.exec(output) ?? []
  return { output, token, designId }
}

test('the samples of the first two guides design, order, pay and deliver', async (t) => {
  const service = await startWithProducts(t)
  const { output, token, designId } = await firstDesign(t, service)
  assert.match(output, /draft true \[\]/)
  assert.match(output, /finalized [0-9a-f]{64} \d/)
  const env = { PLATEN_TOKEN: token, DESIGN_ID: designId }
  const ordered = await run(t, service, `${client()}\n${samplesOf('first-order')}`, env)
  assert.match(ordered, /awaiting_payment\nconfirmed\nstart_production in_production\nship shipped\ndeliver delivered/)
  const shown = await run(t, service, `${client()}\n${samplesOf('showing-designs')}`, env)
  assert.match(shown, /<img src="http:\/\/platen.localhost\/v1\/links\/designs\//)
})

test('the samples for templates publish a draft and start from it', async (t) => {
  const service = await startWithProducts(t)
  const { accessToken } = await service.signUp({ role: 'admin' })
  const output = await run(t, service, `${client()}\n${samplesOf('templates')}`, { PLATEN_TOKEN: accessToken })
  assert.match(output, /^active \/v1\/templates\/tpl_\w+\/preview\nSave the date true\n$/)
})

test('the samples for customers of your own work with an API key of an operator', async (t) => {
  const service = await startWithProducts(t)
  const { email, password } = await service.signUp({ role: 'operator' })
  const create = `${client()}\n${samplesOf('customers', 'ts create-key')}`
  const printed = await run(t, service, create, { EMAIL: email, PASSWORD: password })
  const [, key = ''] = /^PLATEN_API_KEY=(platen_\w+)$/m.exec(printed) ?? []
  const output = await run(t, service, `${client()}\n${samplesOf('customers')}`, { PLATEN_API_KEY: key })
  assert.match(output, /^cus_\w+ false\ntrue\ntrue\n$/)
})

test('the samples for the editor issue a token for the design of a visitor', async (t) => {
  const service = await startWithProducts(t)
  const { accessToken: token } = await service.signUp({ role: 'operator' })
  const areas = ['customers', 'designs', 'assets']
  const permissions = areas.flatMap((area) => [`${area}:read`, `${area}:write`])
  const key = await service.request('POST', '/api/api-keys', { token, body: { name: 'Shop', permissions } })
  const output = await run(t, service, `${client()}\n${samplesOf('editor')}`, { PLATEN_API_KEY: key.body.key })
  assert.equal(output, '{"token":"string","expiresIn":900}\n')
})

test('the samples for guests move the work of a guest to an account', async (t) => {
  const service = await startWithProducts(t)
  const { accessToken } = await service.signUp()
  const output = await run(t, service, `${client()}\n${samplesOf('guests')}`, { PLATEN_TOKEN: accessToken })
  assert.match(output, /designs: 1, assets: 0, orders: 0/)
})

test('the samples for webhooks register an endpoint', async (t) => {
  const service = await startService(t, { env: { PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' } })
  const { accessToken } = await service.signUp({ role: 'operator' })
  const env = { PLATEN_TOKEN: accessToken, HOOK_URL: 'http://127.0.0.1:9/hooks' }
  assert.match(await run(t, service, `${client()}\n${samplesOf('receiving-webhooks', 'ts register')}`, env), /whsec_/)
})

test('the sample receiver accepts genuine events only, and each once', async (t) => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const port = await freePort()
  const code = samplesOf('receiving-webhooks', 'ts receive')
  const receiver = await start(t, code, { WEBHOOK_SECRET: secret, PORT: String(port) })
  const body = JSON.stringify({ id: 'evt_1', type: 'order.shipped', subject: 'ord_1' })
  const post = async (at: Date, change: { body?: string; secret?: string } = {}) => {
    const signature = new Webhook(change.secret ?? secret).sign('evt_1', at, body)
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    }
    const url = `http://127.0.0.1:${port}/`
    return (await fetch(url, { method: 'POST', headers, body: change.body ?? body })).status
  }
  const now = new Date()
  await until('the receiver is up', async () => (await post(now).catch(() => undefined)) === 204)
  assert.equal(await post(now), 204)
  assert.equal(await post(now, { body: body.replace('shipped', 'created') }), 401)
  assert.equal(await post(now, { secret: `whsec_${randomBytes(32).toString('base64')}` }), 401)
  assert.equal(await post(new Date(now.getTime() - 600_000)), 401)
  // The output of the program may arrive after its response.
  await until('the output', () => receiver.output() !== '')
  assert.equal(receiver.output(), 'order.shipped ord_1\n')
  const unsafe = await start(t, code, { PORT: String(await freePort()) })
  assert.equal(await unsafe.ended, 1)
  assert.match(unsafe.output(), /WEBHOOK_SECRET is missing/)
})

test('the samples for developing locally sign in, call the API, and post a triggered event to a receiver', async (t) => {
  const service = await startWithProducts(t)
  const { password } = await service.signUp({ role: 'admin', email: 'admin@platen.local' })
  const receiver = await startWebhookReceiver(t)
  const folder = await temporaryDir(t)
  const env = { PATH: `${process.env['PATH']}`, PLATEN_URL: service.origin, XDG_CONFIG_HOME: folder }
  const shell = (mark: string, input?: string) => {
    const samples = samplesOf('developing-locally', `sh ${mark}`)
      .replace('http://127.0.0.1:3000', receiver.url)
      .replaceAll(GUIDE_ORIGIN, service.origin)
    const child = spawn('bash', ['-ec', `platen() { '${process.execPath}' '${bundleService()}' "$@"; }\n${samples}`], {
      env,
      cwd: folder,
      detached: true,
    })
    // The shell and the program that it runs are one process group.
    t.after(() => child.exitCode ?? process.kill(-Number(child.pid)))
    child.stdin.end(input)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    return { child, ended, output: () => output }
  }
  for (const [mark, input] of [['login', `${password}\n`], ['api']] as const) {
    const { ended, output } = shell(mark, input)
    assert.equal(await ended, 0, output())
  }
  assert.match(readFileSync(join(folder, 'products.jsonl'), 'utf8'), /"name":"Business card"/)

  const listening = shell('listen')
  while (!listening.output().includes('Listening for events')) {
    assert.equal(listening.child.exitCode, null, listening.output())
    await delay(50)
  }
  const { ended, output } = shell('trigger')
  assert.equal(await ended, 0, output())
  assert.match(output(), /order\.created[\s\S]*order\.shipped/)
  await receiver.until(({ body }) => JSON.parse(body).type === 'order.shipped')
  const secret = /Signing secret: (\S+)/.exec(listening.output())?.[1] ?? ''
  for (const { body, headers, path } of receiver.received) {
    assert.equal(path, '/hooks')
    new Webhook(secret).verify(body, headers as Record<string, string>)
  }
})
