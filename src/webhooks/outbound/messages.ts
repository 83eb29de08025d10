import type { SourceFailed } from '../../platform/uploads/source.ts'
import type { SenderOptions, SendOutcome, SendRequest } from '../transport/sender.ts'

/** What the thread gets when it starts. */
export type ThreadOptions = Pick<SenderOptions, 'allowedNetworks' | 'allowHttp' | 'certificateAuthorities'>

/** From the service to its thread. `id` identifies a request. */
export type Command =
  /** Answered by `outcome`, or by `rejected` if the headers are invalid. */
  | { id: number; kind: 'send'; request: SendRequest }
  /** Answered by `opened` or `failed`. */
  | { id: number; kind: 'open'; url: string; share: string }
  /** Asks for the next bytes of an opened file. Answered by `part`, `ended` or `failed`. */
  | { id: number; kind: 'more' }
  /** Ends an opened file, or its request. Not answered. */
  | { id: number; kind: 'abort' }
  /** Ends the running `send` requests with the outcome `closed`. */
  | { kind: 'stop' }

/** From the thread to the service. */
export type Report =
  | { id: number; kind: 'outcome'; outcome: SendOutcome }
  | { id: number; kind: 'rejected'; message: string }
  | { id: number; kind: 'opened' }
  | { id: number; kind: 'part'; bytes: Uint8Array<ArrayBuffer> }
  | { id: number; kind: 'ended' }
  | { id: number; kind: 'failed'; reason: SourceFailed['kind']; detail: string }
