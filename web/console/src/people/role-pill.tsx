import { useTexts } from '@platen/ui'
import { Pill } from '../parts/pill.tsx'
import { type AccountRole, roleNameOf, roleText } from './roles.ts'

/** The role of an account in one or two words. */
export function RolePill({ of }: { of: AccountRole }) {
  const texts = useTexts()
  return <Pill tone={of.role === 'customer' ? 'neutral' : 'info'}>{roleText(texts, roleNameOf(of))}</Pill>
}
