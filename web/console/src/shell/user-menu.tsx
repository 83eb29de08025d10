import { LanguageChoice, SchemeChoice } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import { Button, Icon, type MessageKey, Popover, useTexts } from '@platen/ui'
import { SignOutButton } from './sign-out.tsx'

const ROLE_TEXTS: Readonly<Record<OwnUser['role'], MessageKey>> = {
  admin: 'console.roleAdmin',
  operator: 'console.roleOperator',
  customer: 'console.roleCustomer',
}

/** Who is signed in, and what belongs to this person alone. */
export function UserMenu({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const name = user.name ?? user.email
  return (
    <div className="console-user">
      <Popover
        aria-label={text('console.yourAccount')}
        placement="top start"
        trigger={
          <Button look="quiet" className="console-link" aria-label={text('console.accountOf', { name })}>
            <Icon name="user" size={20} />
            <span>{name}</span>
          </Button>
        }
      >
        <div className="user-menu">
          <p className="user-name">{name}</p>
          <p className="note">
            {user.name === null ? null : `${user.email} · `}
            {text(ROLE_TEXTS[user.role])}
          </p>
          <LanguageChoice />
          <SchemeChoice />
          <a className="pl-button quiet" href="/account">
            <Icon name="settings" size={20} />
            {text('console.ownAccount')}
          </a>
          <a className="pl-button quiet" href="/">
            <Icon name="cart" size={20} />
            {text('console.toShop')}
          </a>
          <SignOutButton>
            <Icon name="sign-out" size={20} />
            {text('common.signOut')}
          </SignOutButton>
        </div>
      </Popover>
    </div>
  )
}
