import type { Static, TSchema } from 'typebox'
import { validatorCompiler } from '../../platform/http/input/validation.ts'
import { toProblem } from '../../platform/http/responses/errors.ts'

/**
 * What the body of a request must be, for somebody who sends none.
 *
 * @throws `validation_failed`
 */
export function checkBody<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const validate = validatorCompiler({ schema, method: '', url: '', httpPart: 'body' }) as unknown as Validate
  if (validate(value)) return value as Static<T>
  throw toProblem({ validation: validate.errors, validationContext: 'body' })
}

type Validate = ((value: unknown) => boolean) & { errors?: unknown }
