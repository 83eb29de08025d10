import { type Static, Type } from 'typebox'
import { DesignBody } from '../schemas.ts'

const closed = { additionalProperties: false } as const

const Codes = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 50,
  description: 'Only issues with these codes. Default: all issues that have a fix.',
})

const Fixes = Type.Object({ codes: Type.Optional(Codes) }, closed)

/** A missing body is validated as `null`. */
export const FixBody = Type.Unsafe<Static<typeof Fixes> | null>({ ...Fixes, type: ['object', 'null'] })

export const FixedDesignBody = Type.Object(
  {
    ...DesignBody.properties,
    appliedFixes: Type.Array(
      Type.Object(
        {
          code: Type.String(),
          pointer: Type.String({ description: 'JSON Pointer from the root of the document.' }),
        },
        closed,
      ),
    ),
  },
  { ...closed, title: 'FixedDesign' },
)
