import { againstBareRead } from './lib/against-bare-read.ts'
import type { Subject } from './lib/subject.ts'

/** Compares an authenticated read of one design with a minimal server that reads the same row. */
export async function benchRead({ base, token, designId, connectionString }: Subject): Promise<void> {
  await againstBareRead({
    figure: 'read a design',
    url: `${base}/designs/${designId}`,
    token,
    connectionString,
    statement: 'select * from designs where id = $1',
    value: designId,
  })
}
