import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createRequestContext,
  currentRequest,
  runForAll,
  runInRequest,
} from '../../platform/concurrency/request-context.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Renderer } from '../../rendering/index.ts'
import { HELLO, openWorkshop, requestOf } from '../factory.ts'
import { finalizeDesign } from '../finalization/finalize-design.ts'

// A drawing process is occupied all the while.
test('a drawing process that prepares a job waits for no debt of its caller, whose bytes are charged', async (t) => {
  const { deps, addProduct, addDesign } = await openWorkshop(t)
  const design = await addDesign(await addProduct(), 'usr_one', HELLO)
  const request = { ...createRequestContext(), account: 'usr_one', isCustomer: true }
  // As a pool does that starts the job when one of another caller ends.
  const print: Renderer['print'] = (job, dir, { onStart, ...options } = {}) =>
    deps.renderer.print(job, dir, { ...options, onStart: () => runForAll(async () => onStart?.()) })
  const seen: unknown[] = []
  const admit: Storage['admit'] = (space) => {
    const current = currentRequest()
    seen.push([current === request, current?.turns])
    return deps.storage.admit(space)
  }
  const observed = { ...deps, renderer: { ...deps.renderer, print }, storage: { ...deps.storage, admit } }
  const { status } = await runInRequest(request, () => finalizeDesign(observed, requestOf(design)))
  assert.deepEqual([status, seen, request.turns], ['finalized', [[true, 1]], 0])
})
