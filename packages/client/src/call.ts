export interface WithResponse<T> {
  data: T
  status: number
  headers: Headers
  /** The version of the record, for `ifMatch` and `ifNoneMatch`. */
  etag: string | undefined
}

/** The response to a request whose effect an earlier request had. */
export function withoutContent(): WithResponse<undefined> {
  return { data: undefined, status: 204, headers: new Headers(), etag: undefined }
}

/** A request under way. Await it for the body of the response. */
export interface ApiCall<T> extends Promise<T> {
  /** Resolves to the body with status and headers of the response. */
  withResponse(): Promise<WithResponse<T>>
}

/**
 * Creates a call. The class derives no promise before one is asked for, so that a failure is reported once, in the way
 * in which the caller awaits it.
 */
export function createCall<T>(sent: Promise<WithResponse<T>>): ApiCall<T> {
  return new SentCall(sent)
}

export class SentCall<T> extends Promise<T> implements ApiCall<T> {
  readonly #sent: Promise<WithResponse<T>>

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(sent: Promise<WithResponse<T>>) {
    // The state of this object is never used: `then` follows the request.
    super(() => undefined)
    this.#sent = sent
  }

  // biome-ignore lint/suspicious/noThenProperty: this class is a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#sent.then(({ data }) => data).then(onFulfilled, onRejected)
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#sent
  }
}
