import type { Role, StaffRole } from '@platen/client'
import { type Texts, useTexts } from '@platen/ui'

/** The role of an account, with what restricts it. */
export interface AccountRole {
  role: Role
  staffRole: StaffRole
}

const ROLES = {
  customer: { role: 'customer', staffRole: null, title: 'console.roleCustomer', help: 'consolePeople.helpCustomer' },
  operator: { role: 'operator', staffRole: null, title: 'console.roleOperator', help: 'consolePeople.helpOperator' },
  prepress: {
    role: 'operator',
    staffRole: 'prepress',
    title: 'consolePeople.rolePrepress',
    help: 'consolePeople.helpPrepress',
  },
  packing: {
    role: 'operator',
    staffRole: 'packing',
    title: 'consolePeople.rolePacking',
    help: 'consolePeople.helpPacking',
  },
  accounting: {
    role: 'operator',
    staffRole: 'accounting',
    title: 'consolePeople.roleAccounting',
    help: 'consolePeople.helpAccounting',
  },
  read_only: {
    role: 'operator',
    staffRole: 'read_only',
    title: 'consolePeople.roleReadOnly',
    help: 'consolePeople.helpReadOnly',
  },
  admin: { role: 'admin', staffRole: null, title: 'console.roleAdmin', help: 'consolePeople.helpAdmin' },
} as const

/** One choice for both members: an operator with a staff role has the name of the staff role. */
export type RoleName = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as readonly RoleName[]

export const isRoleName = (name: string): name is RoleName => Object.hasOwn(ROLES, name)

export const roleNameOf = ({ role, staffRole }: AccountRole): RoleName =>
  role === 'operator' && staffRole !== null ? staffRole : role

export const accountRoleOf = (name: RoleName): AccountRole => ({
  role: ROLES[name].role,
  staffRole: ROLES[name].staffRole,
})

export const roleText = ({ text }: Pick<Texts, 'text'>, name: RoleName): string => text(ROLES[name].title)

/** Says what a role may do. */
export const roleHelp = ({ text }: Pick<Texts, 'text'>, name: RoleName): string => text(ROLES[name].help)

/** The roles as the choices of a list. */
export function useRoleChoices(): readonly { id: RoleName; text: string }[] {
  const texts = useTexts()
  return ROLE_NAMES.map((id) => ({ id, text: roleText(texts, id) }))
}
