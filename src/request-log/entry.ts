import type { Principal } from '../platform/http/core/principal.ts'

/** A request that has ended, as the log stores it. It contains no value that a client has sent. */
export interface RequestEntry {
  requestId: string
  endedAt: Date
  method: string
  /** The path as the API document writes it. Null if no operation has the URL. */
  route: string | null
  operation: string | null
  /** Names of the documented query parameters that were sent. */
  parameters: string[]
  status: number
  /** Code of the problem that the client got. */
  problem: string | null
  durationMs: number
  /** Null for an anonymous caller. */
  caller: Principal['kind'] | null
  userId: string | null
  /** The operator who acted for the customer `userId`. */
  actorId: string | null
  credentialId: string | null
  /** The key by which the IP address of the client counts. */
  network: string | null
}

/** A request that is not stored yet. */
export interface EndedEntry extends RequestEntry {
  /** Whether the caller is an operator or an administrator, also one who acted for a customer. */
  isStaff: boolean
}
