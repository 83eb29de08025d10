import {
  checkDocument,
  type DesignDocumentInput,
  type DocumentProblem,
  hasDashes,
  normalizeDocument,
} from '../../drawing/index.ts'
import { designProblems } from '../problems.ts'
import type { CheckDeps, DesignContent } from './check-inputs.ts'
import { toCheckProblem } from './to-check-problem.ts'

type StoredDocument = Pick<DesignContent, 'document' | 'documentJson'>

/** The document of a request in its stored form, with the faults that its schema cannot detect. */
export interface SubmittedDocument extends StoredDocument {
  faults: readonly DocumentProblem[]
}

/**
 * Normalizes and checks the document of a request. A checking process counts the dashes, so this function is called
 * before the transaction. `requireValid` throws the faults within the transaction.
 *
 * @throws `renderer_busy`
 */
export async function readDocument(
  { checker, signal }: Pick<CheckDeps, 'checker' | 'signal'>,
  ownerId: string,
  input: DesignDocumentInput = { version: 1, placements: [] },
): Promise<SubmittedDocument> {
  const document = normalizeDocument(input)
  const documentJson = JSON.stringify(document)
  const faults = checkDocument(document)
  if (!hasDashes(document)) return { document, documentJson, faults }
  const dashFaults = await checker.checkDashes({ documentJson }, { owner: ownerId, signal }).catch((error: unknown) => {
    throw toCheckProblem(error, document)
  })
  return { document, documentJson, faults: [...faults, ...dashFaults] }
}

/**
 * Returns the document if it has no faults.
 *
 * @throws `document_invalid`
 */
export function requireValid({ faults, ...stored }: SubmittedDocument): StoredDocument {
  const errors = faults.map((fault) => ({ ...fault, pointer: `/document${fault.pointer}` }))
  if (errors.length > 0) throw designProblems.document_invalid({ errors })
  return stored
}
