import { hasOutbox } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { isCancelled } from '@platen/app/sign-in'
import type { MailPreview } from '@platen/client'
import { Banner, Button, Icon, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { systemStatusQuery } from '../../system/queries.ts'
import { configurationQuery } from '../queries.ts'
import { settingsProblemText } from '../settings-problem.tsx'
import { useSettingsAction } from '../use-settings-action.ts'

interface TestMailProps extends Pick<MailPreview, 'kind' | 'language'> {
  /** A text that is not saved. Default: the saved one. */
  text: { subject: string; body: string } | undefined
}

/** Sends the mail to the administrator, and shows the result. */
export function TestMail({ kind, language, text: written }: TestMailProps) {
  const texts = useTexts()
  const { text } = texts
  const sending = useSettingsAction(
    () => platen.mailPreviews.sendTestMail(kind, { language, ...(written === undefined ? {} : { text: written }) }),
    {},
  )
  useShortcuts(sending.isPending ? [] : [{ keys: 't', title: 'consoleSettings.sendTest', run: () => sending.mutate() }])
  return (
    <div className="mail-bar">
      <Button isPending={sending.isPending} onPress={() => sending.mutate()}>
        <Icon name="mail" size={18} />
        {text('consoleSettings.sendTest')}
      </Button>
      {sending.data === undefined ? null : <TestResult email={sending.data.to} />}
      {sending.error === null || isCancelled(sending.error) ? null : (
        <Banner tone="danger" isLive>
          {settingsProblemText(texts, sending.error)}
        </Banner>
      )}
    </div>
  )
}

/** Says where the test is. Without a mail server it has not been sent. */
function TestResult({ email }: { email: string }) {
  const { text } = useTexts()
  const { data: status } = useQuery(systemStatusQuery())
  const { data: configuration } = useQuery(configurationQuery())
  if (status === undefined || configuration === undefined) return null
  const isStored = !status.messages.mailServer
  const resultOf = (): MessageKey => {
    if (isStored) return 'consoleSettings.testStored'
    return configuration.warnings.includes('sending_off') ? 'consoleSettings.testPaused' : 'consoleSettings.testSent'
  }
  const result = resultOf()
  return (
    <Banner tone={result === 'consoleSettings.testSent' ? 'good' : 'warning'} isLive>
      {text(result, { email })}{' '}
      {isStored && hasOutbox ? <a href="/dev/outbox/mails">{text('consoleSettings.openOutbox')}</a> : null}
    </Banner>
  )
}
