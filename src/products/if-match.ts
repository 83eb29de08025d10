import { httpProblems } from '../platform/http/core/problems.ts'
import { type ConditionalRequest, isExpectedVersion } from '../platform/http/responses/etag.ts'
import { type Product, type ProductBody, toProductBody } from './schemas.ts'

export function etagOf({ revision }: Pick<Product, 'revision'>): string {
  return `"${revision}"`
}

/** Sets the `ETag` of a product in a response. */
export function withETag(reply: { header(name: string, value: string): unknown }, body: ProductBody): ProductBody {
  reply.header('ETag', etagOf(body))
  return body
}

/**
 * Returns the condition that `If-Match` of a request states, for the action to verify while the product is locked. The
 * problem `precondition_failed` contains the present product, so that the client can show what has changed.
 */
export function versionOf(request: ConditionalRequest): (product: Product) => void {
  return (product) => {
    if (isExpectedVersion(request, etagOf(product))) return
    throw httpProblems.precondition_failed({
      headers: { ETag: etagOf(product) },
      members: { product: toProductBody(product) },
    })
  }
}
