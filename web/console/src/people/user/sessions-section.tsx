import { useDeviceName } from '@platen/app/security'
import { platen } from '@platen/app/session'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Section } from '../../parts/page/section.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { PeopleDialog } from '../people-dialog.tsx'
import { userSessionsQuery } from '../queries.ts'
import { usePeopleAction } from '../use-people-action.ts'
import type { UserPartProps } from './user-part-props.ts'

/** Where the user is signed in. */
export function SessionsSection({ user, viewer }: UserPartProps) {
  const texts = useTexts()
  const { text, formats } = texts
  const nameOf = useDeviceName()
  const [isEnding, setEnding] = useState(false)
  const sessions = useQuery(userSessionsQuery(user.id))
  const isOwn = user.id === viewer.id
  const canEnd = !isOwn && (sessions.data?.length ?? 0) > 0
  useShortcuts(canEnd ? [{ title: 'consolePeople.endSessions', run: () => setEnding(true) }] : [])
  return (
    <Section
      title={text('consolePeople.sessions')}
      action={canEnd ? <Button onPress={() => setEnding(true)}>{text('consolePeople.endSessions')}</Button> : null}
    >
      {sessions.error === null ? null : <p className="note">{problemText(texts, sessions.error)}</p>}
      {sessions.data?.length === 0 ? <p className="note">{text('consolePeople.noSessions')}</p> : null}
      <ul className="lines">
        {sessions.data?.map(({ id, userAgent, ipAddress, lastSeenAt, current }) => (
          <li key={id}>
            <span>{nameOf(userAgent)}</span>
            <span className="note">
              {ipAddress} · {current ? text('account.thisDevice') : formats.ago(lastSeenAt)}
            </span>
          </li>
        ))}
      </ul>
      {isOwn ? <p className="note">{text('consolePeople.ownSessions')}</p> : null}
      {isEnding ? <EndDialog user={user} onClose={() => setEnding(false)} /> : null}
    </Section>
  )
}

function EndDialog({ user, onClose }: Pick<UserPartProps, 'user'> & { onClose(): void }) {
  const { text } = useTexts()
  const end = usePeopleAction(() => platen.users.revokeSessions(user.id), {
    done: text('consolePeople.sessionsEnded'),
    onDone: onClose,
  })
  return (
    <PeopleDialog
      title={text('consolePeople.endSessions')}
      confirmLabel={text('consolePeople.endSessions')}
      isDanger
      action={end}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.endSessionsHelp', { email: user.email })}</p>
    </PeopleDialog>
  )
}
