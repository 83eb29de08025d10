import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { OwnUser, WebhookEndpoint } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { developersProblemText } from '../developers-problem-text.ts'
import { deliveryQuery } from '../queries.ts'
import { SecretDialog } from '../secret-dialog.tsx'
import { useDevelopersAction } from '../use-developers-action.ts'
import { DeleteEndpointDialog } from './delete-endpoint-dialog.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { attemptText } from './status.ts'

type Open = 'change' | 'rotate' | 'replay' | 'delete'

/** What can be done with an endpoint. What decides where events go needs the permission to read them. */
export function EndpointActions({ endpoint, user }: { endpoint: WebhookEndpoint; user: OwnUser }) {
  const { text, formats } = useTexts()
  const [open, setOpen] = useState<Open>()
  const [secret, setSecret] = useState<{ value: string | null; note: string }>()
  const close = (): void => setOpen(undefined)
  const mayDirect = mayUse(user, 'events:read')
  useShortcuts([
    ...(mayDirect
      ? [
          { keys: 'e', title: 'consoleDevelopers.change' as const, run: () => setOpen('change') },
          { title: 'consoleDevelopers.replay' as const, run: () => setOpen('replay') },
        ]
      : []),
    { title: 'consoleDevelopers.rotate', run: () => setOpen('rotate') },
    { title: 'consoleDevelopers.delete', run: () => setOpen('delete') },
  ])
  return (
    <div className="actions main-actions">
      <SendTest endpoint={endpoint} />
      {mayDirect ? <SwitchEndpoint endpoint={endpoint} /> : null}
      {mayDirect ? (
        <>
          <Button onPress={() => setOpen('change')}>{text('consoleDevelopers.change')}</Button>
          <Button onPress={() => setOpen('replay')}>{text('consoleDevelopers.replay')}</Button>
        </>
      ) : null}
      <Button onPress={() => setOpen('rotate')}>{text('consoleDevelopers.rotate')}</Button>
      <Button look="danger" onPress={() => setOpen('delete')}>
        {text('consoleDevelopers.delete')}
      </Button>
      {open === 'change' ? <EndpointDialog endpoint={endpoint} onClose={close} onDone={close} /> : null}
      {open === 'replay' ? <ReplayDialog endpoint={endpoint} onClose={close} /> : null}
      {open === 'delete' ? <DeleteEndpointDialog endpoint={endpoint} onClose={close} /> : null}
      {open === 'rotate' ? (
        <RotateSecretDialog
          endpoint={endpoint}
          onClose={close}
          onRotated={(value, overlapSeconds) => {
            close()
            const time = formats.dateTime(new Date(Date.now() + overlapSeconds * 1_000).toISOString())
            const isOver = overlapSeconds === 0
            const note = text(isOver ? 'consoleDevelopers.oldSecretEnded' : 'consoleDevelopers.oldSecretUntil', {
              time,
            })
            setSecret({ value, note })
          }}
        />
      ) : null}
      {secret === undefined ? null : (
        <SecretDialog
          title={text('consoleDevelopers.yourSecret')}
          secret={secret.value}
          help={text('consoleDevelopers.secretHelp')}
          note={secret.note}
          onClose={() => setSecret(undefined)}
        />
      )}
    </div>
  )
}

function useQuickAction(send: () => Promise<unknown>, done: string) {
  const texts = useTexts()
  const action = useDevelopersAction(send, { done })
  const run = (): void =>
    action.mutate(undefined, {
      onError: (error) => notices.add({ text: developersProblemText(texts, error), tone: 'danger' }),
    })
  return { run, isPending: action.isPending }
}

/** Sends a test event, waits for the response, and says what it was. */
function SendTest({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const texts = useTexts()
  const { text } = texts
  const [sentId, setSentId] = useState<string>()
  const { data: sent } = useQuery({ ...deliveryQuery(id, sentId ?? ''), enabled: sentId !== undefined })
  const test = useDevelopersAction(async () => platen.webhookEndpoints.test(id), {
    onDone: (delivery) => setSentId(delivery.id),
  })
  useEffect(() => {
    if (sent === undefined || sent.id !== sentId || sent.status === 'pending') return
    const result = attemptText(text, sent.attempts.at(-1))
    notices.add(
      sent.status === 'delivered'
        ? { text: text('consoleDevelopers.doneTest', { result }), tone: 'good' }
        : { text: text('consoleDevelopers.failedTest', { result }), tone: 'danger' },
    )
    setSentId(undefined)
  }, [sent, sentId, text])
  const run = (): void =>
    test.mutate(undefined, {
      onError: (error) => notices.add({ text: developersProblemText(texts, error), tone: 'danger' }),
    })
  const isPending = test.isPending || sentId !== undefined
  useShortcuts(status === 'disabled' || isPending ? [] : [{ keys: 't', title: 'consoleDevelopers.sendTest', run }])
  return (
    <Button look="primary" isDisabled={status === 'disabled'} isPending={isPending} onPress={run}>
      {text('consoleDevelopers.sendTest')}
    </Button>
  )
}

function SwitchEndpoint({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const { text } = useTexts()
  const isOn = status === 'enabled'
  const change = useQuickAction(
    async () => platen.webhookEndpoints.update(id, { status: isOn ? 'disabled' : 'enabled' }),
    text(isOn ? 'consoleDevelopers.doneDisable' : 'consoleDevelopers.doneEnable'),
  )
  const title = isOn ? 'consoleDevelopers.disable' : 'consoleDevelopers.enable'
  useShortcuts([{ title, run: change.run }])
  return (
    <Button isPending={change.isPending} onPress={change.run}>
      {text(title)}
    </Button>
  )
}
