/** Writes docs/design-document.schema.json, a copy of the schema for readers who run no service. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentSchema } from '../src/designs/document-schema/document-schema.ts'

const path = join(import.meta.dirname, '../docs/design-document.schema.json')
writeFileSync(path, `${JSON.stringify(documentSchema(), null, 2)}\n`)
