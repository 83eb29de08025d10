/** Opens a connection. The thread connects, and then secures the connection with TLS. */
export interface Opening {
  /** As the certificate has it, and the `Host` header. */
  host: string
  /** Empty if the host is an IP address. */
  servername: string
  port: number
  /** Where to connect to. */
  addresses: readonly { address: string; family: number }[]
  /** Certificates of trusted authorities in PEM format. Default: those that Node.js trusts. */
  ca?: string | undefined
  /** Whose connection it is. The handshakes of a share may take only some time together. */
  share: string
}

/** From the service to its thread; each about the connection `id`. */
export type Command =
  | { id: number; kind: 'open'; opening: Opening }
  /** Answered by `written`. */
  | { id: number; kind: 'write'; bytes: Uint8Array }
  /** Asks for the next bytes, which `bytes` brings. */
  | { id: number; kind: 'read' }
  | { id: number; kind: 'end' }
  | { id: number; kind: 'destroy' }

/** From the thread to the service. After `closed`, there is nothing more about the connection. */
export type Report =
  | { id: number; kind: 'connected' }
  | { id: number; kind: 'secured' }
  | { id: number; kind: 'bytes'; bytes: Uint8Array }
  | { id: number; kind: 'written' }
  | { id: number; kind: 'ended' }
  | { id: number; kind: 'closed'; error?: { code: string; message: string } }

/** Ends connections of a share whose handshakes have taken too much processor time. */
export const TOO_COSTLY = {
  code: 'ERR_PLATEN_HANDSHAKES_TOO_COSTLY',
  message: 'The TLS handshakes of your connections have taken too much processor time; try again in a minute.',
}
