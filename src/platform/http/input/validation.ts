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
}

function createAjv(options: Options): Ajv {
  const ajv = new Ajv({ ...OPTIONS, ...options })
  // The types of the package declare the default export in the CommonJS form.
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  return ajv
}

/**
 * Creates a function that compiles each schema only once. Compiling takes most of the time of a start, and many routes
 * share schemas or exist twice, with and without the version segment of the URL.
 */
function createCompiler(options: Options): (schema: object) => ValidateFunction {
  const ajv = createAjv(options)
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text) ?? ajv.compile(schema)
    compiled.set(text, known)
    return known
  }
}

// `verbose` adds the schema to each error, which names the values of a discriminator.
const compileFirstFault = createCompiler({ coerceTypes: false, allErrors: false, verbose: true })
const compileAllFaults = createCompiler({ coerceTypes: false, verbose: true })
const compileConverting = createCompiler({ coerceTypes: true })
const compileAnswer = createCompiler({ useDefaults: false })

/**
 * For a body with more values than this, only the first fault is reported. Each value can cause several faults, and
 * collecting all faults of a body at its limits would block the event loop for a quarter of a second.
 */
const MOST_VALUES_FOR_ALL_FAULTS = 1_000

/**
 * Validates requests. Values in bodies are not converted. Numbers in queries and paths arrive as text, so they are
 * converted.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  httpPart === 'body' ? compileBody(schema as object) : compileConverting(schema as object)

function compileBody(schema: object): ReturnType<FastifySchemaCompiler<TSchema>> {
  const validateFirst = compileFirstFault(schema)
  const validate = (body: unknown): boolean => {
    validate.errors = null
    if (validateFirst(body)) return true
    const isSmall = countValues(body, MOST_VALUES_FOR_ALL_FAULTS) < MOST_VALUES_FOR_ALL_FAULTS
    // The validator that collects all faults is compiled when the first invalid body arrives, because most processes
    // never need it.
    const validateAll = isSmall ? compileAllFaults(schema) : validateFirst
    if (isSmall) validateAll(body)
    validate.errors = validateAll.errors ?? null
    return false
  }
  validate.errors = null as NonNullable<ValidateFunction['errors']> | null
  return validate
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
