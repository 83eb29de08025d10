import type { FastifyError } from 'fastify'
import type { TSchema } from 'typebox'
import { validatorCompiler } from './validation.ts'
import { validationProblem } from './validation-problem.ts'

/**
 * Creates a check for values that a request changes indirectly, with the errors that a body of this schema would cause.
 *
 * @returns a function that fills in defaults and throws `validation_failed`
 */
export function createValueCheck(schema: TSchema): (value: object) => void {
  const validate = validatorCompiler({ schema, method: '', url: '', httpPart: 'body' })
  return (value) => {
    const result: unknown = validate(value)
    if (result === true) return
    const { errors } = validate as { errors?: FastifyError['validation'] }
    throw validationProblem({ validation: errors, validationContext: 'body' } as FastifyError)
  }
}
