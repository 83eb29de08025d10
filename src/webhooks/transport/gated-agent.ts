import { constants } from 'node:crypto'
import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import { networkOfShare } from '../../platform/fair-share.ts'
import { createHandshakeGate } from './handshake-gate.ts'

/** Options of a request through a `GatedAgent`. */
export interface SharedRequest {
  /** Whose request it is (`findShare`). The visitors of a network have the TLS handshakes of one account together. */
  share: string
}

const TLS_OPTIONS = {
  // Set explicitly, because an environment variable can change the default.
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2',
  // Without finite-field Diffie-Hellman, whose prime the server chooses: one of 10,000 bits takes a second.
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  ecdhCurve: 'X25519MLKEM768:X25519:P-256:P-384:P-521',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const

/** Makes TLS connections to servers that users chose, as many at once as the share of the user may. */
export class GatedAgent extends Agent {
  readonly #gate = createHandshakeGate()

  constructor(options: AgentOptions) {
    super({ ...options, ...TLS_OPTIONS })
  }

  override createConnection(
    options: RequestOptions & Partial<SharedRequest>,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { host, port, share = '' } = options
    const connect = (): Promise<'failed' | 'secured' | 'unreached'> =>
      new Promise((end) => {
        const socket = super.createConnection(options) as TLSSocket
        let isReached = false
        socket.once('connect', () => (isReached = true))
        socket.once('secureConnect', () => end('secured'))
        socket.once('close', () => end(isReached ? 'failed' : 'unreached'))
        callback(null, socket)
      })
    this.#gate
      .run(networkOfShare(share), `${host}:${port}`, connect)
      .catch((error: Error) => callback(error, undefined as never))
  }
}
