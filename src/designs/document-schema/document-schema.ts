import { DesignDocumentSchema } from '../../drawing/index.ts'

/** The id is the same in every installation, for as long as version 1 of the document exists. */
const SCHEMA_ID = 'urn:platen:schema:design-document:1'

type Schema = Record<string, unknown>

/**
 * Builds the public schema of design documents: JSON Schema 2020-12, self-contained, for any validator, editor or
 * generator. The service validates documents with the same definitions. `checkDocument` has the rules that a schema
 * cannot express.
 */
export function documentSchema(): object {
  const definitions: Record<string, unknown> = {}
  // The round trip through JSON removes members that only the type system uses.
  const { title, ...document } = JSON.parse(JSON.stringify(DesignDocumentSchema)) as Schema
  const schema = publish(document, definitions) as Schema
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: SCHEMA_ID,
    title,
    description:
      'What is placed on the print areas of a product. Lengths are in millimetres from the top left of the trim box, text sizes in points, angles in degrees clockwise, colours in sRGB.',
    ...schema,
    $defs: definitions,
  }
}

/** Moves schemas with a title to `$defs`. Removes `discriminator`, which belongs to OpenAPI, not to JSON Schema. */
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
