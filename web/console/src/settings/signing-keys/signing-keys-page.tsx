import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { SigningKey } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Pill, type Tone } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { signingKeysQuery } from '../queries.ts'
import { settingsProblemText } from '../settings-problem.tsx'
import { SettingsViews } from '../settings-views.tsx'
import { useSettingsAction } from '../use-settings-action.ts'

const PURPOSES: Readonly<Record<SigningKey['purpose'], MessageKey>> = {
  access_token: 'consoleSettings.purposeAccess',
  statement: 'consoleSettings.purposeStatement',
}

const STATES: Readonly<Record<SigningKey['state'], { tone: Tone; text: MessageKey }>> = {
  current: { tone: 'good', text: 'consoleSettings.keyCurrent' },
  next: { tone: 'info', text: 'consoleSettings.keyNext' },
  retired: { tone: 'neutral', text: 'consoleSettings.keyRetired' },
}

/** The keys that sign access tokens and receipts. */
export function SigningKeysPage() {
  const { text } = useTexts()
  const keys = useQuery(signingKeysQuery())
  if (keys.error !== null && keys.data === undefined) {
    return <Failure error={keys.error} onRetry={() => void keys.refetch()} />
  }
  return (
    <Page title={text('consoleSettings.signingKeys')}>
      <SettingsViews />
      {keys.data === undefined ? <Loading /> : <SigningKeys keys={keys.data.data} />}
    </Page>
  )
}

function SigningKeys({ keys }: { keys: readonly SigningKey[] }) {
  const { text } = useTexts()
  const columns = useColumns()
  const [rotated, setRotated] = useState<SigningKey['purpose']>()
  const rotation = useSettingsAction(() => platen.signingKeys.rotate({ purposes: [rotated ?? 'access_token'] }), {
    done: text('consoleSettings.doneRotate'),
  })
  const purposes = Object.keys(PURPOSES) as SigningKey['purpose'][]
  useShortcuts(
    purposes.map((purpose) => ({
      title: 'consoleSettings.rotate',
      values: { purpose: text(PURPOSES[purpose]) },
      run: () => setRotated(purpose),
    })),
  )
  return (
    <Section title={text('consoleSettings.signingKeys')}>
      <p className="note">{text('consoleSettings.signingKeysHelp')}</p>
      <DataTable label={text('consoleSettings.signingKeys')} columns={columns} rows={keys} keyOf={({ kid }) => kid} />
      <div className="settings-actions">
        {purposes.map((purpose) => (
          <Button key={purpose} onPress={() => setRotated(purpose)}>
            {text('consoleSettings.rotate', { purpose: text(PURPOSES[purpose]) })}
          </Button>
        ))}
      </div>
      {rotated === undefined ? null : (
        <FormDialog
          title={text('consoleSettings.rotateTitle')}
          confirmLabel={text('consoleSettings.rotateNow')}
          action={rotation}
          problemText={settingsProblemText}
          onConfirm={() => rotation.mutate()}
          onClose={() => {
            rotation.reset()
            setRotated(undefined)
          }}
        >
          <p>{text('consoleSettings.rotateHelp')}</p>
        </FormDialog>
      )}
    </Section>
  )
}

function useColumns(): readonly Column<SigningKey>[] {
  const { text, formats } = useTexts()
  return [
    {
      id: 'kid',
      title: text('consoleSettings.kid'),
      cell: ({ kid, purpose }) => (
        <>
          <code>{kid.slice(0, 8)}</code>
          <span className="cell-note until-30">{text(PURPOSES[purpose])}</span>
        </>
      ),
    },
    {
      id: 'purpose',
      title: text('consoleSettings.purpose'),
      from: 30,
      cell: ({ purpose }) => text(PURPOSES[purpose]),
    },
    {
      id: 'state',
      title: text('console.status'),
      cell: ({ state }) => <Pill tone={STATES[state].tone}>{text(STATES[state].text)}</Pill>,
    },
    {
      id: 'created',
      title: text('consoleSettings.created'),
      from: 60,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'until',
      from: 45,
      title: text('consoleSettings.verifiesUntil'),
      cell: ({ state, verifiesUntil }) => {
        if (verifiesUntil !== null) return formats.dateTime(verifiesUntil)
        return text(state === 'retired' ? 'consoleSettings.forEver' : 'consoleSettings.inUse')
      },
    },
  ]
}
