import { Type } from 'typebox'
import type { Operation } from './apply-patch.ts'

export const JSON_PATCH_MEDIA_TYPE = 'application/json-patch+json'

const MAX_OPERATIONS = 100

const pointer = (description: string) =>
  Type.String({ maxLength: 1000, pattern: '^(?:/(?:[^~/]|~[01])*)*$', description })

const path = pointer('JSON Pointer (RFC 6901) of the target.')

/** RFC 6902 requires that other members of an operation are ignored. */
function operation(op: Operation['op'], members: Record<string, object>) {
  const title = `JsonPatch${op.charAt(0).toUpperCase()}${op.slice(1)}`
  const properties = { op: { type: 'string', const: op }, path, ...members }
  return { title, type: 'object', required: Object.keys(properties), properties }
}

/** A JSON Patch (RFC 6902). */
export const JsonPatchBody = Type.Unsafe<Operation[]>({
  type: 'array',
  maxItems: MAX_OPERATIONS,
  items: {
    type: 'object',
    required: ['op'],
    discriminator: { propertyName: 'op' },
    oneOf: [
      operation('add', { value: {} }),
      operation('replace', { value: {} }),
      operation('test', { value: {} }),
      operation('remove', {}),
      operation('move', { from: pointer('JSON Pointer of the source.') }),
      operation('copy', { from: pointer('JSON Pointer of the source.') }),
    ],
  },
})
