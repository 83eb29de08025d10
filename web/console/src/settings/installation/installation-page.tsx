import { CopyButton } from '@platen/app/copy-button'
import { Loading, Page } from '@platen/app/frame'
import type { SystemConfiguration } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Section } from '../../parts/page/section.tsx'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { configurationQuery } from '../queries.ts'
import { SettingsViews } from '../settings-views.tsx'
import { EnvironmentFacts } from './environment-facts.tsx'

const WARNINGS: Readonly<Record<SystemConfiguration['warnings'][number], MessageKey>> = {
  payment_webhook_never_received: 'consoleSettings.warnWebhook',
  payments_in_test_mode: 'consoleSettings.warnTestMode',
  payment_disputes_unavailable: 'consoleSettings.warnDisputes',
  shop_origin_not_allowed: 'consoleSettings.warnShopOrigin',
  shop_without_passkeys: 'consoleSettings.warnPasskeys',
  public_url_insecure: 'consoleSettings.warnInsecure',
  sending_off: 'consoleSettings.warnSendingOff',
}

/** What the environment sets: payments, and domains. It changes with a restart only. */
export function InstallationPage() {
  const { text } = useTexts()
  const configuration = useQuery(configurationQuery())
  if (configuration.error !== null && configuration.data === undefined) {
    return <Failure error={configuration.error} onRetry={() => void configuration.refetch()} />
  }
  return (
    <Page title={text('consoleSettings.installation')}>
      <SettingsViews />
      {configuration.data === undefined ? <Loading /> : <Configuration configuration={configuration.data} />}
    </Page>
  )
}

function Configuration({ configuration }: { configuration: SystemConfiguration }) {
  const { text } = useTexts()
  const { payments, domains, warnings } = configuration
  return (
    <div className="settings-form">
      <p className="note">{text('consoleSettings.installationHelp')}</p>
      {warnings.map((warning) => (
        <Banner key={warning} tone="warning">
          {text(WARNINGS[warning])}
        </Banner>
      ))}
      <PaymentSection payments={payments} />
      <Section title={text('consoleSettings.domains')}>
        <EnvironmentFacts
          facts={[
            ['consoleSettings.publicUrl', 'PLATEN_PUBLIC_URL', domains.publicUrl],
            ['consoleSettings.shopUrl', 'PLATEN_SHOP_URL', domains.shopUrl],
            ['consoleSettings.corsOrigins', 'PLATEN_CORS_ORIGINS', domains.corsOrigins],
            ['consoleSettings.redirectUris', 'PLATEN_REDIRECT_URIS', domains.redirectUris],
            ['consoleSettings.passkeyDomain', 'PLATEN_PASSKEY_RP_ID', domains.passkeyDomain],
            ['consoleSettings.passkeyOrigins', 'PLATEN_PASSKEY_ORIGINS', domains.passkeyOrigins],
          ]}
        />
      </Section>
    </div>
  )
}

function PaymentSection({ payments }: Pick<SystemConfiguration, 'payments'>) {
  const { text } = useTexts()
  const { provider, mode, webhookUrl, lastWebhookAt } = payments
  const modes = { live: 'consoleSettings.modeLive', test: 'consoleSettings.modeTest' } as const
  const last = lastWebhookAt === null ? text('consoleSettings.neverReceived') : <Time at={lastWebhookAt} />
  return (
    <Section title={text('consoleSettings.payments')}>
      <EnvironmentFacts
        facts={[
          [
            'consoleSettings.paymentProvider',
            'PLATEN_PAYMENT_PROVIDER',
            provider === 'manual' ? text('consoleSettings.manualPayments') : provider,
          ],
          ...(mode === null ? [] : [['consoleSettings.mode', undefined, text(modes[mode])] as const]),
          ...(webhookUrl === null
            ? []
            : ([
                ['consoleSettings.webhookUrl', undefined, webhookUrl],
                ['consoleSettings.lastWebhook', undefined, last],
              ] as const)),
        ]}
      />
      {webhookUrl === null ? null : <CopyButton copied={webhookUrl} label={text('consoleSettings.copyWebhookUrl')} />}
    </Section>
  )
}
