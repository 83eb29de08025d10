import { type DesignDocument, findBrokenLocks } from '../../drawing/index.ts'
import { designProblems } from '../problems.ts'
import type { Design } from '../store.ts'

/** Maximum number of faults in a response. A longer list would not help a client. */
const FAULTS_TOLD = 50

/**
 * Compares a new document with the saved one. Every save keeps the locks and what they protect, so the saved document
 * has them as the template had them.
 *
 * @throws `layer_locked` if the design was made from a template
 */
export function requireLocksKept({ templateId, documentJson }: Design, document: DesignDocument): void {
  if (templateId === null) return
  const broken = findBrokenLocks(JSON.parse(documentJson) as DesignDocument, document)
  if (broken.length === 0) return
  const errors = broken.slice(0, FAULTS_TOLD).map(({ pointer, layerId, lock }) => ({
    code: 'layer_locked',
    pointer: `/document${pointer}`,
    detail:
      lock === 'lock'
        ? `The lock of the layer ${layerId} cannot be changed.`
        : `The layer ${layerId} has the lock "${lock}".`,
  }))
  throw designProblems.layer_locked({ errors })
}
