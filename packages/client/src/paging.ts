import { type ApiCall, SentCall, type WithResponse } from './call.ts'

export interface Page {
  data: readonly unknown[]
  nextCursor: string | null
}

/**
 * A request for a page of a list. Await it for one page, or iterate over it: `for await` reads the records of this page
 * and all following ones, and requests a page when it is needed.
 */
export interface PagedCall<P extends Page> extends ApiCall<P>, AsyncIterable<P['data'][number]> {
  /** Iterates over whole pages. */
  pages(): AsyncIterableIterator<P>
}

/** @param next requests the page at a cursor */
export function createPagedCall<P extends Page>(
  sent: Promise<WithResponse<P>>,
  next: (cursor: string) => Promise<P>,
): PagedCall<P> {
  return new SentPage(sent, next)
}

class SentPage<P extends Page> extends SentCall<P> implements PagedCall<P> {
  readonly #next: (cursor: string) => Promise<P>

  constructor(sent: Promise<WithResponse<P>>, next: (cursor: string) => Promise<P>) {
    super(sent)
    this.#next = next
  }

  async *pages(): AsyncIterableIterator<P> {
    let page = await this.withResponse().then(({ data }) => data)
    yield page
    // A server that is not the service could repeat a page for ever.
    for (let cursor: unknown = null; typeof page.nextCursor === 'string' && page.nextCursor !== cursor; ) {
      cursor = page.nextCursor
      page = await this.#next(page.nextCursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<P['data'][number]> {
    for await (const { data } of this.pages()) yield* data as P['data'][number][]
  }
}
