import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { SignOutButton } from '../shell/sign-out.tsx'
import { Entrance } from './entrance.tsx'

/** Says that an account has no role in the shop, and what to do then. */
export function NoRolePage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  return (
    <Entrance title={text('console.noRoleTitle')}>
      <div className="form">
        <p>{text('console.noRoleHelp', { email: user.email })}</p>
        <SignOutButton look="primary">{text('console.otherAccount')}</SignOutButton>
        <a className="pl-button" href="/">
          {text('console.toShop')}
        </a>
      </div>
    </Entrance>
  )
}
