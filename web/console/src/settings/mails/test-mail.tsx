import { platen } from '@platen/app/session'
import { isCancelled } from '@platen/app/sign-in'
import type { MailPreview } from '@platen/client'
import { Banner, Button, Icon, useTexts } from '@platen/ui'
import { settingsProblemText } from '../settings-problem.tsx'
import { useSettingsAction } from '../use-settings-action.ts'

/** Sends the mail to the administrator, and shows the result. */
export function TestMail({ kind, language }: Pick<MailPreview, 'kind' | 'language'>) {
  const texts = useTexts()
  const { text } = texts
  const sending = useSettingsAction(() => platen.mailPreviews.sendTestMail(kind, { language }), {})
  return (
    <>
      <Button isPending={sending.isPending} onPress={() => sending.mutate()}>
        <Icon name="mail" size={18} />
        {text('consoleSettings.sendTest')}
      </Button>
      {sending.data === undefined ? null : (
        <Banner tone="good" isLive>
          {text('consoleSettings.testSent', { email: sending.data.to })}
        </Banner>
      )}
      {sending.error === null || isCancelled(sending.error) ? null : (
        <Banner tone="danger" isLive>
          {settingsProblemText(texts, sending.error)}
        </Banner>
      )}
    </>
  )
}
