import { availableParallelism, totalmem } from 'node:os'

/** With more, the API processes and the embedded PostgreSQL would compete for the same processors. */
const MOST_ON_EMBEDDED = 4
/** With more, the node could exceed the 97 connections that PostgreSQL allows to ordinary roles by default. */
const MOST_ON_OWN = 8
/** Memory of one API process under load, with its part of the processes that draw. */
const BYTES_OF_ONE = 2 ** 30

export interface Machine {
  cores: number
  /** Memory that this process may use. */
  bytes: number
}

/**
 * Returns the default number of API processes: one for each core and each GiB of memory, up to 4 beside the embedded
 * PostgreSQL and up to 8 otherwise.
 */
export function defaultProcesses({ isEmbedded }: { isEmbedded: boolean }, { cores, bytes } = thisMachine()): number {
  const most = isEmbedded ? MOST_ON_EMBEDDED : MOST_ON_OWN
  return Math.max(1, Math.min(cores, most, Math.floor(bytes / BYTES_OF_ONE)))
}

function thisMachine(): Machine {
  // 0 or a huge number if no limit of a container is set.
  const limit = process.constrainedMemory()
  return { cores: availableParallelism(), bytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() }
}
