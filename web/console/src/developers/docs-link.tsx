import { type MessageKey, useTexts } from '@platen/ui'

/** Leads to the documentation, which is outside of the console. */
export function DocsLink({ to, title }: { to: `/docs/${string}`; title: MessageKey }) {
  const { text } = useTexts()
  return <a href={to}>{text(title)}</a>
}
