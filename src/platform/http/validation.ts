import { Ajv, type Options } from 'ajv'
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

/** Bodies are taken literally; numbers in queries and addresses arrive as text and are converted. */
export function createValidatorCompiler(): FastifySchemaCompiler<TSchema> {
  const literal = createAjv({ coerceTypes: false })
  const converting = createAjv({ coerceTypes: true })
  return ({ schema, httpPart }) => (httpPart === 'body' ? literal : converting).compile(schema as object)
}

/**
 * Bodies are made by typed presenters, so answers are written as they are: nothing is left to a serializer's filter.
 * With a check (in tests) each answer is held against the documented schema.
 */
export function serializerFor(onMismatch: ResponseCheck | undefined): SerializerCompiler {
  if (onMismatch === undefined) return () => JSON.stringify
  const ajv = createAjv({ useDefaults: false })
  return ({ schema, method, url, httpStatus }) => {
    const validate = ajv.compile(schema as object)
    return (data) => {
      const text = JSON.stringify(data)
      // Checked as the client sees it: dates are text, undefined members are gone.
      if (!validate(JSON.parse(text))) {
        onMismatch({ method, url, status: httpStatus ?? '', errors: ajv.errorsText(validate.errors), data })
      }
      return text
    }
  }
}
