import type { Argon2Cost } from '../hashes/argon2id.ts'

/** One computation for a thread. */
export type Computation =
  | { kind: 'derive'; password: string; salt: Uint8Array; cost: Argon2Cost; tagBytes: number }
  | { kind: 'compare'; password: string; stored: string }

/** The result of a computation. A failure has a code only, because the message of an error could contain its input. */
export type Outcome =
  | { kind: 'derived'; tag: Uint8Array }
  | { kind: 'compared'; matches: boolean }
  | { kind: 'failed'; code: string }
