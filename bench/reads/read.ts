import type { Subject } from '../lib/subject.ts'
import { againstBareRead, unchangedAgainstRead } from './against-bare-read.ts'

/** Measures authenticated reads of one design, also by clients that have its current version. */
export async function benchRead(subject: Subject): Promise<void> {
  const path = `/designs/${subject.designId}`
  await againstBareRead(subject, { figure: 'read a design', path, aim: 0.75 })
  await unchangedAgainstRead(subject, { figure: 'read a design with If-None-Match: 304', path, aim: 1.4 })
}
