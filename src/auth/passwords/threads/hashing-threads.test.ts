import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
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

function start(t: TestContext) {
  const threads = createHashingThreads()
  t.after(() => threads.close())
  return threads
}

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

test('if threads end repeatedly, the hash is rejected, and later ones succeed', async (t) => {
  const threads = start(t)
  const { postMessage } = Worker.prototype
  const ending = t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, value: unknown) {
    postMessage.call(this, value)
    this.terminate()
  })
  await assert.rejects(threads.derive(DERIVATION), { message: 'The thread that hashes a password ended unexpectedly.' })
  assert.equal(ending.mock.callCount(), 2)
  ending.mock.restore()
  assert.equal((await threads.derive(DERIVATION)).length, 32)
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

test('closing rejects running and later hashes, and starts no thread', async (t) => {
  const threads = start(t)
  const asked = watchWorkers(t)
  const stopped = { message: 'The threads that hash passwords have been stopped.' }
  const running = assert.rejects(threads.derive({ ...DERIVATION, cost: HIGH_COST }), stopped)
  await threads.close()
  await running
  await assert.rejects(threads.derive(DERIVATION), stopped)
  assert.equal(asked.length, 1)
})
