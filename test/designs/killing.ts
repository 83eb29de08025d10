import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { PoolConfig } from 'pg'
import { type ServiceProcess, SOURCES, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { makePicture } from '../../src/designs/factory.ts'
import { verifyReceipt } from '../../src/designs/index.ts'
import { releaseLeftJobs } from '../../src/platform/jobs/jobs.ts'
import { createDatabase, startService, type TestService } from '../harness.ts'
import { until } from '../lib/until.ts'

const START_MS = 60_000

const FIXTURE = join(import.meta.dirname, 'killed-at.fixture.ts')

/**
 * How many services run at the same time. Starting one occupies the processor for a second, so a larger number gains
 * nothing.
 */
const AT_ONCE = 2

export interface Scene {
  here: TestService
  database: PoolConfig
  token: string
  userId: string
  /** Creates a draft with unique content, so that its files are new in the storage. Returns its id. */
  draft(name: string): Promise<string>
}

export async function openScene(t: TestContext): Promise<Scene> {
  const database = await createDatabase(t)
  const here = await startService(t, { database })
  const { accessToken: token, userId } = await here.signUp()
  const { accessToken: admin } = await here.signUp({ role: 'admin' })
  await withoutOtherJobs(here)
  const area = { id: 'front', name: 'Front', widthMm: 50, heightMm: 30, bleedMm: 2, safeMarginMm: 2, targetDpi: 100 }
  const product = await here.request('POST', '/products', {
    token: admin,
    body: {
      name: 'Label',
      currency: 'EUR',
      printAreas: [{ ...area, required: true }],
      options: [],
      variants: [{ sku: 'LABEL', options: {}, weightGrams: 1, priceTiers: [{ minQuantity: 1, unitAmount: 100 }] }],
    },
  })
  assert.equal(product.status, 201, product.text)
  const picture = new Uint8Array(await makePicture())
  const headers = { 'content-type': 'image/jpeg' }
  const { body: asset } = await here.request('POST', '/assets', { token, body: picture, headers })
  // The first finalization of an account counts the bytes that the account stores without having paid. This update
  // makes all finalizations skip the count, so that they all have the same steps.
  await sql`update storage_usage set unpaid_bytes = 0, unpaid_counted_at = now() where owner_id = ${userId}`.execute(
    here.db,
  )
  const draft = async (name: string): Promise<string> => {
    const layers = [
      { id: 'photo', type: 'image', x: 5, y: 5, width: 10, height: 10, assetId: asset.id },
      { id: 'text', type: 'text', x: 5, y: 16, width: 40, height: 8, text: name, fontFamily: 'Inter', fontSizePt: 9 },
    ]
    const document = { version: 1, placements: [{ printAreaId: 'front', layers }] }
    const variantId = product.body.variants[0].id
    const made = await here.request('POST', '/designs', {
      token,
      body: { productId: product.body.id, variantId, document },
    })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.preflight, { ok: true, issues: [] })
    return made.body.id
  }
  return { here, database, token, userId, draft }
}

/**
 * Removes jobs that are unrelated to a finalization, such as recurring jobs and mails. Their statements at random times
 * would count as steps of the finalization.
 */
async function withoutOtherJobs({ db }: TestService): Promise<void> {
  await sql`delete from graphile_worker._private_jobs`.execute(db)
  await sql`create function pass_over() returns trigger language plpgsql as 'begin return null; end'`.execute(db)
  await sql`
    create trigger no_recurring_jobs before insert on graphile_worker._private_jobs
    for each row when (new.payload::jsonb ? '_cron') execute function pass_over()`.execute(db)
}

export interface Doomed {
  /** The steps of the finalization, in order. */
  steps: string[]
  /** False if the finalization ended before the step at which the service should have been killed. */
  wasKilled: boolean
}

/** Starts a second service on the same data. The fixture kills this service as `settings` state. */
function startDoomed({ here, database }: Scene, designId: string, settings: object): Promise<ServiceProcess> {
  const { host, port, user } = database
  const env = {
    PLATEN_DATABASE_URL: `postgres:///${database.database}?host=${host}&port=${port}&user=${user}`,
    PLATEN_DATA_DIR: here.config.dataDir,
    PLATEN_PUBLIC_URL: here.config.origin,
    PLATEN_RATE_LIMITS: 'off',
    // It writes at times of its own.
    PLATEN_REQUEST_LOG: 'off',
    NODE_OPTIONS: `--import=${FIXTURE}`,
    STEPS_FILE: stepsFileOf(here, designId),
    ...settings,
  }
  // The fixture watches modules, which the bundle contains.
  return startServiceProcess(env, START_MS, SOURCES)
}

