import { checkDocument, type DesignDocument, DesignDocumentSchema } from '@platen/drawing'
import { Check } from 'typebox/value'

/** Tells whether a value from outside is a document that the service would take. Import it lazily: the schema is large. */
export function isValidDocument(value: unknown): value is DesignDocument {
  return Check(DesignDocumentSchema, value) && checkDocument(value as DesignDocument).length === 0
}
