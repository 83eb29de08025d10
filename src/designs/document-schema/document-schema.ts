import { DesignDocumentSchema } from '../../drawing/index.ts'

/** Stays the same on every installation and for as long as there is version 1 of the document. */
const SCHEMA_ID = 'urn:platen:schema:design-document:1'

type Schema = Record<string, unknown>

/**
 * The schema of design documents for everybody else: JSON Schema 2020-12, complete in itself, for any validator, editor or
 * generator. The service validates by the same definitions; what it checks beside them is in `checkDocument`.
 */
export function documentSchema(): object {
  const definitions: Record<string, unknown> = {}
  // By way of JSON: members that only the type system knows are not in it.
  const schema = publish(JSON.parse(JSON.stringify(DesignDocumentSchema)) as Schema, definitions) as Schema
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: SCHEMA_ID,
    title: 'DesignDocument',
    description:
      "What is put on the print areas of a product. Lengths are millimetres from the trim box's top left, text sizes points, angles degrees clockwise, colours sRGB.",
    ...schema,
    $defs: definitions,
  }
}

/** Moves what has a title to `definitions`, and leaves out what is no JSON Schema: `discriminator` is OpenAPI's. */
function publish(value: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => publish(one, definitions))
  if (typeof value !== 'object' || value === null) return value
  const published = Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'discriminator')
      .map(([name, one]) => [name, publish(one, definitions)]),
  )
  const { title } = published
  if (typeof title !== 'string') return published
  definitions[title] = published
  return { $ref: `#/$defs/${title}` }
}
