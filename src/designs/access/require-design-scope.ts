import { insufficientScope, requireScope } from '../../auth/index.ts'
import { extendGuard, type Guard } from '../../platform/http/core/guard.ts'
import { designProblems } from '../problems.ts'

/** Admits callers as `requireDesignScope` does, except tokens that are bound to one design: they add no design. */
export function requireCreationScope(): Guard {
  return extendGuard(requireDesignScope('designs:write'), ({ principal }) => {
    if (principal?.designId !== undefined)
      throw insufficientScope('designs:write', 'The token reaches only one design.')
  })
}

/** Admits callers as `requireScope` does, and hides all other designs from a token that is bound to one design. */
export function requireDesignScope(permission: 'designs:read' | 'designs:write'): Guard {
  return extendGuard(requireScope(permission), ({ principal, params }) => {
    const { designId } = params as { designId?: string }
    if (designId === undefined || principal?.designId === undefined || principal.designId === designId) return
    throw designProblems.design_not_found()
  })
}
