import { join } from 'node:path'
import { type ClientMethod, type ContractDocument, clientMethods } from './client-operations.ts'
import { indent } from './indent.ts'
import { inputOf, queryDeclaration, resultOf, signatureOf } from './method-signature.ts'
import { declarationOf } from './schema-types.ts'

/** The folder of the generated files. */
export const GENERATED = join(import.meta.dirname, '../../../packages/client/src/generated')

/**
 * Operations without a key that can be repeated after a lost response: their descriptions state that a repetition
 * changes nothing more.
 */
const REPEATABLE = ['finalizeDesign', 'preflightDesign', 'logout', 'refresh']

/** Returns the generated files of the client by name. The codes are those of all problems of the service. */
export function generateClient(document: ContractDocument, codes: readonly string[]): Record<string, string> {
  const methods = clientMethods(document)
  return {
    'types.ts': typesOf(document, methods),
    'resources.ts': resourcesOf(methods),
    'table.ts': tableOf(methods),
    'problem-codes.ts': `${HEAD}/** The \`code\` of a problem of the service. */\nexport type ProblemCode =\n${[
      ...codes,
    ]
      .sort()
      .map((code) => `  | '${code}'\n`)
      .join('')}`,
  }
}

const HEAD = '// Written by `npm run client` from openapi.json. Change the contract instead of this file.\n\n'

function typesOf({ components }: ContractDocument, methods: readonly ClientMethod[]): string {
  const declarations = Object.entries(components.schemas).map(([name, schema]) => declarationOf(name, schema))
  const all = [...declarations, ...methods.map(queryDeclaration)]
  return indent(`${HEAD}${all.filter((text) => text !== '').join('\n')}`)
}

function resourcesOf(methods: readonly ClientMethod[]): string {
  const resources = Map.groupBy(methods, ({ resource }) => resource)
  const interfaces = [...resources].map(
    ([resource, own]) => `export interface ${typeName(resource)} {\n${own.map(signatureOf).join('\n')}}\n`,
  )
  const members = [...resources.keys()].map((resource) => `readonly ${resource}: ${typeName(resource)}\n`)
  const text = [
    ...interfaces,
    `/** All operations of the API. */\nexport interface Resources {\n${members.join('')}}\n`,
  ].join('\n')
  return indent(`${HEAD}${importsOf(text)}\n${text}`)
}

const typeName = (resource: string): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1)}Resource`

/** Where the names in signatures come from, apart from the generated types. */
const OWN_TYPES: Readonly<Record<string, string>> = {
  ApiCall: '../call.ts',
  PagedCall: '../paging.ts',
  StreamEvents: '../events/stream-types.ts',
  CallOptions: '../options.ts',
  FileBody: '../options.ts',
  RequestOptions: '../options.ts',
  UploadOptions: '../options.ts',
}

function importsOf(text: string): string {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/'[^']*'/g, '')
  const own = Object.groupBy(
    Object.keys(OWN_TYPES).filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
    (name) => OWN_TYPES[name] ?? '',
  )
  const declared = new Set(text.match(/(?<=interface )\w+/g))
  const used = new Set(code.match(/\b[A-Z]\w+\b/g))
  const globals = new Set(['Promise', 'Record', 'Response', ...Object.keys(OWN_TYPES), ...declared])
  const generated = [...used].filter((name) => !globals.has(name)).sort()
  return [
    ...Object.entries(own).map(([from, names = []]) => `import type { ${names.join(', ')} } from '${from}'\n`),
    `import type { ${generated.join(', ')} } from './types.ts'\n`,
  ].join('')
}

function tableOf(methods: readonly ClientMethod[]): string {
  const lines = methods.map((method) =>
    `${method.resource}.${method.name} ${method.httpMethod} ${method.path} ${flagsOf(method)}`.trimEnd(),
  )
  return `${HEAD}/** One line for each operation. \`operations.ts\` explains the flags. */\nexport const TABLE = \`\n${lines.join('\n')}\n\`\n`
}

/** Returns one letter for each property of an operation that the client needs at run time. */
function flagsOf(method: ClientMethod): string {
  const { operation, headers, hasPages } = method
  const input = inputOf(method)?.kind
  const result = resultOf(operation).kind
  const flags: Record<string, boolean> = {
    q: input === 'query',
    b: input === 'body',
    f: input === 'file',
    j: operation.requestBody?.content['application/json-patch+json'] !== undefined,
    k: headers.includes('Idempotency-Key'),
    c: headers.includes('Platen-Customer'),
    p: hasPages,
    n: operation.security?.length === 0,
    s: operation.parameters?.some(({ name }) => name === 'session') === true,
    r: REPEATABLE.includes(operation.operationId),
    B: result === 'binary',
    T: result === 'text',
    L: result === 'redirect',
    E: result === 'events',
  }
  return Object.keys(flags)
    .filter((flag) => flags[flag] === true)
    .join('')
}
