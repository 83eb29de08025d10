import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import type { Caller } from '../caller.ts'
import { authProblems } from '../problems.ts'
import { endUserSessions, type SessionDeps } from '../sessions/end-sessions.ts'
import { lockUser, type User, updateAccess } from '../users/store.ts'
import { lockAdministrator } from './lock-administrator.ts'
import { requiredAccount } from './require-account.ts'

export interface AccessChange {
  role?: Role
  /** Null removes the restriction of an operator. */
  staffRole?: StaffRole | null
  disabled?: boolean
}

/**
 * Changes what a user may do. The change applies to all sessions and API keys of the user within a second. Disabling a
 * user ends the user's sessions. The API keys stop working too, and work again once the user is enabled.
 *
 * @throws `user_not_found`, `last_administrator`, `staff_role_needs_operator`; `credential_not_accepted` and `insufficient_role` if the caller has
 * just lost the administrator role
 */
export async function changeAccess(
  auth: SessionDeps,
  caller: Caller,
  userId: string,
  change: AccessChange,
): Promise<User> {
  return auth.db.transaction().execute(async (trx) => {
    const now = auth.clock.now()
    const { actor, sessionId, administrators } = await lockAdministrator(trx, auth, caller)
    const user = requiredAccount(await lockUser(trx, userId, 'update'))
    const role = change.role ?? user.role
    const isDisabled = change.disabled ?? user.disabledAt !== null
    const staffRole = staffRoleAfter(user, role, change.staffRole)
    const remains = role === 'admin' && !isDisabled
    if (!remains && administrators.length === 1 && administrators[0] === userId) throw authProblems.last_administrator()
    const disabledAt = isDisabled ? (user.disabledAt ?? now) : null
    await auth.revocations.invalidate(trx, userId)
    if (isDisabled) await endUserSessions(trx, auth, { userId, except: undefined }, 'disabled')
    const before = { roleBefore: user.role, staffRoleBefore: user.staffRole, disabledBefore: user.disabledAt !== null }
    const details = { ...before, role, staffRole, disabled: isDisabled }
    const client = caller.client
    await auth.audit.record(trx, { type: 'user_access_changed', userId, actor: actor.id, sessionId, client, details })
    return (await updateAccess(trx, userId, { role, staffRole, disabledAt }, now)) ?? user
  })
}

/** An operator keeps the staff role until it is changed; every other role ends it. */
function staffRoleAfter(user: User, role: Role, wanted: AccessChange['staffRole']): StaffRole | null {
  if (role === 'operator') return wanted === undefined ? user.staffRole : wanted
  if (wanted != null) throw authProblems.staff_role_needs_operator()
  return null
}