const stepsFileOf = ({ config }: TestService, designId: string): string => join(config.dataDir, `steps-${designId}`)

/** Requests a finalization. Returns undefined if there was no response. */
async function askToFinalize(
  { token }: Scene,
  { origin }: ServiceProcess,
  designId: string,
  isLater: boolean,
): Promise<{ status: number; connection: string | null } | undefined> {
  const headers = { authorization: `Bearer ${token}`, ...(isLater ? { prefer: 'respond-async' } : {}) }
  return fetch(`${origin}/v1/designs/${designId}/finalize`, { method: 'POST', headers }).then(
    ({ status, headers: told }) => ({ status, connection: told.get('connection') }),
    () => undefined,
  )
}

/**
 * Finalizes a design in a service that is killed at the given step. If the step is undefined, the service is not
 * killed.
 */
async function finalizeAndDie(
  scene: Scene,
  designId: string,
  killAt: string | undefined,
  isLater: boolean,
): Promise<Doomed> {
  const doomed = await startDoomed(scene, designId, killAt === undefined ? {} : { KILL_AT: killAt })
  const { child } = doomed
  try {
    const answer = (await askToFinalize(scene, doomed, designId, isLater))?.status
    if (answer !== undefined) assert.equal(answer, isLater ? 202 : 200)
    if (killAt === undefined) await untilOver(scene, designId)
    else await untilDead(child)
    const steps = (await readFile(stepsFileOf(scene.here, designId), 'utf8')).trim().split('\n')
    return { steps, wasKilled: child.signalCode === 'SIGKILL' }
  } finally {
    child.kill('SIGKILL')
  }
}

/** Finalizes a design in a service that gets SIGTERM when drawing begins. */
export async function finalizeAndStop(
  scene: Scene,
  designId: string,
  isLater: boolean,
): Promise<{ status?: number; connection?: string | null; exitCode: number | null }> {
  const doomed = await startDoomed(scene, designId, { STOP_AT: 'print job sent' })
  const { child } = doomed
  try {
    const exited = once(child, 'exit')
    const answer = await askToFinalize(scene, doomed, designId, isLater)
    await exited
    return { ...answer, exitCode: child.exitCode }
  } finally {
    child.kill('SIGKILL')
  }
}

/**
 * Waits until the process has ended. If the process does not reach its step, it keeps running, so the wait has a
 * timeout.
 */
async function untilDead(child: ServiceProcess['child']): Promise<void> {
  if (child.signalCode !== null) return
  await once(child, 'exit', { signal: AbortSignal.timeout(20_000) }).catch(() => undefined)
}

