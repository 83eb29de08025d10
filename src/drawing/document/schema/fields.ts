import Type, { type Static } from 'typebox'
import { BASE_DEFAULTS } from './defaults.ts'
import { DOCUMENT_LIMITS } from './limits.ts'

// PostgreSQL cannot store NUL, and lone surrogates have no UTF-8 form and no glyph.
export const WELL_FORMED_TEXT = '^[^\\u0000\\ud800-\\udfff]*$'
const COLOR = '^#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$'
const ID = '^[A-Za-z0-9_-]{1,64}$'

export const closed = { additionalProperties: false } as const

export const Id = (description: string) => Type.String({ pattern: ID, description })
export const Color = (options: { default?: string; description: string }) => Type.String({ pattern: COLOR, ...options })
const Position = (description: string) =>
  Type.Number({ minimum: -DOCUMENT_LIMITS.sizeMm, maximum: DOCUMENT_LIMITS.sizeMm, description })
export const Size = (description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: DOCUMENT_LIMITS.sizeMm, description })
// The minimum is 0, because a horizontal line has no height and a vertical line has no width.
export const Extent = (description: string) => Type.Number({ minimum: 0, maximum: DOCUMENT_LIMITS.sizeMm, description })
export const OneOf = <const Values extends readonly string[]>(
  values: Values,
  options: { default?: Values[number]; description?: string } = {},
) => Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })

/** The fields that every layer has in addition to its type. */
export const placed = {
  id: Id('Unique within the document; chosen by the client.'),
  x: Position('Left edge in millimetres from the trim box, before rotation.'),
  y: Position('Top edge in millimetres from the trim box, before rotation.'),
}

const Forbidden = (description: string) => Type.Optional(Type.Boolean({ description }))
export const LockSchema = Type.Object(
  {
    move: Forbidden('Position, size, rotation, print area and place in the order must not change.'),
    edit: Forbidden('`text`, `value`, `assetId`, `path` and `crop` must not change.'),
    style: Forbidden('All other fields must not change.'),
    remove: Forbidden('The layer must not be deleted and keeps its `id`.'),
  },
  {
    ...closed,
    title: 'LayerLock',
    description:
      'What must not be done with the layer. Locks bind designs that were made from a template. The drawing does not depend on them, except that uploaded fonts are not used for the families of texts with `edit` or `style`.',
  },
)
export type LayerLock = Static<typeof LockSchema>

/** Fields for editors. They do not change the drawing. */
const notes = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: WELL_FORMED_TEXT,
      description: 'A name for lists of layers. It is not printed.',
    }),
  ),
  group: Type.Optional(
    Id('Editors select and move layers with the same group together. It does not change the drawing.'),
  ),
  hiddenOpacity: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The `opacity` that a layer gets back when an editor shows it again. Hidden layers have the opacity 0.',
    }),
  ),
}

export const turned = {
  rotation: Type.Optional(
    Type.Number({
      minimum: -360,
      maximum: 360,
      default: BASE_DEFAULTS.rotation,
      description: 'Degrees clockwise around the centre.',
    }),
  ),
  opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: BASE_DEFAULTS.opacity })),
  lock: Type.Optional(LockSchema),
  ...notes,
}
export const box = { width: Size('Width in millimetres.'), height: Size('Height in millimetres.') }
