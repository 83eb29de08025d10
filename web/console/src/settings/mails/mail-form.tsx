import { platen } from '@platen/app/session'
import { isCancelled } from '@platen/app/sign-in'
import type { MailText } from '@platen/client'
import { AlertDialog, Button, TextField, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { UnsavedGuard } from '../../parts/form/unsaved-guard.tsx'
import { Section } from '../../parts/page/section.tsx'
import { mailPreviewQuery, mailTextPreviewQuery } from '../queries.ts'
import { SaveBar } from '../save-bar.tsx'
import { SettingsProblem } from '../settings-problem.tsx'
import { useSettingsAction } from '../use-settings-action.ts'
import { MailPreviewSection } from './mail-preview.tsx'
import { PLACEHOLDERS } from './placeholders.ts'
import { TestMail } from './test-mail.tsx'

/** Between keystrokes and the preview. */
const PAUSE_MS = 400

interface Draft {
  subject: string
  body: string
}

/** The text of a mail in one language, with what customers would get of it. */
export function MailForm({ saved }: { saved: MailText }) {
  const { text } = useTexts()
  const { kind, language, revision } = saved
  // What is edited stays while another administrator saves.
  const [edits, setEdits] = useState<Partial<Draft>>({})
  const draft: Draft = { subject: saved.subject, body: saved.body, ...edits }
  const isChanged = draft.subject !== saved.subject || draft.body !== saved.body
  const isComplete = draft.subject.trim() !== '' && draft.body.trim() !== ''
  const ifMatch = { ifMatch: `"${revision}"` }
  const onDone = (): void => setEdits({})
  const saving = useSettingsAction(() => platen.mailTexts.replace(kind, language, draft, ifMatch), {
    done: text('consoleSettings.doneMailText'),
    onDone,
  })
  const edit = (changes: Partial<Draft>): void => {
    setEdits((before) => ({ ...before, ...changes }))
    // The reason why the last text was refused may be gone.
    saving.reset()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isChanged && isComplete && !saving.isPending) saving.mutate()
  }
  return (
    <div className="mail-parts">
      <UnsavedGuard isChanged={isChanged} />
      <form className="settings-form" onSubmit={submit}>
        <Section title={text('consoleSettings.mailWords')}>
          <TextFields saved={saved} draft={draft} edit={edit} />
          {saved.isEdited ? <ResetButton saved={saved} onDone={onDone} /> : null}
        </Section>
        <SaveBar action={saving} isDisabled={!isChanged || !isComplete} />
      </form>
      <div className="mail-result">
        <TestMail kind={kind} language={language} text={isChanged && isComplete ? draft : undefined} />
        <DraftPreview saved={saved} draft={isChanged && isComplete ? draft : undefined} />
      </div>
    </div>
  )
}

interface TextFieldsProps {
  saved: MailText
  draft: Draft
  edit(changes: Partial<Draft>): void
}

function TextFields({ saved: { language, placeholders }, draft, edit }: TextFieldsProps) {
  const { text } = useTexts()
  const body = useRef<HTMLDivElement>(null)
  /** Puts the placeholder where the cursor of the body is. */
  const insert = (placeholder: string): void => {
    const field = body.current?.querySelector('textarea')
    const [from, to] = [field?.selectionStart ?? draft.body.length, field?.selectionEnd ?? draft.body.length]
    edit({ body: `${draft.body.slice(0, from)}{{${placeholder}}}${draft.body.slice(to)}` })
    field?.focus()
  }
  return (
    <div className="form" ref={body} lang={language}>
      <TextField
        label={text('consoleSettings.mailSubject')}
        value={draft.subject}
        onChange={(subject) => edit({ subject })}
        maxLength={150}
        isRequired
      />
      <TextField
        label={text('consoleSettings.mailBody')}
        description={text('consoleSettings.mailBodyHelp')}
        value={draft.body}
        onChange={(value) => edit({ body: value })}
        rows={8}
        maxLength={4000}
        isRequired
      />
      <section className="mail-placeholders" aria-label={text('consoleSettings.mailPlaceholders')}>
        <h3>{text('consoleSettings.mailPlaceholders')}</h3>
        <ul>
          {placeholders.map((placeholder) => {
            const title = PLACEHOLDERS[placeholder]
            return (
              <li key={placeholder}>
                <Button
                  onPress={() => insert(placeholder)}
                  aria-label={text('consoleSettings.mailInsert', { placeholder })}
                >
                  <code>{`{{${placeholder}}}`}</code>
                </Button>
                <span className="note">{title === undefined ? null : text(title)}</span>
              </li>
            )
          })}
        </ul>
      </section>
    </div>
  )
}

function ResetButton({ saved: { kind, language, revision }, onDone }: { saved: MailText; onDone(): void }) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const reset = useSettingsAction(() => platen.mailTexts.reset(kind, language, { ifMatch: `"${revision}"` }), {
    done: text('consoleSettings.doneMailReset'),
    onDone,
  })
  useShortcuts([{ title: 'consoleSettings.mailReset', run: () => setOpen(true) }])
  return (
    <div className="settings-actions">
      <SettingsProblem error={reset.error} />
      <Button isPending={reset.isPending} onPress={() => setOpen(true)}>
        {text('consoleSettings.mailReset')}
      </Button>
      <AlertDialog
        title={text('consoleSettings.mailReset')}
        isOpen={isOpen}
        isDanger
        confirmLabel={text('consoleSettings.mailReset')}
        cancelLabel={text('common.cancel')}
        onConfirm={() => {
          setOpen(false)
          reset.mutate()
        }}
        onCancel={() => setOpen(false)}
      >
        <p>{text('consoleSettings.mailResetHelp')}</p>
      </AlertDialog>
    </div>
  )
}

/** The mail with the text that is being written, a moment after the last keystroke. */
function DraftPreview({ saved, draft }: { saved: MailText; draft: Draft | undefined }) {
  const { kind, language } = saved
  const [asked, setAsked] = useState<Draft>()
  const [subject, body] = [draft?.subject, draft?.body]
  useEffect(() => {
    const next = subject === undefined || body === undefined ? undefined : { subject, body }
    const timer = setTimeout(() => setAsked(next), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [subject, body])
  const own = useQuery({ ...mailPreviewQuery(kind, language), placeholderData: keepPreviousData })
  const edited = useQuery({
    ...mailTextPreviewQuery(kind, language, asked ?? saved),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
  })
  const preview = asked === undefined ? own : edited
  return (
    <>
      {preview.error === null || isCancelled(preview.error) ? null : <SettingsProblem error={preview.error} />}
      <MailPreviewSection preview={preview.data ?? own.data} isStale={preview.isPlaceholderData || preview.isError} />
    </>
  )
}