/** Waits until a finalization has ended, including the statements that its process executes directly after it. */
async function untilOver({ here, token }: Scene, designId: string): Promise<void> {
  await until('the end of the finalization', async () => {
    const { body } = await here.request('GET', `/designs/${designId}`, { token })
    return body.status !== 'finalizing'
  })
  // The job executes its last statement after the last statement for the design.
  await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Returns the status of a design, and how many finalizations, price locks and events it has. */
export async function recordsOf({ here }: Scene, designId: string) {
  const { rows } = await sql<{ finalizations: number; prices: number; events: number; status: string }>`
    select d.status,
      (select count(*)::int from finalizations f where f.design_id = d.id) as finalizations,
      (select count(*)::int from price_locks p join finalizations f on f.id = p.finalization_id
        where f.design_id = d.id) as prices,
      (select count(*)::int from events e where e.subject = d.id and e.type = 'design.finalized') as events
    from designs d where d.id = ${designId}`.execute(here.db)
  return rows[0]
}

/**
 * Checks that a killed finalization left no partial state, and that a retry gives the same result as a finalization
 * that was not killed.
 */
async function requireSound(scene: Scene, designId: string, copyId: string, when: string): Promise<void> {
  const { here, token } = scene
  const left = await recordsOf(scene, designId)
  const isDone = left?.status === 'finalized'
  const count = isDone ? 1 : 0
  assert.deepEqual({ ...left, status: '' }, { finalizations: count, prices: count, events: count, status: '' }, when)
  // The lease of the killed process ends in the past, as if 20 seconds had passed.
  await sql`update designs set lease_until = '2026-01-01' where id = ${designId} and lease_until is not null`.execute(
    here.db,
  )
  const finalize = (id: string) => here.request('POST', `/designs/${id}/finalize`, { token })
  const again = await finalize(designId)
  assert.deepEqual([again.status, again.body.status], [200, 'finalized'], `${when}: ${again.text}`)
  assert.deepEqual(
    await recordsOf(scene, designId),
    { status: 'finalized', finalizations: 1, prices: 1, events: 1 },
    when,
  )
  const { finalization } = again.body
  const undisturbed = (await finalize(copyId)).body.finalization
  assert.equal(finalization.contentHash, undisturbed.contentHash, when)
  assert.deepEqual(finalization.files, undisturbed.files, when)
  assert.ok(new Date(finalization.price.validUntil) > new Date())
  const jwks = (await here.request('GET', `${here.origin}/.well-known/jwks.json`)).body
  const files = await Promise.all(finalization.files.map((file: { id: string }) => download(scene, designId, file.id)))
  const { statement } = await verifyReceipt(finalization.receipt, jwks, files)
  assert.deepEqual([statement.sub, statement.design.id], [scene.userId, designId], when)
}

async function download({ here, token }: Scene, designId: string, fileId: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${here.baseUrl}/designs/${designId}/files/${fileId}`, { headers })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

/** Finalizes a design without a kill, to record the steps. */
export async function finalizeUndisturbed(scene: Scene, isLater: boolean): Promise<Doomed> {
  const [undisturbed] = await killAtEach(scene, [undefined], isLater)
  assert.ok(undisturbed !== undefined)
  return undisturbed
}

/**
 * Kills a service at each of the given steps, each time in the finalization of a new design. After each kill, checks
 * the result with `requireSound`.
 */
export async function killAtEach(
  scene: Scene,
  killAts: readonly (string | undefined)[],
  isLater: boolean,
): Promise<Doomed[]> {
  const waiting = [...killAts.entries()]
  const outcomes: Doomed[] = []
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, killAt] = next
      const name = `${isLater ? 'Later' : 'Now'} ${killAt === undefined ? 'alive' : index}`
      const [designId, copyId] = [await scene.draft(name), await scene.draft(name)]
      const outcome = await finalizeAndDie(scene, designId, killAt, isLater)
      assert.equal(
        outcome.wasKilled,
        killAt !== undefined,
        `the service was not killed at: ${killAt}\n${outcome.steps.join('\n')}`,
      )
      outcomes.push(outcome)
      if (isLater) await setAsideJobs(scene)
      await requireSound(scene, designId, copyId, `killed at: ${killAt}`)
    }
  }
  // With two services, one service could run the job of the other one.
  await Promise.all(Array.from({ length: isLater ? 1 : AT_ONCE }, worker))
  return outcomes
}

/**
 * Releases the jobs of a killed service, but postpones them until `resumeJobs`. The queues of the owner stay locked
 * for 20 seconds otherwise, which is as long as the next finalization may take. Without the postponement, the next
 * service would run these jobs beside its own.
 */
async function setAsideJobs({ here }: Scene): Promise<void> {
  await releaseLeftJobs(here.db)
  await sql`update graphile_worker._private_jobs set run_at = now() + interval '1 day'`.execute(here.db)
}

/** Makes the jobs of all killed services runnable. */
export async function resumeJobs({ here }: Scene): Promise<void> {
  await releaseLeftJobs(here.db)
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(here.db)
}

/**
 * Selects the steps at which a kill makes a difference. A kill at any statement of a transaction undoes the
 * transaction, so only its last statement is selected. Of files that are stored concurrently, only one is selected.
 */
export function distinctSteps({ steps }: Doomed, expected: readonly RegExp[]): string[] {
  for (const one of expected) {
    assert.ok(
      steps.some((step) => one.test(step)),
      `no step matches ${one}:\n${steps.join('\n')}`,
    )
  }
  let isInTransaction = false
  return steps.filter((step, index) => {
    if (step.startsWith('begin #')) isInTransaction = true
    if (step.startsWith('commit #')) isInTransaction = false
    const isUndone = isInTransaction && steps[index + 1]?.startsWith('commit #') !== true
    return !isUndone && !/^(file|insert into storage_objects) .*#[2-9]/.test(step)
  })
}

export async function untilNoJobs({ here }: Scene): Promise<void> {
  await until('the end of the jobs', async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from graphile_worker.jobs where task_identifier = 'designs.finalize'`.execute(
      here.db,
    )
    return rows[0]?.waiting === 0
  })
}

/** Checks that the content of every stored file matches its name, and that no lease remains. */
export async function requireNothingLeft({ here }: Scene): Promise<void> {
  const { rows } = await sql`select 1 from designs where lease_token is not null or status = 'finalizing'`.execute(
    here.db,
  )
  assert.deepEqual(rows, [])
  const blobs = join(here.config.dataDir, 'storage/blobs')
  for (const name of await readdir(blobs, { recursive: true })) {
    const sha256 = basename(name)
    if (sha256.length !== 64) continue
    assert.equal(
      createHash('sha256')
        .update(await readFile(join(blobs, name)))
        .digest('hex'),
      sha256,
    )
  }
}
