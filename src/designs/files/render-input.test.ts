import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../platform/problem.ts'
import { RenderFailed } from '../../rendering/index.ts'
import { toRenderProblem } from './render-input.ts'

const problemOf = (cause: 'deadline' | 'timeout') => {
  const problem = toRenderProblem(new RenderFailed(cause, 'for the test'))
  assert.ok(problem instanceof Problem)
  return problem
}

// A client would repeat a request after 503, and a design that is too slow by itself would be drawn again and again.
test('a design that takes too much processor time fails for good, and one on a busy computer may be tried again', () => {
  const [own, busy] = [problemOf('deadline'), problemOf('timeout')]
  assert.deepEqual([own.status, own.code], [422, 'render_failed'])
  assert.deepEqual([busy.status, busy.code], [503, 'renderer_busy'])
})
