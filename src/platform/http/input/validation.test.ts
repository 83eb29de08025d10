import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { compileBodySchemas, validatorCompiler } from './validation.ts'

test('schemas of bodies are compiled after the start, with other work between them', async () => {
  const events: string[] = []
  const addBody = (name: string): void => {
    const schema = Type.Object({})
    const readTitle = (): string => {
      if (events.at(-1) !== name) events.push(name)
      return name
    }
    Object.defineProperty(schema, 'title', { enumerable: true, get: readTitle })
    validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' })
  }
  addBody('first')
  addBody('second')
  assert.equal(events.length, 0)

  let isCompiled = false
  const doOtherWork = (): void => {
    if (events.at(-1) !== 'other work') events.push('other work')
    if (!isCompiled) setImmediate(doOtherWork)
  }
  setImmediate(doOtherWork)
  await compileBodySchemas()
  isCompiled = true
  const [first, second] = [events.indexOf('first'), events.indexOf('second')]
  assert.ok(first >= 0 && second > first)
  assert.deepEqual(events.slice(first, second), ['first', 'other work'])
})
