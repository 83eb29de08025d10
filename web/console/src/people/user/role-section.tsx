import { platen } from '@platen/app/session'
import { isCancelled } from '@platen/app/sign-in'
import { Banner, Button, useTexts } from '@platen/ui'
import { type FormEvent, useRef, useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Section } from '../../parts/page/section.tsx'
import { peopleProblemText } from '../people-problem-text.ts'
import { RoleSelect } from '../role-select.tsx'
import { accountRoleOf, type RoleName, roleNameOf, roleText } from '../roles.ts'
import { usePeopleAction } from '../use-people-action.ts'
import type { UserPartProps } from './user-part-props.ts'

/** The role, and its change. Another administrator changes the own role, so that a mistake locks no user out. */
export function RoleSection({ user, viewer }: UserPartProps) {
  const texts = useTexts()
  const { text } = texts
  const present = roleNameOf(user)
  const [chosen, setChosen] = useState<RoleName>(present)
  const change = usePeopleAction(() => platen.users.update(user.id, accountRoleOf(chosen)), {
    done: text('consolePeople.roleChanged', { email: user.email, role: roleText(texts, chosen) }),
  })
  const isOwn = user.id === viewer.id
  const form = useRef<HTMLFormElement>(null)
  const choose = (): void => form.current?.querySelector('button')?.focus()
  useShortcuts(isOwn ? [] : [{ title: 'consolePeople.changeRole', run: choose }])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (chosen !== present) change.mutate()
  }
  return (
    <Section title={text('consolePeople.role')}>
      <form ref={form} className="form" onSubmit={submit}>
        {change.error === null || isCancelled(change.error) ? null : (
          <Banner tone="danger" isLive>
            {peopleProblemText(texts, change.error)}
          </Banner>
        )}
        <RoleSelect value={chosen} onChange={setChosen} isDisabled={isOwn} />
        {isOwn ? (
          <p className="note">{text('consolePeople.ownRole')}</p>
        ) : (
          <Button type="submit" look="primary" isPending={change.isPending} isDisabled={chosen === present}>
            {text('consolePeople.changeRole')}
          </Button>
        )}
      </form>
    </Section>
  )
}
