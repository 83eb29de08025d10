import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import { processorMs } from '../../../test/lib/processor-time.ts'
import { applyPatch, type Operation, PatchFault } from './apply-patch.ts'
import type { JsonValue } from './pointer.ts'

type Case = [doc: unknown, patch: unknown[], expected: unknown]

/** Cases of the test suite of json-patch.org, and of RFC 6902, appendix A. */
const APPLICABLE: Case[] = [
  [{}, [], {}],
  [{ foo: 1 }, [], { foo: 1 }],
  [[], [{ op: 'add', path: '/0', value: 'foo' }], ['foo']],
  [{}, [{ op: 'add', path: '/foo', value: '1' }], { foo: '1' }],
  [{}, [{ op: 'add', path: '', value: [] }], []],
  [[], [{ op: 'add', path: '', value: {} }], {}],
  [[], [{ op: 'add', path: '/-', value: 'hi' }], ['hi']],
  [{ foo: 1 }, [{ op: 'add', path: '/', value: 1 }], { foo: 1, '': 1 }],
  [{ foo: {} }, [{ op: 'add', path: '/foo/', value: 1 }], { foo: { '': 1 } }],
  [{ foo: 1 }, [{ op: 'add', path: '/foo', value: null }], { foo: null }],
  [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
  [[1, 2, [3, [4, 5]]], [{ op: 'add', path: '/2/1/-', value: { foo: 1 } }], [1, 2, [3, [4, 5, { foo: 1 }]]]],
  [{ bar: [1, 2] }, [{ op: 'add', path: '/bar/2', value: 5 }], { bar: [1, 2, 5] }],
  [{ foo: 1 }, [{ op: 'add', path: '/foo~1bar', value: 2 }], { foo: 1, 'foo/bar': 2 }],
  [{ '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '~1': 10 }],
  [{ foo: 1, bar: [1, 2] }, [{ op: 'remove', path: '/bar' }], { foo: 1 }],
  [
    [1, 2, 3, 4],
    [
      { op: 'remove', path: '/1' },
      { op: 'remove', path: '/2' },
    ],
    [1, 3],
  ],
  [{ foo: null }, [{ op: 'remove', path: '/foo' }], {}],
  [{ a: 1 }, [{ op: 'replace', path: '', value: [2] }], [2]],
  [['foo', 'sil'], [{ op: 'replace', path: '/1', value: 'bar' }], ['foo', 'bar']],
  [{ '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
  [{ foo: 1 }, [{ op: 'test', path: '/foo', value: 1, spurious: 1 }], { foo: 1 }],
  [
    { foo: { a: [1, { b: 2 }] } },
    [{ op: 'test', path: '/foo', value: { a: [1, { b: 2 }] } }],
    { foo: { a: [1, { b: 2 }] } },
  ],
  [{ a: 1, b: 2 }, [{ op: 'test', path: '', value: { b: 2, a: 1 } }], { a: 1, b: 2 }],
  [{ foo: 1, baz: [] }, [{ op: 'move', from: '/foo', path: '/bar' }], { baz: [], bar: 1 }],
  [{ foo: { a: 1 } }, [{ op: 'move', from: '/foo', path: '/foo' }], { foo: { a: 1 } }],
  [{ a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
  [
    { a: { b: 1 } },
    [
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'replace', path: '/a/b', value: 2 },
    ],
    { a: { b: 2 }, c: { b: 1 } },
  ],
  [{ a: { b: 1 } }, [{ op: 'copy', from: '', path: '/a/c' }], { a: { b: 1, c: { a: { b: 1 } } } }],
]

const FAULTY: Case[] = [
  [{ bar: [1, 2] }, [{ op: 'add', path: '/bar/8', value: 5 }], 0],
  [{ bar: [1, 2] }, [{ op: 'add', path: '/bar/-1', value: 5 }], 0],
  [['foo'], [{ op: 'add', path: '/01', value: 5 }], 0],
  [['foo'], [{ op: 'add', path: '/1e0', value: 5 }], 0],
  [['foo'], [{ op: 'replace', path: '/-', value: 5 }], 0],
  [{ foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 5 }], 0],
  [{ foo: 'bar' }, [{ op: 'add', path: '/foo/length', value: 5 }], 0],
  [
    { foo: 1 },
    [
      { op: 'test', path: '/foo', value: 1 },
      { op: 'remove', path: '/baz' },
    ],
    1,
  ],
  [{ foo: 1 }, [{ op: 'replace', path: '/baz', value: 1 }], 0],
  [{ foo: 1 }, [{ op: 'remove', path: '' }], 0],
  [{ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }], 0],
  [{ a: 1 }, [{ op: 'move', from: '', path: '/a' }], 0],
  [{ a: 1 }, [{ op: 'copy', from: '/b', path: '/c' }], 0],
  [{}, [{ op: 'test', path: '/toString', value: 1 }], 0],
  [{}, [{ op: 'add', path: '/__proto__/polluted', value: true }], 0],
  [{}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }], 0],
  [{}, [{ op: 'add', path: '/constructor', value: 1 }], 0],
  [{ a: {} }, [{ op: 'move', from: '/a', path: '/prototype' }], 0],
]

const faultOf = (document: unknown, patch: unknown[]): PatchFault => {
  try {
    applyPatch(structuredClone(document) as JsonValue, patch as Operation[])
  } catch (error) {
    if (error instanceof PatchFault) return error
    throw error
  }
  throw new Error(`applied: ${JSON.stringify(patch)}`)
}

test('a patch of the test suite has the documented result', () => {
  for (const [document, patch, expected] of APPLICABLE) {
    const result = applyPatch(structuredClone(document) as JsonValue, patch as Operation[])
    assert.deepEqual(result, expected, JSON.stringify(patch))
  }
})

test('a patch that cannot be applied names the operation, and reaches no prototype', () => {
  for (const [document, patch, index] of FAULTY) {
    const { kind, index: found } = faultOf(document, patch)
    assert.deepEqual([kind, found], ['not_applicable', index], JSON.stringify(patch))
  }
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('a test fails for every other value, and does not convert types', () => {
  for (const [actual, value] of [
    [1, '1'],
    [null, 0],
    [[], {}],
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      [1, 2],
      [2, 1],
    ],
    [{}, null],
  ]) {
    const { kind } = faultOf({ a: actual }, [{ op: 'test', path: '/a', value }])
    assert.equal(kind, 'test_failed', JSON.stringify([actual, value]))
  }
})

test('copies cannot make a document grow without bound, neither in size nor in depth', () => {
  const double = (count: number) => Array.from({ length: count }, (_, n) => ({ op: 'copy', from: '', path: `/k${n}` }))
  const begin = process.cpuUsage()
  assert.match(faultOf({ text: 'x'.repeat(1000) }, double(100)).message, /1 MiB/)
  assert.match(faultOf({ list: Array.from({ length: 50_000 }, () => 0) }, double(100)).message, /1 MiB/)
  const nest = Array.from({ length: 100 }, () => ({ op: 'copy', from: '', path: '/a' }))
  assert.match(faultOf({ a: {} }, nest).message, /64 levels/)
  const deeper = Array.from({ length: 70 }, (_, n) => ({ op: 'add', path: '/a'.repeat(n + 1), value: {} }))
  assert.match(faultOf({}, deeper).message, /64 levels/)
  assert.ok(processorMs(process.cpuUsage(begin)) < 1000)
})

test('a patch is not changed by its application', () => {
  const operations: Operation[] = [
    { op: 'add', path: '/a', value: { b: 1 } },
    { op: 'replace', path: '/a/b', value: 2 },
  ]
  for (let times = 0; times < 2; times += 1) assert.deepEqual(applyPatch({}, operations), { a: { b: 2 } })
  assert.deepEqual(operations[0], { op: 'add', path: '/a', value: { b: 1 } })
})
