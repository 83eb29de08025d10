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
  // The package's default export is typed for CommonJS.
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  return ajv
}

/**
 * Compiles each schema once: compiling is most of what a start takes, and many routes share schemas or are there twice,
 * with and without the version segment.
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

const compileLiteral = createCompiler({ coerceTypes: false })
const compileConverting = createCompiler({ coerceTypes: true })
const compileAnswer = createCompiler({ useDefaults: false })

/** Bodies are taken literally; numbers in queries and addresses arrive as text and are converted. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? compileLiteral : compileConverting)(schema as object)

/**
 * Bodies are made by typed presenters, so answers are written as they are: nothing is left to a serializer's filter.
 * With a check (in tests) each answer is held against the documented schema.
 */
export function serializerFor(onMismatch: ResponseCheck | undefined): SerializerCompiler {
  if (onMismatch === undefined) return () => JSON.stringify
  return ({ schema, method, url, httpStatus }) =>
    (data) => {
      const text = JSON.stringify(data)
      const validate = compileAnswer(schema as object)
      // Checked as the client sees it: dates are text, undefined members are gone.
      if (!validate(JSON.parse(text))) {
        const errors = new Ajv().errorsText(validate.errors)
        onMismatch({ method, url, status: httpStatus ?? '', errors, data })
      }
      return text
    }
}
