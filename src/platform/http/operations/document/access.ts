import type { GuardDescription } from '../../core/guard.ts'
import type { Json } from './json.ts'

/** States what the guard of an operation requires, for readers and as extensions for programs. */
export function describeAccess(operation: Json, guard: GuardDescription | undefined): void {
  operation['security'] = securityOf(guard)
  if (guard === undefined) return
  const { role, stepUp, permission } = guard
  const permissions = permission === undefined ? [] : [permission, ...(guard.morePermissions ?? [])]
  const [only, ...others] = permissions
  if (only !== undefined) operation['x-platen-permission'] = others.length === 0 ? only : permissions
  const { alternatives = [] } = guard
  if (alternatives.length > 0) operation['x-platen-alternative-permissions'] = alternatives
  if (role !== undefined) operation['x-platen-role'] = role
  if (stepUp === true) operation['x-platen-step-up'] = true
  const sentence = sentenceOf(guard, permissions)
  if (sentence !== undefined)
    operation['description'] = [operation['description'], sentence].filter(Boolean).join('\n\n')
}

function sentenceOf(
  { kind, role, stepUp, alternatives = [] }: GuardDescription,
  permissions: readonly string[],
): string | undefined {
  const names = permissions.map((name) => `\`${name}\``).join(' and ')
  const noun = permissions.length > 1 ? 'permissions' : 'permission'
  if (kind === 'session')
    return `Requires: a session${stepUp === true ? ' with a recent sign-in or step-up (403 `step_up_required`)' : ''}; API keys are not accepted.`
  const roles = `the role \`${role}\`${role === 'operator' ? ' or `admin`' : ''}`
  if (kind === 'role' && permissions.length === 0) {
    const recent = stepUp === true ? ', with a recent sign-in or step-up (403 `step_up_required`)' : ''
    return `Requires: a session of an account with ${roles}${recent}; API keys are not accepted.`
  }
  if (kind === 'role' && alternatives.length > 0) {
    const each = [...permissions, ...alternatives].map((name) => `\`${name}\``)
    return `Requires: ${roles}, and one of the permissions ${new Intl.ListFormat('en', { type: 'disjunction' }).format(each)}.`
  }
  if (kind === 'role') return `Requires: ${roles}, and the ${noun} ${names}.`
  if (kind === 'scope') return `Requires: the ${noun} ${names}.`
  return undefined
}

function securityOf(guard: GuardDescription | undefined): Record<string, string[]>[] {
  if (guard === undefined || guard.kind === 'public' || guard.kind === 'local') return []
  // If the guard names no permission, API keys are not accepted, only a session. Only OAuth schemes have scopes, so
  // permissions are in `x-platen-permission`.
  return guard.permission === undefined ? [{ accessToken: [] }] : [{ accessToken: [] }, { apiKey: [] }]
}
