import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createLog } from '../../../platform/telemetry/log.ts'
import { createHashingThreads } from './hashing-threads.ts'

const PASSWORD = 'gravel tango lighthouse'
const COST = { memoryKiB: 1024, passes: 1, lanes: 1 }
/** Takes long enough that a test can end the thread meanwhile. */
const HIGH_COST = { memoryKiB: 65_536, passes: 4, lanes: 1 }
const DERIVATION = { password: PASSWORD, salt: randomBytes(16), cost: COST, tagBytes: 32 }

/** Hashes of other schemes, published by their authors. */
const FOREIGN = [
  { stored: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', password: 'U*U' },
  {
    stored: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    password: 'password',
  },
  {
    stored: '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    password: 'password',
  },
]

function start(t: TestContext, options: Parameters<typeof createHashingThreads>[0] = {}) {
  const threads = createHashingThreads(options)
  t.after(() => threads.close())
  return threads
}

/** Starts threads that log to a list of messages. */
function startLogging(t: TestContext, options: { deadlineMs?: number } = {}) {
  const messages: unknown[] = []
  const write = (line: string) => messages.push(JSON.parse(line).msg)
  const log = createLog({ level: 'warn', destination: { write } as unknown as NodeJS.WritableStream })
  return { threads: start(t, { ...options, log }), messages }
}

const BUSY = { status: 503, code: 'sign_in_busy', extras: { headers: { 'Retry-After': '2' } } }

/** Returns the workers that get a computation, in order. */
function watchWorkers(t: TestContext): Worker[] {
  const asked: Worker[] = []
  const { postMessage } = Worker.prototype
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, ...values: Parameters<typeof postMessage>) {
    asked.push(this)
    postMessage.apply(this, values)
  })
  return asked
}

/** Returns the niceness of each thread of this process (proc_pid_stat(5), field 19). */
function nicenessOfThreads(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}

test('a thread starts with the first hash, and only its priority is lower', {
  skip: process.platform !== 'linux' || getPriority() > 14,
}, async (t) => {
  const threads = start(t)
  const own = getPriority()
  const lower = () => nicenessOfThreads().filter((niceness) => niceness === own + 5).length
  // Tests of other files may have left threads in this process.
  const before = lower()
  await threads.derive(DERIVATION)
  await threads.derive(DERIVATION)
  assert.deepEqual([lower(), getPriority()], [before + 1, own])
  await threads.close()
  assert.equal(lower(), before)
})

test('PW-5: a thread compares passwords with hashes of all schemes', async (t) => {
  const threads = start(t)
  for (const { stored, password } of FOREIGN) {
    assert.equal(await threads.compare({ stored, password }), true, stored)
    assert.equal(await threads.compare({ stored, password: `${password} ` }), false, stored)
  }
})

test('if a thread ends while it hashes, another one computes the hash', async (t) => {
  const threads = start(t)
  const asked = watchWorkers(t)
  const expected = await threads.derive({ ...DERIVATION, cost: HIGH_COST })
  const running = threads.derive({ ...DERIVATION, cost: HIGH_COST })
  asked[1]?.terminate()
  assert.deepEqual(await running, expected)
  assert.deepEqual([asked.length, asked[0] === asked[1], asked[1] === asked[2]], [3, true, false])
  // A thread that ends while it is idle gets no computation.
  await asked[2]?.terminate()
  assert.deepEqual(await threads.derive({ ...DERIVATION, cost: HIGH_COST }), expected)
})

test('if threads end repeatedly, the hash is rejected as busy and logged, and later ones succeed', async (t) => {
  const { threads, messages } = startLogging(t)
  const { postMessage } = Worker.prototype
  const ending = t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, value: unknown) {
    postMessage.call(this, value)
    this.terminate()
  })
  await assert.rejects(threads.derive(DERIVATION), BUSY)
  assert.equal(ending.mock.callCount(), 2)
  assert.deepEqual(messages, Array(2).fill('a thread that hashes passwords ended unexpectedly'))
  ending.mock.restore()
  assert.equal((await threads.derive(DERIVATION)).length, 32)
})

test('if the program of a thread does not load, the hash is 503 and logged as that, until a thread starts again', async (t) => {
  const { threads, messages } = startLogging(t)
  const { postMessage } = Worker.prototype
  // Stands for a package that was removed while the service runs.
  const failing = t.mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.emit('error', Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }))
    this.terminate()
  })
  await assert.rejects(threads.derive(DERIVATION), { status: 503, code: 'service_unavailable' })
  assert.equal(failing.mock.callCount(), 2)
  assert.equal(messages.length, 2)
  for (const message of messages) assert.match(String(message), /cannot start\..*restart the service/)
  assert.equal(threads.canStart(), false)
  failing.mock.mockImplementation(postMessage)
  assert.equal((await threads.derive(DERIVATION)).length, 32)
  assert.equal(threads.canStart(), true)
})

test('a thread that ends because memory is short counts as busy, and not as a program that does not load', async (t) => {
  const { threads, messages } = startLogging(t)
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.emit('error', Object.assign(new Error('out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }))
    this.terminate()
  })
  await assert.rejects(threads.derive(DERIVATION), BUSY)
  assert.deepEqual(messages, Array(2).fill('a thread that hashes passwords ended unexpectedly'))
  assert.equal(threads.canStart(), true)
})

test('a hash that exceeds the deadline is rejected as busy and logged, and another thread computes the next one', async (t) => {
  const { threads, messages } = startLogging(t, { deadlineMs: 2_000 })
  const ended = t.mock.method(Worker.prototype, 'terminate')
  // Stands for a thread that never answers.
  const hanging = t.mock.method(Worker.prototype, 'postMessage', () => undefined)
  await assert.rejects(threads.compare({ stored: FOREIGN[0]?.stored ?? '', password: 'U*U' }), BUSY)
  assert.deepEqual(messages, ['a thread did not hash a password in time'])
  assert.equal(ended.mock.callCount(), 1)
  hanging.mock.restore()
  assert.equal((await threads.derive(DERIVATION)).length, 32)
})

test('if there is too little memory for a hash, it is rejected as busy and logged', async (t) => {
  const { threads, messages } = startLogging(t)
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    this.emit('message', { kind: 'failed', code: 'ERR_OSSL_CRYPTO_MALLOC_FAILURE' })
  })
  await assert.rejects(threads.derive(DERIVATION), BUSY)
  assert.deepEqual(messages, ['there is too little memory to hash a password'])
})

test('an error of a hash does not contain the password, and the thread remains', async (t) => {
  const threads = start(t)
  const asked = watchWorkers(t)
  const failure = await threads.derive({ ...DERIVATION, cost: { ...COST, lanes: 0 } }).catch((error: Error) => error)
  assert.ok(failure instanceof Error)
  assert.equal(failure.message, 'A password cannot be hashed (ERR_OUT_OF_RANGE).')
  assert.doesNotMatch(`${failure.stack} ${JSON.stringify(failure)}`, new RegExp(PASSWORD))
  await threads.derive(DERIVATION)
  assert.equal(asked[0], asked[1])
})

test('closing rejects running and later hashes as busy, logs nothing and starts no thread', async (t) => {
  const { threads, messages } = startLogging(t)
  const asked = watchWorkers(t)
  const running = assert.rejects(threads.derive({ ...DERIVATION, cost: HIGH_COST }), BUSY)
  await threads.close()
  await running
  await assert.rejects(threads.derive(DERIVATION), BUSY)
  assert.equal(asked.length, 1)
  assert.deepEqual(messages, [])
})
