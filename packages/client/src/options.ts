/** Options that every method takes. */
export interface RequestOptions {
  /** Ends the request, its retries and the waiting between them. */
  signal?: AbortSignal | undefined
  /** Milliseconds for one attempt, until the response is read. 0 means no limit. */
  timeoutMs?: number | undefined
  /** Maximum number of repetitions after a failure that another attempt may overcome. */
  maxRetries?: number | undefined
  /** Further request headers. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** Options that become headers. A method takes those that its operation honours. */
export interface HeaderOptions {
  /** Names the request for 24 hours. By default, the client makes a key and repeats it in retries. */
  idempotencyKey?: string | undefined
  /** The `ETag` that the record must have. Otherwise the error is `precondition_failed`. */
  ifMatch?: string | undefined
  /** The `ETag` of a version that the caller has. If it is the current one, the result is `undefined`. */
  ifNoneMatch?: string | undefined
  /** Asks for a response before the work is complete. */
  prefer?: 'respond-async' | undefined
  /** The media type of the response, such as `image/png`. */
  accept?: string | undefined
  /** The customer for whom the request is made: `cus_...` or `ext:...`. It takes precedence over that of the client. */
  customer?: string | undefined
}

export type CallOptions<Name extends keyof HeaderOptions> = RequestOptions & Pick<HeaderOptions, Name>

/** The bytes of a file, or a form with one file. A stream cannot be sent again, so its upload has no retries. */
export type FileBody = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | FormData

export interface UploadProgress {
  /** Bytes that have left the client in this attempt. */
  loadedBytes: number
  /** Undefined for streams and forms whose size is unknown. */
  totalBytes: number | undefined
}

export interface UploadOptions {
  /** The media type of the file. Default: the type of a `Blob`, else `application/octet-stream`. */
  contentType?: string | undefined
  /** Receives the progress of the upload. A retry begins again with few bytes. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
}
