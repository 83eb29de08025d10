import { setImmediate as nextTurn } from 'node:timers/promises'
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

type SerializerCompiler = (route: {
  schema: unknown
  method: string
  url: string
  httpStatus?: string
}) => (data: unknown) => string
export type ResponseCheck = (mismatch: {
  method: string
  url: string
  status: string
  errors: string
  data: unknown
}) => void

const OPTIONS: Options = {
  allErrors: true,
  useDefaults: true,
  discriminator: true,
  strict: false,
  allowUnionTypes: true,
  // Optimizing the generated code takes half of the time of compiling. V8 optimizes it anyway.
  code: { optimize: false },
  // Compiling the schema of schemas takes 20 ms. The rules of the linter of `openapi.json` validate all schemas instead.
  meta: false,
  validateSchema: false,
}

function createAjv(options: Options): Ajv {
  const ajv = new Ajv({ ...OPTIONS, ...options })
  // The types of the package declare the default export in the CommonJS form.
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  return ajv
}

/**
 * Creates a function that compiles each schema only once, because many routes share schemas or exist twice, with and
 * without the version segment of the URL.
 */
function createCompiler(options: Options): (schema: object) => ValidateFunction {
  const ajv = createAjv(options)
  const compiledObjects = new WeakMap<object, ValidateFunction>()
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const same = compiledObjects.get(schema)
    if (same !== undefined) return same
    const text = JSON.stringify(schema)
    const known = compiled.get(text) ?? ajv.compile(schema)
    compiled.set(text, known)
    compiledObjects.set(schema, known)
    return known
  }
}

// `verbose` adds the schema to each error, which names the values of a discriminator.
const compileFirstFault = createCompiler({ coerceTypes: false, allErrors: false, verbose: true })
const compileAllFaults = createCompiler({ coerceTypes: false, verbose: true })
const compileConverting = createCompiler({ coerceTypes: true })
const compileAnswer = createCompiler({ useDefaults: false })

/**
 * For a body with more values than this, only the first fault is reported. Each value can cause ten faults. Collecting those
 * of a body with 1,000 values takes 5 ms, and one caller can send hundreds of such bodies in a second.
 */
const MOST_VALUES_FOR_ALL_FAULTS = 100

/**
 * Validates requests. Values in bodies are not converted. Numbers in queries and paths arrive as text, so they are
 * converted.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // The schemas of paths and queries are small, and are compiled when their first value arrives.
  if (httpPart !== 'body') return remembersErrors(convertedErrors, schema as object)
  schemasToCompile.add(schema as object)
  return remembersErrors(bodyErrors, schema as object)
}

const schemasToCompile = new Set<object>()

/**
 * Compiles the schemas of all bodies, one in each turn of the event loop. A service that has started calls this, so that
 * neither its start nor its first requests take the time.
 */
export async function compileBodySchemas(): Promise<void> {
  for (const schema of schemasToCompile) {
    schemasToCompile.delete(schema)
    compileFirstFault(schema)
    await nextTurn()
  }
}

type Errors = NonNullable<ValidateFunction['errors']>

function remembersErrors(
  errorsOf: (schema: object, value: unknown) => Errors | undefined,
  schema: object,
): ReturnType<FastifySchemaCompiler<TSchema>> {
  const validate = (value: unknown): boolean => {
    validate.errors = errorsOf(schema, value) ?? null
    return validate.errors === null
  }
  validate.errors = null as Errors | null
  return validate
}

function convertedErrors(schema: object, value: unknown): Errors | undefined {
  const validate = compileConverting(schema)
  return validate(value) ? undefined : (validate.errors ?? [])
}

function bodyErrors(schema: object, body: unknown): Errors | undefined {
  const validateFirst = compileFirstFault(schema)
  if (validateFirst(body)) return undefined
  const isSmall = countValues(body, MOST_VALUES_FOR_ALL_FAULTS) < MOST_VALUES_FOR_ALL_FAULTS
  if (!isSmall) return validateFirst.errors ?? []
  const validateAll = compileAllFaults(schema)
  validateAll(body)
  return validateAll.errors ?? []
}

function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    if (count >= limit) return limit
    count += countValues(one, limit - count)
  }
  return count
}

/**
 * Returns the serializer of responses. Typed presenters build the bodies, so they are serialized completely and without
 * filtering. If `onMismatch` is given, as in tests, each response is validated against the documented schema.
 */
export function serializerFor(onMismatch: ResponseCheck | undefined): SerializerCompiler {
  if (onMismatch === undefined) return () => JSON.stringify
  return ({ schema, method, url, httpStatus }) =>
    (data) => {
      const text = JSON.stringify(data)
      const validate = compileAnswer(schema as object)
      // Validates the JSON that the client gets, in which dates are text and undefined members are missing.
      if (!validate(JSON.parse(text))) {
        const errors = new Ajv().errorsText(validate.errors)
        onMismatch({ method, url, status: httpStatus ?? '', errors, data })
      }
      return text
    }
}
