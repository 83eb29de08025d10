import { Loading } from '@platen/app/frame'
import type { MailPreview } from '@platen/client'
import { Tabs, useTexts } from '@platen/ui'
import { Section } from '../../parts/page/section.tsx'
import { MailFrame } from './mail-frame.tsx'

export interface MailPreviewSectionProps {
  preview: MailPreview | undefined
  /** Whether it does not show the present text. */
  isStale: boolean
}

/** A mail as customers get it. */
export function MailPreviewSection({ preview, isStale }: MailPreviewSectionProps) {
  return preview === undefined ? (
    <Loading />
  ) : (
    <div aria-busy={isStale}>
      <Preview preview={preview} />
    </div>
  )
}

function Preview({ preview: { subject, text: plain, html, language } }: { preview: MailPreview }) {
  const { text } = useTexts()
  return (
    <Section title={text('consoleSettings.preview')}>
      <p className="mail-subject">
        <span className="note">{text('consoleSettings.mailSubject')}</span> <b lang={language}>{subject}</b>
      </p>
      <Tabs
        aria-label={text('consoleSettings.preview')}
        items={[
          {
            id: 'html',
            title: text('consoleSettings.mailHtml'),
            content: <MailFrame html={html} title={text('consoleSettings.mailHtmlOf', { subject })} />,
          },
          {
            id: 'text',
            title: text('consoleSettings.mailText'),
            content: (
              <pre className="mail-text" lang={language}>
                {plain}
              </pre>
            ),
          },
        ]}
      />
    </Section>
  )
}
