import type { IncomingHttpHeaders } from 'node:http'
import type { GuardDescription } from './guard.ts'
import type { Principal } from './principal.ts'

/** The part of a request that code outside the routes may read. */
export interface HttpRequest {
  readonly ip: string
  readonly headers: IncomingHttpHeaders
  readonly raw: { readonly rawHeaders: readonly string[] }
  readonly principal: Principal | undefined
  readonly routeOptions: {
    readonly config: { readonly guard?: GuardDescription }
  }
  /** The parameters of the path. */
  readonly params: unknown
}

export interface HttpResponse {
  /** Several `Set-Cookie` headers are all sent. */
  header(name: string, value: string): unknown
}
