import { TABLE } from './generated/table.ts'

/** What the client knows of an operation at run time. */
export interface Operation {
  /** Resource and method, such as `designs.create`. */
  name: string
  method: string
  path: string
  /** What the method takes after the parameters of the path. */
  input: 'query' | 'body' | 'file' | undefined
  takesJsonPatch: boolean
  takesKey: boolean
  takesCustomer: boolean
  /** Whether the operation returns a list with pages. */
  hasPages: boolean
  isPublic: boolean
  /** Whether the response can set the refresh token as a cookie. */
  takesSession: boolean
  /** Whether a repetition changes nothing more. */
  isRepeatable: boolean
  result: 'json' | 'text' | 'binary' | 'redirect' | 'events'
}

const REPEATABLE_METHODS = ['GET', 'PUT', 'DELETE']

/** The operations by name. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const operation = readLine(line)
      return [operation.name, operation]
    }),
)

export function requireOperation(name: string): Operation {
  const operation = OPERATIONS.get(name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  return operation
}

function readLine(line: string): Operation {
  const [name = '', method = '', path = '', flags = ''] = line.split(' ')
  const has = (flag: string): boolean => flags.includes(flag)
  const pick = <T>(names: Readonly<Record<string, T>>): T | undefined =>
    Object.entries(names).find(([flag]) => has(flag))?.[1]
  return {
    name,
    method,
    path,
    input: pick({ q: 'query', b: 'body', f: 'file' } as const),
    takesJsonPatch: has('j'),
    takesKey: has('k'),
    takesCustomer: has('c'),
    hasPages: has('p'),
    isPublic: has('n'),
    takesSession: has('s'),
    isRepeatable: has('r') || REPEATABLE_METHODS.includes(method),
    result: pick({ B: 'binary', T: 'text', L: 'redirect', E: 'events' } as const) ?? 'json',
  }
}
