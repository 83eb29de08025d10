import type { Permission } from '../../src/auth/access/permissions.ts'
import type { TestService } from '../harness.ts'

/** What the OpenAPI document says of who may call an operation. */
interface Described {
  /** Empty for operations that need no credential. */
  security: Record<string, string[]>[]
  requestBody?: { required?: boolean }
  'x-platen-permission'?: Permission | Permission[]
  /** Each suffices instead. */
  'x-platen-alternative-permissions'?: Permission[]
  'x-platen-role'?: 'operator' | 'admin'
}

export interface DescribedOperation extends Described {
  method: string
  path: string
}

/** Lists every operation of the API as the OpenAPI document of a running service describes it. */
export async function listOperations(service: Pick<TestService, 'request'>): Promise<DescribedOperation[]> {
  const { body } = await service.request('GET', '/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
  )
}

/** The permissions that a caller needs, all of them. Empty for operations that need none. */
export const permissionsFor = (operation: DescribedOperation): Permission[] =>
  [operation['x-platen-permission'] ?? []].flat()

/**
 * Calls an operation with a credential, with an empty body, and with ids that do not exist unless `ids` contains them.
 *
 * @returns status and code of a refusal, or `let in`
 */
export async function attempt(
  service: Pick<TestService, 'request'>,
  token: string,
  { method, path }: Pick<DescribedOperation, 'method' | 'path'>,
  ids: Readonly<Record<string, string>> = {},
): Promise<string> {
  // With an unknown event id, the stream of events ends with an error instead of staying open.
  const url = path
    .replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'unknown')
    .replace(/\/stream$/, '/stream?after=unknown')
  const content = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
  const { status, body } = await service.request(method, url, { token, ...content })
  if (status >= 500) throw new Error(`${method} ${path}: ${status}`)
  return status === 401 || status === 403 ? `${status} ${body.code}` : 'let in'
}
