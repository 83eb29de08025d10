import { notices, signInSettings } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { identitiesQuery, linkWith } from '@platen/app/sign-in'
import type { Identity } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorBanner } from '../../frame/error-banner.tsx'
import { RemoveDialog } from '../../frame/remove-dialog.tsx'
import { Row, Rows } from '../../frame/rows.tsx'
import { Section } from '../../frame/section.tsx'
import { useAction } from '../../frame/use-action.ts'

interface KnownProvider {
  name: string
  title: string
  isConfigured: boolean
}

/** The providers with which the customer can sign in. One that is no longer configured can still be unlinked. */
export function ProvidersSection() {
  const { text } = useTexts()
  const { data: identities = [], error } = useQuery(identitiesQuery())
  const configured = signInSettings.providers.map((provider) => ({ ...provider, isConfigured: true }))
  const others = identities
    .filter(({ provider }) => !configured.some(({ name }) => name === provider))
    .map(({ provider }) => ({ name: provider, title: provider, isConfigured: false }))
  const providers = [...configured, ...others]
  if (providers.length === 0) return null
  return (
    <Section title={text('account.providers')} help={text('account.providersHelp')}>
      <ErrorBanner error={error} />
      <Rows label={text('account.providers')}>
        {providers.map((provider) => (
          <ProviderRow
            key={provider.name}
            provider={provider}
            identity={identities.find((identity) => identity.provider === provider.name)}
          />
        ))}
      </Rows>
    </Section>
  )
}

function ProviderRow({ provider, identity }: { provider: KnownProvider; identity: Identity | undefined }) {
  const { text, formats } = useTexts()
  const { name, title } = provider
  const [isRemoving, setRemoving] = useState(false)
  const link = useAction(() => linkWith(name))
  const unlink = useAction(
    () => platen.auth.unlinkIdentity(name),
    () => notices.add({ text: text('account.unlinked', { provider: title }), tone: 'good' }),
  )
  const notes =
    identity === undefined
      ? [text('account.notLinked')]
      : [identity.label, text('account.linkedOn', { date: formats.date(identity.createdAt) })]
  return (
    <>
      <Row
        icon="link"
        title={title}
        notes={link.error === null ? notes : [...notes, <ErrorBanner key="error" error={link.error} />]}
        action={
          identity === undefined ? (
            <Button
              look="quiet"
              isPending={link.isPending}
              onPress={() => link.mutate()}
              aria-label={text('account.linkProvider', { provider: title })}
            >
              {text('account.link')}
            </Button>
          ) : (
            <Button
              look="quiet"
              onPress={() => setRemoving(true)}
              aria-label={text('account.unlinkProvider', { provider: title })}
            >
              {text('account.unlink')}
            </Button>
          )
        }
      />
      {isRemoving ? (
        <RemoveDialog
          title={text('account.unlinkProvider', { provider: title })}
          action={unlink}
          onClose={() => setRemoving(false)}
          confirmLabel={text('account.unlink')}
        >
          {text('account.unlinkHelp', { provider: title })}
        </RemoveDialog>
      ) : null}
    </>
  )
}
