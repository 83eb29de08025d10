import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { ShippingMethodSettings } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { Failure } from '../../shell/failure.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { currenciesQuery, methodQuery, SETTINGS } from '../queries.ts'
import { useSettingsAction } from '../use-settings-action.ts'
import { draftOf, newDraft } from './draft.ts'
import { MethodForm } from './method-form.tsx'
import { useMethodFields } from './use-method-fields.ts'

const PATH = '/settings/shipping'

export function NewMethodPage() {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const currencies = useQuery(currenciesQuery())
  if (currencies.data === undefined) return <Loading />
  return (
    <>
      <Crumbs back={{ href: PATH, text: text('consoleSettings.shippingMethods') }} />
      <Page title={text('consoleSettings.newMethod')}>
        <MethodForm
          draft={newDraft(currencies.data)}
          save={(request) => platen.shippingMethods.create(request)}
          onSaved={() => navigate(PATH)}
        />
      </Page>
    </>
  )
}

export function MethodPage({ methodId }: { methodId: string }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const method = useQuery(methodQuery(methodId))
  const currencies = useQuery(currenciesQuery())
  const fields = useMethodFields()
  const back = { href: PATH, text: text('consoleSettings.shippingMethods') }
  if (method.error !== null) {
    return <Failure error={method.error} onRetry={() => void method.refetch()} back={back} />
  }
  if (method.data === undefined || currencies.data === undefined) return <Loading />
  return (
    <>
      <Crumbs back={back} />
      <Page title={method.data.name} actions={<DeleteButton method={method.data} />}>
        <MethodForm
          key={method.data.updatedAt}
          draft={draftOf(method.data, currencies.data)}
          save={(request) => platen.shippingMethods.change(methodId, request)}
          onSaved={() => navigate(PATH)}
        />
        <HistorySection queryKey={SETTINGS} subject="shipping_method" subjectId={methodId} fields={fields} />
      </Page>
    </>
  )
}

function DeleteButton({ method: { id, name } }: { method: ShippingMethodSettings }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const remove = useSettingsAction(async () => platen.shippingMethods.delete(id), {
    done: text('consoleSettings.doneDelete', { name }),
    onDone: () => navigate(PATH),
  })
  useShortcuts([{ title: 'consoleSettings.deleteMethod', run: () => setOpen(true) }])
  return (
    <>
      <Button look="danger" onPress={() => setOpen(true)}>
        {text('consoleSettings.deleteMethod')}
      </Button>
      {isOpen ? (
        <FormDialog
          title={text('consoleSettings.deleteMethod')}
          confirmLabel={text('consoleSettings.delete')}
          isDanger
          action={remove}
          problemText={problemText}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(false)}
        >
          <p>{text('consoleSettings.deleteHelp')}</p>
        </FormDialog>
      ) : null}
    </>
  )
}
