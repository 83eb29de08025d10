import { call } from '../../scripts/lib/client.ts'
import { savePostcards } from '../lib/postcards.ts'
import type { Subject } from '../lib/subject.ts'

/** Finalizes postcards and returns the ids of the designs, so that orders can use them. */
export async function finalizedPostcards(subject: Subject, count: number): Promise<string[]> {
  const ids = await savePostcards(subject, count)
  for (const id of ids) await call('POST', `${subject.base}/designs/${id}/finalize`, { token: subject.token })
  return ids
}
