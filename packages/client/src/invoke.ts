import { createCall, type WithResponse, withoutContent } from './call.ts'
import { ANONYMOUS } from './credentials/credentials.ts'
import type { SessionCredentials } from './credentials/session.ts'
import { PlatenError } from './errors.ts'
import { type Connect, streamEvents } from './events/stream-events.ts'
import type { EventStream, StreamOptions, StreamQuery } from './events/stream-types.ts'
import type { Operation } from './operations.ts'
import { createPagedCall, type Page } from './paging.ts'
import { type PreparedRequest, prepare } from './request/prepare.ts'
import { type SendContext, send } from './request/send.ts'

/** What the methods of a client share. */
export interface Client {
  baseUrl: string
  context: SendContext
  own: SessionCredentials
  defaults: { customer: string | undefined }
}

/** Calls an operation with the arguments of its method. */
export function invoke(client: Client, operation: Operation, args: readonly unknown[]): unknown {
  if (operation.result === 'events') return openStream(client, operation, args)
  const prepared = () => prepare(client.baseUrl, operation, args, client.defaults)
  if (operation.result === 'redirect') return prepared().url
  const sent = sendAndAdopt(client, prepared)
  if (operation.result === 'binary') return sent.then(({ data }) => data)
  if (!operation.hasPages) return createCall(sent)
  const next = (cursor: string) => invoke(client, operation, withCursor(operation, args, cursor)) as Promise<Page>
  return createPagedCall(sent as Promise<WithResponse<Page>>, next)
}

function openStream(client: Client, operation: Operation, [query, options]: readonly unknown[]): EventStream {
  // The stream connects again by itself, and longer than a request would.
  const context = { ...client.context, maxRetries: 0 }
  const connect: Connect = async (parameters, connection) => {
    const request = prepare(client.baseUrl, operation, [parameters, connection], client.defaults)
    // A ticket stands for a credential.
    const isTicket = parameters['ticket'] !== undefined
    return (await send(isTicket ? { ...context, credentials: ANONYMOUS } : context, request)).data as Response
  }
  return streamEvents(connect, query as StreamQuery | undefined, options as StreamOptions | undefined)
}

/** Replaces the cursor in the query of a list. */
function withCursor({ path }: Operation, args: readonly unknown[], cursor: string): unknown[] {
  const at = path.split('{').length - 1
  const query = args[at] as object | undefined
  return args.toSpliced(at, 1, { ...query, cursor })
}

/**
 * Sends a request. Keeps the tokens of a sign-in, and forgets those of a session that the request has ended.
 *
 * @param prepared makes the request. It throws if the arguments are wrong, which rejects the call
 */
async function sendAndAdopt({ context, own }: Client, prepared: () => PreparedRequest): Promise<WithResponse<unknown>> {
  const request = prepared()
  const { name } = request.operation
  const isLogout = name === 'auth.logout'
  if (context.credentials !== own) return isLogout ? logOut(context, request) : send(context, request)
  if (isLogout) return own.leave(() => logOut(context, request))
  const response = await send(context, request)
  if (name.startsWith('auth.')) await own.adopt(response.data)
  if (name === 'me.delete') await own.session.forget()
  return response
}

async function logOut(context: SendContext, request: PreparedRequest): Promise<WithResponse<unknown>> {
  return send(context, request).catch((error: unknown) => {
    // The session has ended already.
    if (error instanceof PlatenError && error.status === 401) return withoutContent()
    throw error
  })
}
