import type { Readable } from 'node:stream'

/** Fetches files from URLs that users chose, without access to internal networks. */
export interface FileSource {
  /**
   * Opens the file at a URL. The stream fails with `SourceFailed` too.
   *
   * @throws {SourceFailed}
   */
  open(url: string, request: FileRequest): Promise<Readable>
}

export interface FileRequest {
  /** Whose request it is (`findShare`). */
  share: string
  /** When it aborts, the request ends. */
  signal: AbortSignal
}

/** A file could not be fetched. Its owner sees the message, so it names no internal IP address. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed'
  /** `refused`: the service does not fetch from there. `unavailable`: the source gave no file. */
  readonly kind: 'refused' | 'unavailable'

  constructor(kind: SourceFailed['kind'], detail: string) {
    super(detail)
    this.kind = kind
  }
}
