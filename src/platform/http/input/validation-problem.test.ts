import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { Problem } from '../../problem.ts'
import { EmptyBody } from './empty-body.ts'
import { validatorCompiler } from './validation.ts'
import { validationProblem } from './validation-problem.ts'

const Color = Type.Union([Type.Literal('red'), Type.Literal('blue'), Type.String({ enum: ['green', 'red'] })])
const Value = Type.Union([Type.String({ maxLength: 3 }), Type.Number(), Type.Boolean()])
const Circle = Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }, { additionalProperties: false })
const Line = Type.Object({ kind: Type.Literal('line'), length: Type.Number() }, { additionalProperties: false })
const Body = Type.Object(
  {
    colors: Type.Optional(Type.Array(Color)),
    values: Type.Optional(Type.Record(Type.String(), Value)),
    name: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
    empty: Type.Optional(EmptyBody),
    figure: Type.Optional(
      Type.Unsafe({
        type: 'object',
        discriminator: { propertyName: 'kind' },
        required: ['kind'],
        oneOf: [Circle, Line],
      }),
    ),
  },
  { additionalProperties: false },
)

/** Returns the code, place and message of each fault in a body. */
function faultsOf(body: object): string[] {
  const validate = validatorCompiler({ schema: Body, method: 'POST', url: '/', httpPart: 'body' }) as ReturnType<
    typeof validatorCompiler
  > & { errors: unknown[] | null }
  if (validate(body) === true) return []
  const problem = validationProblem({ validation: validate.errors, validationContext: 'body' } as never)
  assert.ok(problem instanceof Problem)
  return (problem.extras.errors ?? []).map(({ code, pointer, detail }) => `${code} ${pointer}: ${detail}`)
}

test('a value that matches no alternative gives one fault, which lists all allowed values or types', () => {
  assert.deepEqual(faultsOf({ colors: ['red', 'pink', 'blue', 1] }), [
    'unknown_value /colors/1: Expected one of: red, blue, green.',
    'unknown_value /colors/3: Expected one of: red, blue, green.',
  ])
  assert.deepEqual(faultsOf({ values: { a: 1, b: null, c: [] } }), [
    'wrong_type /values/b: This must be string or number or boolean.',
    'wrong_type /values/c: This must be string or number or boolean.',
  ])
})

test('a faulty value of the type of one alternative gives the faults of this alternative', () => {
  assert.deepEqual(faultsOf({ values: { a: 'long' } }), [
    'too_long /values/a: This must NOT have more than 3 characters.',
  ])
  assert.deepEqual(faultsOf({ name: '' }), ['too_short /name: This must NOT have fewer than 1 characters.'])
  assert.deepEqual(faultsOf({ empty: { x: 1 } }), ['unknown_field /empty/x: This member is not known here.'])
  assert.deepEqual(faultsOf({ figure: { kind: 'line', radius: 1 } }), [
    'required /figure/length: This member is required.',
    'unknown_field /figure/radius: This member is not known here.',
  ])
})

test('an unknown or missing discriminator is reported at its member', () => {
  assert.deepEqual(faultsOf({ figure: { kind: 'cube' } }), [
    'unknown_value /figure/kind: Expected one of: circle, line.',
  ])
  assert.ok(faultsOf({ figure: {} }).every((fault) => fault === 'required /figure/kind: This member is required.'))
})

test('faults beside unions and in several unions are all reported', () => {
  assert.deepEqual(faultsOf({ colors: ['pink'], values: { a: null }, name: '', x: 1 }).sort(), [
    'too_short /name: This must NOT have fewer than 1 characters.',
    'unknown_field /x: This member is not known here.',
    'unknown_value /colors/0: Expected one of: red, blue, green.',
    'wrong_type /values/a: This must be string or number or boolean.',
  ])
})

test('the detail states the first fault with its place, and how many more there are', () => {
  const required = {
    keyword: 'required',
    instancePath: '',
    schemaPath: '#/required',
    params: { missingProperty: 'name' },
  }
  const detailOf = (validation: object[]) =>
    validationProblem({ validation, validationContext: 'body' } as never).detail
  const first = 'The body does not match its schema. `/name`: This member is required.'
  assert.equal(detailOf([required]), first)
  assert.equal(detailOf([required, required, required]), `${first} \`errors\` contains 2 more.`)
})
