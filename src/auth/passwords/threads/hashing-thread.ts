/**
 * A thread that hashes passwords, one at a time. Its priority is lower than that of the event loops, so that requests do
 * not wait for the processor while many clients sign in.
 */
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { deriveArgon2id } from '../hashes/argon2id.ts'
import { readStoredHash } from '../hashes/stored-hash.ts'
import type { Computation, Outcome } from './messages.ts'

const NICENESS = 5
const LOWEST_PRIORITY = 19

function compute(computation: Computation): Outcome {
  const { password } = computation
  try {
    if (computation.kind === 'compare') {
      return { kind: 'compared', matches: readStoredHash(computation.stored).matches(password) }
    }
    const { salt, cost, tagBytes } = computation
    // A copy, because the buffer may be part of a larger one, which would be sent as a whole.
    return { kind: 'derived', tag: new Uint8Array(deriveArgon2id(password, salt, cost, tagBytes)) }
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    return { kind: 'failed', code: code ?? name }
  }
}

// Elsewhere, threads have no priority of their own.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICENESS))
  } catch {
    // A sandbox may forbid it. The thread then has the priority of the process.
  }
}
parentPort?.on('message', (computation: Computation) => parentPort?.postMessage(compute(computation)))
